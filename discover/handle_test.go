package discover_test

import (
	"bytes"
	"context"
	"log/slog"
	"regexp"
	"slices"
	"sync"
	"testing"

	"isthmus.internal/mcp"
)

// extended is the fixture with methods and notifications of its own, each in the eras
// of its name, and a middleware that notes what it sees.
func extended(seen *seen) *mcp.Server {
	s := mcp.NewServer("test-server", "1.2.3", &mcp.ServerOptions{
		Logger:     quiet(),
		Middleware: []mcp.Middleware{seen.around("outer"), seen.around("inner")},
	})
	answer := func(_ context.Context, c *mcp.Call) (mcp.Reply, error) {
		out := append([]byte(`"got":`), c.Param("x")...)
		return mcp.NewReply(out, nil), nil
	}
	take := func(_ context.Context, n *mcp.Notice) {
		seen.add(n.Method() + " " + n.ProtocolVersion() + " " + string(n.Param("x")) + " " + string(n.Meta("m")))
	}
	for name, in := range map[string]mcp.Eras{"legacy": mcp.Legacy, "modern": mcp.Modern, "both": mcp.Both} {
		s.Handle("com.example/"+name, in, answer)
		s.HandleNotification("notifications/com.example/"+name, in, take)
	}
	return s
}

// seen gathers what handlers and middleware saw.
type seen struct {
	mu   sync.Mutex
	what []string
}

func (s *seen) add(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.what = append(s.what, what)
}

func (s *seen) around(name string) mcp.Middleware {
	return func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
			s.add(name + " before " + c.Method())
			defer s.add(name + " after " + c.Method())
			return next(ctx, c)
		}
	}
}

// take returns what was seen since the last take.
func (s *seen) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	what := s.what
	s.what = nil
	return what
}

// TestHandle shows methods of the program's own in the eras they exist in, behind the
// same middleware as all others.
func TestHandle(t *testing.T) {
	for _, e := range eras {
		has := map[string]bool{"legacy": !e.modern, "modern": e.modern, "both": true}
		for name := range has {
			t.Run(e.version+" "+name, func(t *testing.T) { handles(t, e, name, has[name]) })
		}
	}
}

// handles sends a notification and a request of one name, which exist in the era or
// not.
func handles(t *testing.T, e era, name string, exists bool) {
	log := &seen{}
	bubble(t, func() *mcp.Server { return extended(log) }, func(w *wire) {
		if !e.modern {
			w.send(initialize(e.version))
			w.send(initialized)
		}
		method, members := "com.example/"+name, `"m":2`
		if e.modern {
			members = join(members, meta(e.version))
		}
		w.want("notification", `{"jsonrpc":"2.0","method":"notifications/`+method+`","params":{"x":1,"_meta":{`+members+`}}}`)
		if !exists {
			w.want("request", e.request("1", method, `"x":[1]`), failure("1", -32601, "Method not found: "+method, ""))
			if got := log.take(); got != nil {
				t.Errorf("seen %q of what does not exist", got)
			}
			return
		}
		w.want("request", e.request("1", method, `"x":[1]`), e.result("1", `"got":[1]`))
		want := []string{
			"notifications/" + method + " " + e.version + " 1 2",
			"outer before " + method, "inner before " + method, "inner after " + method, "outer after " + method,
		}
		if got := log.take(); !slices.Equal(got, want) {
			t.Errorf("seen %q, want %q", got, want)
		}
	})
}

// TestHandleNotificationWithoutVersion shows whose a notification is that names no
// version, as none has to (2026-07-28 basic/index, Per-request protocol fields).
func TestHandleNotificationWithoutVersion(t *testing.T) {
	log := &seen{}
	bubble(t, func() *mcp.Server { return extended(log) }, func(w *wire) {
		for _, want := range []string{"2026-07-28", "2025-06-18"} {
			w.want("notification", `{"jsonrpc":"2.0","method":"notifications/com.example/both","params":{"x":1}}`)
			if got, want := log.take(), "notifications/com.example/both "+want+" 1 "; !slices.Equal(got, []string{want}) {
				t.Errorf("got %q, want %q", got, want)
			}
			w.send(initialize("2025-06-18"))
		}
	})
}

// TestNotificationThatNobodyTakes: the debug log tells of it, unless the protocol itself
// has it sent and asks nothing of the server.
func TestNotificationThatNobodyTakes(t *testing.T) {
	var log bytes.Buffer
	logging := func() *mcp.Server {
		return mcp.NewServer("s", "1", &mcp.ServerOptions{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	}
	bubble(t, logging, func(w *wire) {
		w.send(initialize("2025-06-18"), initialized)
		for _, method := range []string{"notifications/roots/list_changed", "notifications/progress", "notifications/nope"} {
			w.send(`{"jsonrpc":"2.0","method":"` + method + `"}`)
		}
	})
	if got := regexp.MustCompile(`nobody takes.*`).FindAllString(log.String(), -1); !slices.Equal(got, []string{`nobody takes" method=notifications/nope`}) {
		t.Errorf("got %q, want notifications/nope alone", got)
	}
}
