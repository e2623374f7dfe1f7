package mcptest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// TestOneByte: a server that gets one byte a read serves all the same.
func TestOneByte(t *testing.T) {
	m := &mcptest.Matrix{Options: mcptest.Options{Faults: mcptest.Faults{OneByte: true}}, Except: map[string]string{"memory": "it has no bytes"}}
	m.Each(t, sound(nil, nil), func(t *testing.T, c *mcptest.Client) {
		if got := c.Call("greet", `{"name":"Ada"}`).Text(); got != "hello Ada" {
			t.Errorf("got %q", got)
		}
	})
}

// TestBreak breaks the connection at each of the first writes: serving ends with an
// error, and nothing stays behind.
func TestBreak(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for _, transport := range mcptest.Transports() {
			t.Run(fmt.Sprintf("write %d over %s", n, transport.Name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := mcptest.DialRaw(t, sound(nil, nil)(t), &mcptest.Options{Transport: transport, Faults: mcptest.Faults{BreakWrite: n}})
					for range n {
						c.Start("tools/list", "")
						synctest.Wait()
					}
					c.Close()
					switch err := c.ServeError(); {
					case transport.Lasting && err != nil:
						t.Errorf("serving ended with %v, want nil: it is no matter of one connection", err)
					case !transport.Lasting && (err == nil || !strings.Contains(err.Error(), "cut")):
						t.Errorf("serving ended with %v, want that the write failed", err)
					}
				})
			})
		}
	}
}

// TestUnread: a client that does not read holds up its own connection and no other; when
// it reads again, nothing is lost.
func TestUnread(t *testing.T) {
	for _, transport := range mcptest.Transports() {
		t.Run(transport.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := sound(nil, nil)(t)
				stuck := mcptest.Dial(t, s, &mcptest.Options{Transport: transport, Faults: mcptest.Faults{Unread: true}})
				var pending []*mcptest.Pending
				for range 10 {
					pending = append(pending, stuck.Start("tools/list", ""))
				}
				other := mcptest.Dial(t, s, &mcptest.Options{Transport: transport})
				if got := other.Call("greet", `{"name":"Ada"}`).Text(); got != "hello Ada" {
					t.Errorf("beside a stuck client: got %q", got)
				}
				stuck.Resume()
				for _, p := range pending {
					if r := p.Wait(); r.Error != nil {
						t.Errorf("once it reads: %s", r)
					}
				}
			})
		})
	}
}

// TestCut: a client that goes away in the middle of a call ends the call.
func TestCut(t *testing.T) {
	for _, transport := range mcptest.Transports() {
		t.Run(transport.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan error, 1)
				s := sound(nil, func(s *mcp.Server) {
					s.AddTool(mcp.Tool{Name: "long"}, func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
						<-ctx.Done()
						ended <- context.Cause(ctx)
						return nil, ctx.Err()
					})
				})(t)
				c := mcptest.Dial(t, s, &mcptest.Options{Transport: transport})
				c.StartCall("long", "")
				synctest.Wait()
				c.Cut()
				if err := <-ended; err == nil {
					t.Error("the call ended without a cause")
				}
			})
		})
	}
}

// TestClientFinds: a client fails its test when it is told what it should not be.
func TestClientFinds(t *testing.T) {
	asking := func(method, members string) func(s *mcp.Server) {
		return func(s *mcp.Server) {
			s.AddTool(mcp.Tool{Name: "notify"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
				return mcp.TextResult("told"), c.Notify(method, jsonrpc.Raw(members))
			})
		}
	}
	tests := []struct {
		name, want string
		edit       func(o *mcp.ServerOptions)
		more       func(s *mcp.Server)
		do         func(c *mcptest.Client)
	}{
		{"progress without a token", "progress for a token that no request in flight has", nil,
			asking("notifications/progress", `{"progressToken":"p","progress":1}`), func(c *mcptest.Client) { c.Call("notify", "") }},
		{"progress that shrinks", "progress goes from 2 to 1", nil, func(s *mcp.Server) {
			s.AddTool(mcp.Tool{Name: "notify"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
				for _, n := range []string{"2", "1"} {
					c.Notify("notifications/progress", jsonrpc.Raw(`{"progressToken":"p","progress":`+n+`}`))
				}
				return mcp.TextResult("told"), nil
			})
		}, func(c *mcptest.Client) { c.Request("tools/call", `{"name":"notify","_meta":{"progressToken":"p"}}`) }},
		{"a change that nobody subscribed to", "", nil,
			asking("notifications/resources/updated", `{"uri":"a:b"}`), func(c *mcptest.Client) { c.Call("notify", "") }},
		{"a notification that nobody knows", "message.method: must be one of the notifications", nil,
			asking("notifications/nope", `{}`), func(c *mcptest.Client) { c.Call("notify", "") }},
		{"a member that no revision knows", "message.result.nope: must be left out", fixed("tools/list", `"tools":[],"nope":1`), nil,
			func(c *mcptest.Client) { c.Request("tools/list", "") }},
		{"an answer to a cancelled request", "the request is answered although it was cancelled", nil, func(s *mcp.Server) {
			s.AddTool(mcp.Tool{Name: "late"}, func(context.Context, *mcp.Call) (*mcp.Result, error) {
				<-time.After(time.Millisecond)
				return mcp.TextResult("too late"), nil
			})
		}, func(c *mcptest.Client) { c.StartCall("late", "").GiveUp() }},
		{"words that are not for peers", "an error says what no peer should read", otherwise("tools/call", -32602, "runtime error: index out of range"), nil,
			func(c *mcptest.Client) { c.Call("nope", "") }},
	}
	for _, test := range tests {
		for _, revision := range mcptest.Revisions() {
			for _, transport := range mcptest.Transports() {
				var found string
				synctest.Test(t, func(t *testing.T) {
					found = record(t, func(t testing.TB) {
						c := mcptest.Dial(t, sound(test.edit, test.more)(t), &mcptest.Options{Revision: revision, Transport: transport})
						test.do(c)
						c.Settle()
						c.Close()
					})
				})
				if found == "" || !strings.Contains(found, test.want) {
					t.Errorf("%s in %s over %s\n got %s\nwant %s", test.name, revision, transport.Name, found, test.want)
				}
			}
		}
	}
}
