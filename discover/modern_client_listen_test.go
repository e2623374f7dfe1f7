package discover_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// listener is a server of subscriptions: each is acknowledged with honoured and stays open
// until it is told to end.
type listener struct {
	*fakeServer
	honoured string
	opened   chan jsonrpc.ID // what was asked for
	ended    chan error      // the client has given one up
	results  chan string     // ends one
}

func newListener(t *testing.T) *listener {
	l := &listener{fakeServer: &fakeServer{t: t, stream: true}, opened: make(chan jsonrpc.ID, 9), ended: make(chan error, 9), results: make(chan string)}
	l.answer = func(ctx context.Context, m sent) (string, error) {
		if l.honoured != "" {
			l.tell("notifications/subscriptions/acknowledged", `{"_meta":{"io.modelcontextprotocol/subscriptionId":`+m.id.String()+`},"notifications":`+l.honoured+`}`)
		}
		l.opened <- m.id
		select {
		case result := <-l.results:
			if result == "" {
				return "", fmt.Errorf("%w: it broke", mcp.ErrLinkClosed)
			}
			return result, nil
		case <-ctx.Done():
			l.ended <- ctx.Err()
			return "", ctx.Err()
		}
	}
	return l
}

// change tells of one on the subscription of this id.
func (l *listener) change(id jsonrpc.ID, kind mcp.ChangeKind, rest string) {
	l.tell(string(kind), `{"_meta":{"io.modelcontextprotocol/subscriptionId":`+id.String()+`}`+rest+`}`)
}

// take is the next change of a subscription.
func take(t *testing.T, s *mcp.Subscription) mcp.Change {
	t.Helper()
	for c := range s.All() {
		return c
	}
	t.Errorf("the subscription has ended: %v", s.Err())
	return mcp.Change{}
}

// TestModernListen: what is asked for, agreed on and told, of two subscriptions on one stream
// (2026-07-28 basic/patterns/subscriptions).
func TestModernListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener(t)
		l.honoured = `{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}`
		heard := make(chan mcp.Change, 9)
		c := modernClient(t, l.fakeServer, &mcp.ClientOptions{Changed: func(c mcp.Change) { heard <- c }})
		one, err := c.Listen(t.Context(), &mcp.Filter{ToolsListChanged: true, PromptsListChanged: true, ResourceSubscriptions: []string{"file:///a"}})
		if err != nil {
			t.Fatal(err)
		}
		const want = `{"_meta":{` + plainMeta + `},"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["file:///a"]}}`
		if got := l.all[0]; got.method != "subscriptions/listen" || got.params != want || !got.open {
			t.Errorf("got %+v\nwant an open one with %s", got, want)
		}
		if f := one.Honoured(); !f.ToolsListChanged || f.PromptsListChanged || fmt.Sprint(f.ResourceSubscriptions) != "[file:///a]" {
			t.Errorf("got %+v", f)
		}
		first := <-l.opened
		two, err := c.Listen(t.Context(), &mcp.Filter{ToolsListChanged: true})
		if err != nil {
			t.Fatal(err)
		}
		second := <-l.opened
		l.change(first, mcp.ToolsListChanged, "")
		l.change(first, mcp.ResourceUpdated, `,"uri":"file:///a"`)
		l.change(second, mcp.ToolsListChanged, "")
		l.change(first, mcp.ResourcesListChanged, "") // which nobody has asked for
		for _, want := range []mcp.Change{{Kind: mcp.ToolsListChanged}, {Kind: mcp.ResourceUpdated, URI: "file:///a"}} {
			if got := take(t, one); got != want {
				t.Errorf("the first one: got %v, want %v", got, want)
			}
		}
		if got := take(t, two); got.Kind != mcp.ToolsListChanged {
			t.Errorf("the second one: got %v", got)
		}
		for _, want := range []mcp.ChangeKind{mcp.ToolsListChanged, mcp.ResourceUpdated, mcp.ToolsListChanged, mcp.ResourcesListChanged} {
			if got := <-heard; got.Kind != want {
				t.Errorf("it heard %v, want %s: each change once", got, want)
			}
		}
		if err := one.Close(); err != nil || one.Err() != nil || <-l.ended == nil {
			t.Errorf("closing: %v, %v", err, one.Err())
		}
		l.change(first, mcp.ToolsListChanged, "")
		l.change(second, mcp.ToolsListChanged, "")
		if got := take(t, two); got.Kind != mcp.ToolsListChanged {
			t.Errorf("the one that is left: got %v", got)
		}
	})
}

// TestModernListenAgrees: what is told before the server has agreed does not count, and of what it
// agrees to beyond what was asked for nothing does.
func TestModernListenAgrees(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener(t)
		agree := l.answer
		l.answer = func(ctx context.Context, m sent) (string, error) {
			l.change(m.id, mcp.ToolsListChanged, "")
			return agree(ctx, m)
		}
		l.honoured = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["file:///a","file:///b"]}`
		c := modernClient(t, l.fakeServer, nil)
		s, err := c.Listen(t.Context(), &mcp.Filter{ToolsListChanged: true, ResourceSubscriptions: []string{"file:///b"}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(s.Honoured()), "{true false false [file:///b]}"; got != want {
			t.Errorf("honoured: got %s, want %s", got, want)
		}
		id := <-l.opened
		l.change(id, mcp.ResourceUpdated, `,"uri":"file:///b"`)
		l.change(id, mcp.ToolsListChanged, "")
		if got := take(t, s); got.URI != "file:///b" {
			t.Errorf("first: got %v, want the first one that was told once the server had agreed", got)
		}
	})
}

// TestModernKeepsNothing: of requests that have ended nothing is kept.
func TestModernKeepsNothing(t *testing.T) {
	l := newListener(t)
	l.honoured = `{}`
	listen := l.answer
	l.answer = func(ctx context.Context, m sent) (string, error) {
		if m.method == "subscriptions/listen" {
			return listen(ctx, m)
		}
		return newServer(ctx, m)
	}
	x, err := discover.ExchangeFor(t.Context(), l.fakeServer, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Listen(t.Context(), &mcp.Filter{}, func(mcp.Change) {})
	if err != nil {
		t.Fatal(err)
	}
	if n := discover.Waiting(x); n != 1 {
		t.Errorf("%d are waited for while a subscription is open, want 1", n)
	}
	s.Close()
	if _, err := x.Call(t.Context(), &mcp.ClientRequest{Method: "tools/list", Progress: func(mcp.ProgressParams) {}}); err != nil {
		t.Error(err)
	}
	if n := discover.Waiting(x); n != 0 {
		t.Errorf("%d are waited for in the end, want none", n)
	}
}

// TestModernListenEnds: each end, and what is said of it.
func TestModernListenEnds(t *testing.T) {
	graceful := `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1}}`
	tests := []struct {
		name string
		end  func(l *listener, c *mcp.Client, s *mcp.Subscription, cancel context.CancelFunc)
		want error
	}{
		{"the result", func(l *listener, _ *mcp.Client, _ *mcp.Subscription, _ context.CancelFunc) { l.results <- graceful }, nil},
		{"cancelled, then the result", func(l *listener, _ *mcp.Client, _ *mcp.Subscription, _ context.CancelFunc) {
			l.tell("notifications/cancelled", `{"requestId":1,"reason":"The server ends"}`)
			l.results <- graceful
		}, nil},
		{"cancelled alone", func(l *listener, _ *mcp.Client, _ *mcp.Subscription, _ context.CancelFunc) {
			l.tell("notifications/cancelled", `{"requestId":1}`)
			<-time.After(time.Second)
			synctest.Wait()
			if len(l.ended) != 1 {
				l.t.Error("the request is open after a second")
			}
		}, nil},
		{"cancelled twice", func(l *listener, _ *mcp.Client, _ *mcp.Subscription, _ context.CancelFunc) {
			l.tell("notifications/cancelled", `{"requestId":1}`)
			l.tell("notifications/cancelled", `{"requestId":1}`)
		}, nil},
		{"the connection", func(l *listener, _ *mcp.Client, _ *mcp.Subscription, _ context.CancelFunc) { l.results <- "" }, mcp.ErrLinkClosed},
		{"the context", func(_ *listener, _ *mcp.Client, _ *mcp.Subscription, cancel context.CancelFunc) { cancel() }, nil},
		{"Close of the subscription", func(_ *listener, _ *mcp.Client, s *mcp.Subscription, _ context.CancelFunc) { s.Close() }, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newListener(t)
				l.honoured = `{"toolsListChanged":true}`
				c := modernClient(t, l.fakeServer, nil)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				s, err := c.Listen(ctx, nil)
				if err != nil {
					t.Fatal(err)
				}
				id := <-l.opened
				test.end(l, c, s, cancel)
				<-s.Done()
				if err := s.Err(); !errors.Is(err, test.want) || test.want == nil && err != nil {
					t.Errorf("got %v, want %v", err, test.want)
				}
				l.change(id, mcp.ToolsListChanged, "")
				for c := range s.All() {
					t.Errorf("told after the end: %v", c)
				}
				<-time.After(2 * time.Second) // nothing is left of it by then
			})
		})
	}
}

// TestModernListenRefused: subscriptions that do not come to be.
func TestModernListenRefused(t *testing.T) {
	tests := []struct {
		name   string
		answer func(l *listener) func(context.Context, sent) (string, error)
		want   string
	}{
		{"an error", func(*listener) func(context.Context, sent) (string, error) {
			return func(context.Context, sent) (string, error) { return "", failWith(-32601, "no such thing", "") }
		}, "no such thing"},
		{"a result at once", func(*listener) func(context.Context, sent) (string, error) {
			return func(context.Context, sent) (string, error) { return `{"resultType":"complete"}`, nil }
		}, "was ended before it was acknowledged"},
		{"a version that is not taken", func(*listener) func(context.Context, sent) (string, error) {
			return func(context.Context, sent) (string, error) {
				return "", failWith(-32022, "no", `{"supported":["2030-01-01"],"requested":"2026-07-28"}`)
			}
		}, "no modern version in common"},
		{"silence", func(*listener) func(context.Context, sent) (string, error) {
			return func(ctx context.Context, _ sent) (string, error) { return silence(ctx) }
		}, "within 1m0s"},
		{"changes before the acknowledgement", func(l *listener) func(context.Context, sent) (string, error) {
			return func(ctx context.Context, m sent) (string, error) {
				l.change(m.id, mcp.ToolsListChanged, "")
				l.tell("notifications/subscriptions/acknowledged", `{"_meta":{"io.modelcontextprotocol/subscriptionId":"`+m.id.String()+`"},"notifications":{}}`)
				l.tell("notifications/subscriptions/acknowledged", `{"_meta":{"io.modelcontextprotocol/subscriptionId":`+m.id.String()+`}}`)
				return silence(ctx)
			}
		}, "within 1m0s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newListener(t)
				l.answer = test.answer(l)
				c := modernClient(t, l.fakeServer, nil)
				if s, err := c.Listen(t.Context(), nil); err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, %v\nwant the error %s", s, err, test.want)
				}
			})
		})
	}
}

// TestModernListenAndClose: Close of the client ends subscriptions and waits for them, and
// there are none afterwards.
func TestModernListenAndClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener(t)
		l.honoured = `{}`
		c := modernClient(t, l.fakeServer, nil)
		s, err := c.Listen(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		<-s.Done()
		if s.Err() != nil {
			t.Errorf("got %v", s.Err())
		}
		if _, err := c.Listen(t.Context(), nil); !errors.Is(err, mcp.ErrLinkClosed) {
			t.Errorf("after Close: got %v", err)
		}
	})
}

// TestModernListenEndsOddly: a result that is none of a subscription is no end in order (2026-07-28
// basic/index, ResultType); one without a type is (same page).
func TestModernListenEndsOddly(t *testing.T) {
	for result, want := range map[string]string{
		`{"resultType":"complete"}`: "",
		`{}`:                        "",
		`{"resultType":"input_required","requestState":"s"}`: `of the type "input_required"`,
		`{"resultType":"other"}`:                             `of the type "other"`,
		`{"resultType":7}`:                                   `of the type ""`,
	} {
		synctest.Test(t, func(t *testing.T) {
			l := newListener(t)
			l.honoured = `{}`
			c := modernClient(t, l.fakeServer, nil)
			s, err := c.Listen(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			l.results <- result
			<-s.Done()
			if err := s.Err(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", result, err, want)
			}
		})
	}
}
