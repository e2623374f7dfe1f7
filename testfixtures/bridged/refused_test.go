package bridged_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/discover/bridge"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// TestAsksAnsweredWithErrors: an error of the client reaches a legacy server as it is; a modern
// one has no way to be told, so the call fails.
func TestAsksAnsweredWithErrors(t *testing.T) {
	answer := func(mcptest.Ask) (string, *jsonrpc.Error) {
		return "", &jsonrpc.Error{Code: -31001, Message: "not now"}
	}
	except := map[string]string{"2026-07-28": "a modern client has no errors to answer with"}
	for _, upstream := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		matrix := &mcptest.Matrix{Options: mcptest.Options{Answer: answer}, Except: except}
		matrix.Each(t, behind(asking, upstream), func(t *testing.T, c *mcptest.Client) {
			if c.Revision() < "2025-06-18" {
				return
			}
			r := c.Call("one", `{}`)
			got := r.Text()
			if r.Error != nil {
				got = r.Error.Message
			}
			if !strings.Contains(got, "not now") || upstream < mcptest.Modern && !strings.Contains(got, "-31001") {
				t.Errorf("server %s: got %s", upstream, r)
			}
		})
	}
}

// TestAsksAnsweredBadly: answers that do not fit are refused, and a modern client may mend them.
func TestAsksAnsweredBadly(t *testing.T) {
	for _, upstream := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		b, _ := bridging(t, asking(), bridge.Options{Version: upstream})
		c := mcptest.Dial(t, b.Server(), nil)
		asked := c.Call("one", `{}`)
		if !asked.InputRequired() {
			t.Fatalf("got %s, want a question", asked)
		}
		key := "ask-1"
		if upstream == mcptest.Modern {
			key = "name" // it is the server's
		}
		retry := func(content string) *mcptest.Response {
			return c.Request("tools/call", fmt.Sprintf(`{"name":"one","arguments":{},"inputResponses":{%q:{"action":"accept","content":%s}},"requestState":%s}`,
				key, content, asked.At("requestState")))
		}
		if r := retry(`{"name":7}`); r.Code() != jsonrpc.InvalidParams {
			t.Errorf("server %s: got %s, want it refused", upstream, r)
		}
		same(t, "server "+upstream+", mended", retry(`{"name":"Ada"}`).Text(), "Ada")
		c.Close()
	}
}

// TestSubscribeRefused: what is not there cannot be subscribed to.
func TestSubscribeRefused(t *testing.T) {
	for _, upstream := range upstreams {
		for _, revision := range []string{"2024-11-05", "2025-11-25"} {
			b, _ := bridging(t, changing(), bridge.Options{Version: upstream})
			c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: revision})
			if r := c.Request("resources/subscribe", `{"uri":"test:none"}`); r.Code() != -32002 {
				t.Errorf("server %s for %s: got %s, want -32002", upstream, revision, r)
			}
			if r := c.Request("resources/subscribe", `{"uri":7}`); r.Code() != jsonrpc.InvalidParams {
				t.Errorf("server %s for %s: got %s, want -32602", upstream, revision, r)
			}
			for _, method := range []string{"resources/subscribe", "resources/subscribe", "resources/unsubscribe", "resources/unsubscribe"} {
				if r := c.Request(method, `{"uri":"test:a"}`); r.Error != nil {
					t.Errorf("server %s for %s: %s: got %s", upstream, revision, method, r)
				}
			}
			c.Close()
		}
	}
}

// TestNotices: notifications that the protocol does not know pass both ways.
func TestNotices(t *testing.T) {
	for _, upstream := range upstreams {
		for _, revision := range upstreams[1:] {
			t.Run(upstream+" for "+revision, func(t *testing.T) {
				heard, told := make(chan string, 8), make(chan string, 8)
				s := newServer()
				s.AddTool(mcp.Tool{Name: "tell"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
					return mcp.TextResult("told"), c.Notify("notifications/com.example/said", jsonrpc.Raw(`{"a":1}`))
				})
				s.HandleNotification("notifications/com.example/heard", mcp.Both, func(_ context.Context, n *mcp.Notice) { heard <- string(n.Param("b")) })
				b, _ := bridging(t, s, bridge.Options{Version: upstream})
				c := dial(t, endpoint(t, b.Server()), revision, mcp.ClientOptions{
					Notice: func(method string, params jsonrpc.Raw) { told <- method + " " + string(params) },
				})
				if _, err := c.CallTool(t.Context(), "tell", nil, nil); err != nil {
					t.Error(err)
				}
				same(t, "told", next(t, told), `notifications/com.example/said {"a":1}`)
				if err := c.Notify(t.Context(), "notifications/com.example/heard", jsonrpc.Raw(`{"b":2}`)); err != nil {
					t.Error(err)
				}
				same(t, "heard", next(t, heard), "2")
			})
		}
	}
}

// next waits for what must come.
func next(t *testing.T, from <-chan string) string {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came")
		return ""
	}
}

// TestUnreachable: while there is no server calls fail, and how often it is looked for is
// bounded, whatever clients do.
func TestUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &origin{server: waiting(nil)}
		dials, there := 0, true
		b, err := bridge.New(context.Background(), func() discover.Transport {
			dials++
			if !there {
				dead := &scripted{err: mcp.ErrLinkClosed, done: make(chan struct{})}
				_ = dead.Close()
				return dead
			}
			return from.dial()
		}, &bridge.Options{Era: mcp.Modern})
		if err != nil {
			t.Fatal(err)
		}
		if v := b.Verdict(); v.Era != mcp.Modern || v.Version != "2026-07-28" {
			t.Errorf("the verdict is %+v", v)
		}
		c := mcptest.Dial(t, b.Server(), &mcptest.Options{Patience: time.Hour})
		there = false
		from.kill()
		synctest.Wait()
		began := time.Now()
		for range 20 {
			c.Call("quick", `{}`)
		}
		if took := time.Since(began); took < time.Minute || dials > 80 {
			t.Errorf("20 calls that failed took %v and %d attempts", took, dials)
		}
		there = true
		c.Call("quick", `{}`) // the last connection has been made already
		same(t, "it is there again", c.Call("quick", `{}`).Text(), "done")
		c.Close()
		_ = b.Close()
		from.serving.Wait()
	})
}
