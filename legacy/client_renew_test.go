package legacy_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// forgetful is a server that can forget its session: until the next initialize, all that is
// sent is answered with [mcp.ErrSessionEnded].
type forgetful struct {
	*link
	mu       sync.Mutex
	forgot   bool
	sessions int
	refuse   error // initialize is answered with, if not nil
	always   bool  // each session is forgotten at once
}

func serveForgetful(capabilities string) *forgetful {
	s := &forgetful{link: serve(capabilities)}
	others := s.answer
	s.answer = func(ctx context.Context, out *mcp.Outgoing, params string) (string, error) {
		s.mu.Lock()
		if out.Method != "initialize" {
			defer s.mu.Unlock()
			if s.forgot {
				return "", fmt.Errorf("%w: 404 Not Found", mcp.ErrSessionEnded)
			}
			return fmt.Sprintf(`{"session":%d}`, s.sessions), nil
		}
		refuse := s.refuse
		if refuse == nil {
			s.sessions++
			s.forgot = s.always
		}
		s.mu.Unlock()
		if refuse != nil {
			return "", refuse
		}
		return others(ctx, out, params)
	}
	return s
}

// forget ends the session on the side of the server.
func (s *forgetful) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgot = true
}

// refuses has initialize refused, or no more.
func (s *forgetful) refuses(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = err
}

// TestRenewal: a session that the server has forgotten is followed by another one, in which
// the request is sent once more (B182).
func TestRenewal(t *testing.T) {
	for _, version := range versions {
		s := serveForgetful(declaresAll)
		x := connect(t, s.link, &mcp.ClientOptions{LogLevel: mcp.LogInfo}, version)
		n := listen(t, x, mcp.Filter{ToolsListChanged: true, ResourceSubscriptions: []string{"a:b"}})
		s.forget()
		result, err := x.Call(t.Context(), &mcp.ClientRequest{Method: "tools/call", Params: jsonrpc.Raw(`{"name":"n"}`)})
		if err != nil {
			t.Fatal(err)
		}
		same(t, version, string(result), `{"session":2}`)
		const hello = `"capabilities":{},"clientInfo":{"name":"isthmus","version":"0"}}`
		lines(t, version, s.lines[4:],
			version+` tools/call {"name":"n"}`,
			`quiet initialize {"protocolVersion":"`+version+`",`+hello,
			version+` notifications/initialized`,
			version+` logging/setLevel {"level":"info"}`,
			version+` resources/subscribe {"uri":"a:b"}`,
			version+` tools/call {"name":"n"}`)
		lines(t, "what may have been missed", n.heard(), "tools/list_changed", "resources/updated a:b")
		tell(t, x, "notifications/resources/updated", `{"uri":"a:b"}`)
		lines(t, "told in the new session", n.heard(), "resources/updated a:b")
		if n.Err() != nil {
			t.Errorf("the listening has ended: %v", n.Err())
		}
	}
}

// TestRenewalOnce: many requests that find the session forgotten have one handshake done.
func TestRenewalOnce(t *testing.T) {
	s := serveForgetful(`{}`)
	x := connect(t, s.link, nil, "")
	s.forget()
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() {
			if result, err := x.Call(t.Context(), &mcp.ClientRequest{Method: "tools/call"}); err != nil || string(result) != `{"session":2}` {
				t.Errorf("got %s, %v", result, err)
			}
		})
	}
	calls.Wait()
	if got := s.handshakes(); got != 2 {
		t.Errorf("%d handshakes, want 2", got)
	}
}

// TestRenewalOfNotifications: what is only told is told in the new session, too.
func TestRenewalOfNotifications(t *testing.T) {
	s := serveForgetful(`{}`)
	x := connect(t, notifying{s}, nil, "")
	s.forget()
	if err := x.Notify(t.Context(), "a/b", nil); err != nil {
		t.Error(err)
	}
	if got := s.handshakes(); got != 2 {
		t.Errorf("%d handshakes, want 2", got)
	}
}

// notifying is a link whose notifications are answered as well, as over HTTP.
type notifying struct{ *forgetful }

func (n notifying) Notify(ctx context.Context, out *mcp.Outgoing) error {
	if _, err := n.answer(ctx, out, ""); err != nil {
		return err
	}
	return n.link.Notify(ctx, out)
}

// TestRenewalFails: the error says both, listeners are told that they hear no more, and the
// next request tries again.
func TestRenewalFails(t *testing.T) {
	s := serveForgetful(declaresAll)
	x := connect(t, s.link, nil, "")
	n := listen(t, x, lists())
	s.forget()
	s.refuses(jsonrpc.Errorf(-32603, "Not now"))
	for want := range 2 {
		_, err := x.Call(t.Context(), &mcp.ClientRequest{Method: "tools/call"})
		if !errors.Is(err, mcp.ErrSessionEnded) || jsonrpc.CodeOf(err) != -32603 {
			t.Errorf("call %d: %v", want, err)
		}
	}
	if err := n.over(t); !errors.Is(err, mcp.ErrSessionEnded) {
		t.Errorf("the listening ends with %v", err)
	}
	lines(t, "only one was sent", s.sent(), "tools/call")
	s.refuses(nil)
	if err := x.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if got := s.handshakes(); got != 4 {
		t.Errorf("%d handshakes, want 4: one, one for each request that failed, and one that has succeeded", got)
	}
}

// TestRenewalInVain: a server that forgets each session at once costs a request one new
// handshake (B182: no storm).
func TestRenewalInVain(t *testing.T) {
	s := serveForgetful(`{}`)
	s.always = true
	x := connect(t, s.link, nil, "")
	if err := x.Ping(t.Context()); !errors.Is(err, mcp.ErrSessionEnded) || !strings.Contains(err.Error(), "404") {
		t.Errorf("got %v", err)
	}
	lines(t, "sent", s.sent(), "ping", "ping")
	if got := s.handshakes(); got != 2 {
		t.Errorf("%d handshakes, want 2", got)
	}
}

// TestRenewalRefusesSubscription: who listened for what the new session does not tell of
// learns that.
func TestRenewalRefusesSubscription(t *testing.T) {
	s := serveForgetful(declaresAll)
	s.onlyFor("resources/subscribe", func(_ context.Context, params string) (string, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.sessions == 2 && strings.Contains(params, "a:b") {
			return "", jsonrpc.Errorf(-32002, "Gone")
		}
		return `{}`, nil
	})
	x := connect(t, s.link, nil, "")
	one, other := listen(t, x, uris("a:b", "e:f")), listen(t, x, uris("c:d"))
	s.forget()
	if err := x.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := one.over(t); jsonrpc.CodeOf(err) != -32002 {
		t.Errorf("ended with %v", err)
	}
	if other.Err() != nil {
		t.Errorf("the other one has ended: %v", other.Err())
	}
	lines(t, "the other one", other.heard(), "resources/updated c:d")
	s.wait(t, "the rest to be given up", func() bool { return slices.Contains(s.sent(), `resources/unsubscribe {"uri":"e:f"}`) })
}

// TestRenewalChangesVersion: a server may choose another revision, unless one is forced.
func TestRenewalChangesVersion(t *testing.T) {
	for _, forced := range []string{"", "2025-11-25"} {
		s := serveForgetful(`{}`)
		answer := s.answer
		s.answer = func(ctx context.Context, out *mcp.Outgoing, params string) (string, error) {
			result, err := answer(ctx, out, params)
			if out.Method == "initialize" && s.sessions == 2 {
				result = welcome("2025-03-26", `{}`)
			}
			return result, err
		}
		x := connect(t, s.link, nil, forced)
		s.forget()
		err := x.Ping(t.Context())
		switch {
		case forced != "" && (err == nil || !strings.Contains(err.Error(), `answered with version "2025-03-26"`)):
			t.Errorf("forced %s: %v", forced, err)
		case forced == "" && (err != nil || x.Form().Revision != "2025-03-26"):
			t.Errorf("%v, in %s", err, x.Form().Revision)
		}
	}
}

// TestRenewalGivenUp: who does not wait any more goes, and the handshake goes on for others.
func TestRenewalGivenUp(t *testing.T) {
	s := serveForgetful(`{}`)
	ctx, cancel := context.WithCancel(t.Context())
	goOn := make(chan struct{})
	answer := s.answer
	s.answer = func(callCtx context.Context, out *mcp.Outgoing, params string) (string, error) {
		if out.Method == "initialize" && s.handshakes() == 2 {
			cancel()
			select {
			case <-goOn:
			case <-callCtx.Done():
			}
		}
		return answer(callCtx, out, params)
	}
	x := connect(t, s.link, nil, "")
	s.forget()
	if _, err := x.Call(ctx, &mcp.ClientRequest{Method: "tools/call"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(goOn)
	if err := x.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if got := s.handshakes(); got != 2 {
		t.Errorf("%d handshakes, want 2", got)
	}
}

// TestCloseEndsRenewal: Close waits for no server that does not answer initialize.
func TestCloseEndsRenewal(t *testing.T) {
	s := serveForgetful(declaresAll)
	answer := s.answer
	s.answer = func(ctx context.Context, out *mcp.Outgoing, params string) (string, error) {
		if out.Method == "initialize" && s.handshakes() == 2 {
			<-ctx.Done()
		}
		return answer(ctx, out, params)
	}
	x := connect(t, s.link, nil, "")
	n := listen(t, x, lists())
	s.forget()
	var calling sync.WaitGroup
	calling.Go(func() {
		if err := x.Ping(t.Context()); err == nil {
			t.Error("Ping succeeds")
		}
	})
	s.wait(t, "the new handshake", func() bool { return s.handshakes() == 2 })
	x.Close()
	calling.Wait()
	if err := n.over(t); err != nil {
		t.Errorf("the listening ends with %v", err)
	}
	if err := x.Ping(t.Context()); !errors.Is(err, mcp.ErrLinkClosed) {
		t.Errorf("Ping after Close: %v", err)
	}
}

// TestSessionEnded: where somebody listens a new session is opened without a request, but
// not again and again (B182).
func TestSessionEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveForgetful(declaresAll)
		x := connect(t, s.link, nil, "")
		var w mcp.SessionWatcher = x
		after := func(what string, handshakes int) {
			t.Helper()
			w.SessionEnded()
			synctest.Wait()
			if got := s.handshakes(); got != handshakes {
				t.Errorf("%s: %d handshakes, want %d", what, got, handshakes)
			}
		}
		after("nobody listens", 1)
		n := listen(t, x, lists())
		s.forget()
		after("somebody listens", 2)
		lines(t, "missed", n.heard(), "tools/list_changed", "prompts/list_changed", "resources/list_changed")
		<-time.After(time.Hour) // of the test's own time
		after("much later", 3)
		if n.Err() != nil {
			t.Errorf("the listening has ended: %v", n.Err())
		}
		after("at once", 3)
		if err := n.over(t); !errors.Is(err, mcp.ErrSessionEnded) {
			t.Errorf("the listening ends with %v", err)
		}
		listen(t, x, uris("a:b"))
		<-time.After(time.Hour)
		after("for another one", 4)
		x.Close()
		after("closed", 4)
	})
}

// TestRenewalTakesTooLong: a handshake that is not answered is given up, and the requests
// that wait for it fail.
func TestRenewalTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveForgetful(`{}`)
		answer := s.answer
		s.answer = func(ctx context.Context, out *mcp.Outgoing, params string) (string, error) {
			if out.Method == "initialize" && s.handshakes() == 2 {
				<-ctx.Done()
				return "", ctx.Err()
			}
			return answer(ctx, out, params)
		}
		x := connect(t, s.link, nil, "")
		s.forget()
		began := time.Now()
		if err := x.Ping(t.Context()); !errors.Is(err, mcp.ErrSessionEnded) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != time.Minute {
			t.Errorf("it took %v", took)
		}
		x.Close()
	})
}

var _ mcp.SessionWatcher = (*legacy.Client)(nil)

// TestListenWhileSessionEnds: a Listen that finds the session forgotten, and no other one to
// be had, says so and leaves nothing behind.
func TestListenWhileSessionEnds(t *testing.T) {
	s := serveForgetful(declaresAll)
	x := connect(t, s.link, nil, "")
	s.forget()
	s.refuses(jsonrpc.Errorf(-32603, "Not now"))
	if _, err := x.Listen(t.Context(), &mcp.Filter{ResourceSubscriptions: []string{"a:b"}}, func(mcp.Change) { t.Error("told") }); !errors.Is(err, mcp.ErrSessionEnded) {
		t.Errorf("Listen: %v", err)
	}
	s.refuses(nil)
	n := listen(t, x, uris("a:b"))
	same(t, "honoured", fmt.Sprint(n.Honoured()), "{false false false [a:b]}")
	lines(t, "subscribed", s.sent()[1:], `resources/subscribe {"uri":"a:b"}`)
	tell(t, x, "notifications/resources/updated", `{"uri":"a:b"}`)
	lines(t, "told", n.heard(), "resources/updated a:b")
}

// TestRenewalCannotRestore: a session in which what was said before cannot be said again is
// none, and the next request tries for another.
func TestRenewalCannotRestore(t *testing.T) {
	for _, method := range []string{"logging/setLevel", "resources/subscribe"} {
		s := serveForgetful(declaresAll)
		s.onlyFor(method, func(context.Context, string) (string, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.sessions == 2 {
				return "", &mcp.Rejected{Status: 503, Reason: "503 Service Unavailable"}
			}
			return `{}`, nil
		})
		x := connect(t, s.link, &mcp.ClientOptions{LogLevel: mcp.LogInfo}, "")
		n := listen(t, x, uris("a:b"))
		s.forget()
		var rejected *mcp.Rejected
		if err := x.Ping(t.Context()); !errors.Is(err, mcp.ErrSessionEnded) || !errors.As(err, &rejected) {
			t.Errorf("%s: %v", method, err)
		}
		if err := n.over(t); !errors.Is(err, mcp.ErrSessionEnded) {
			t.Errorf("%s: the listening ends with %v", method, err)
		}
		if err := x.Ping(t.Context()); err != nil || s.handshakes() != 3 {
			t.Errorf("%s: %v after %d handshakes", method, err, s.handshakes())
		}
	}
}
