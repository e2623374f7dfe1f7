package bridged_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover/bridge"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// named is a client that fills in its name.
func named(name string) func(mcptest.Ask) (string, *jsonrpc.Error) {
	return func(mcptest.Ask) (string, *jsonrpc.Error) {
		return fmt.Sprintf(`{"action":"accept","content":{"name":%q}}`, name), nil
	}
}

// TestClients: what is asked reaches the client whose call it is about, though all clients say
// the same of themselves and call at once.
func TestClients(t *testing.T) {
	for _, upstream := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run("server "+upstream, func(t *testing.T) {
			b, _ := bridging(t, asking(), bridge.Options{Version: upstream})
			var all sync.WaitGroup
			for i := range 12 {
				name := fmt.Sprintf("client %d", i)
				revision := []string{"2026-07-28", "2026-07-28", "2025-11-25", "2025-06-18"}[i%4]
				c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: revision, Transport: mcptest.Stdio(), Answer: named(name)})
				for range 2 {
					all.Go(func() {
						for range 3 {
							if got := c.Call("three", `{}`).Text(); got != strings.Repeat(name, 3) {
								t.Errorf("%s has %q", name, got)
							}
						}
					})
				}
			}
			all.Wait()
		})
	}
}

// TestSingle: one client has one connection, whatever it does at once.
func TestSingle(t *testing.T) {
	for _, revision := range mcptest.Revisions() {
		t.Run(revision, func(t *testing.T) {
			b, from := bridging(t, asking(), bridge.Options{Version: "2025-11-25", Single: true})
			c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: revision, Answer: answers})
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					if r := c.Call("two", `{}`); r.Text() != "file:///work hello" {
						t.Errorf("got %s", r)
					}
				})
			}
			all.Wait()
			c.Close()
			if got := from.dialled(); got != 2 {
				t.Errorf("%d connections, want one to find the server's name and one for the client", got)
			}
		})
	}
}

// TestGone: calls under way fail in clear words when the server ends, and the next one finds it
// again.
func TestGone(t *testing.T) {
	for _, upstream := range upstreams {
		for _, revision := range mcptest.Revisions() {
			t.Run(upstream+" for "+revision, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { gone(t, upstream, revision) })
			})
		}
	}
}

func gone(t *testing.T, upstream, revision string) {
	s, runs := waiting(nil), make(chan struct{})
	s.AddTool(mcp.Tool{Name: "stay"}, func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
		runs <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	b, from := bridging(t, s, bridge.Options{Version: upstream})
	c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: revision, Answer: answers, Patience: time.Hour})
	for range 5 {
		call := c.StartCall("stay", `{}`)
		same(t, "another one meanwhile", c.Call("quick", `{}`).Text(), "done")
		<-runs // each may have a connection of its own, which may have to be made first
		from.kill()
		if r := call.Wait(); r.Code() != jsonrpc.InternalError || !strings.Contains(r.Error.Message, "has gone") {
			t.Errorf("the call under way: %s", r)
		}
		synctest.Wait() // until it is known of each connection that it has ended
	}
	c.Close()
	_ = b.Close() // in the bubble
}

// TestAway: a call is given up at the server when its client does not come back, and a retry is
// refused then.
func TestAway(t *testing.T) {
	tests := []struct {
		name  string
		o     bridge.Options
		calls int // each answered by questions, none of which is
		wait  time.Duration
		ended int
	}{
		{"in time", bridge.Options{}, 1, time.Minute, 0},
		{"too late", bridge.Options{AskTime: time.Second}, 1, time.Minute, 1},
		{"too late, by default", bridge.Options{}, 1, time.Hour, 1},
		{"too many", bridge.Options{Parked: 2}, 5, time.Minute, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan string, 10)
				test.o.Version = "2025-11-25"
				b, _ := bridging(t, waiting(ended), test.o)
				c := mcptest.Dial(t, b.Server(), &mcptest.Options{Patience: time.Hour})
				var asked *mcptest.Response
				for range test.calls {
					if asked = c.Call("ask", `{}`); !asked.InputRequired() {
						t.Fatalf("got %s, want a question", asked)
					}
				}
				<-time.After(test.wait)
				synctest.Wait()
				if got := len(ended); got != test.ended {
					t.Errorf("%d calls have ended at the server, want %d", got, test.ended)
				}
				retry := fmt.Sprintf(`{"name":"ask","arguments":{},"inputResponses":{"ask-1":{"action":"accept","content":{"name":"Ada"}}},"requestState":%s}`, asked.At("requestState"))
				r := c.Request("tools/call", retry)
				if test.name == "in time" || test.name == "too many" {
					same(t, "the retry", r.Text(), "Ada")
					if again := c.Request("tools/call", retry); again.Code() != jsonrpc.InvalidParams {
						t.Errorf("the same retry again: %s", again)
					}
				} else if r.Code() != jsonrpc.InvalidParams || !strings.Contains(r.Error.Message, "without it") {
					t.Errorf("the retry: %s", r)
				}
				c.Close()
				_ = b.Close() // in the bubble
			})
		})
	}
}

// TestBusy: of more calls at once than there are connections the last ones are refused, but for
// calls whose clients are away: of those the oldest is given up.
func TestBusy(t *testing.T) {
	ended := make(chan string, 10)
	b, _ := bridging(t, waiting(ended), bridge.Options{Version: "2025-11-25", Connections: 2})
	c := mcptest.Dial(t, b.Server(), nil)
	for i := range 5 {
		if r := c.Call("ask", `{}`); !r.InputRequired() {
			t.Fatalf("call %d: got %s, want a question", i, r)
		}
	}
	for range 3 {
		next(t, ended)
	}
	other := mcptest.Dial(t, b.Server(), &mcptest.Options{Info: `{"name":"other","version":"1"}`})
	same(t, "another client", other.Call("quick", `{}`).Text(), "done")
	waits := []*mcptest.Pending{c.StartCall("wait", `{}`), other.StartCall("wait", `{}`)}
	for began := time.Now(); ; { // until both calls are there
		r := other.Call("quick", `{}`)
		if r.Code() == jsonrpc.InternalError && strings.Contains(r.Error.Message, "Too many") {
			break
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("got %s, want it refused", r)
		}
	}
	for _, w := range waits {
		w.Cancel()
	}
	c.Close()
	other.Close()
}

// waiting is a server with tools that wait, and tell ended how a question went.
func waiting(ended chan<- string) *mcp.Server {
	s := asking()
	addWaiting(s, ended)
	return s
}
