package bridged_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"isthmus.internal/discover/bridge"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// cancelAll is a stranger who tells an endpoint that the requests with small ids are cancelled, as those
// of the bridge's own connections are.
func cancelAll(t *testing.T, url string) {
	t.Helper()
	for id := range 12 {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"_meta":{
			"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},
			"io.modelcontextprotocol/clientCapabilities":{}}}}`, id)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "notifications/cancelled",
		} {
			r.Header.Set(name, value)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusAccepted {
			t.Errorf("cancelling %d: got %s, want 202", id, answer.Status)
		}
	}
}

// changes changes a server, and reports whether the change is told in a moment.
func changes(s *mcp.Server, i int, told <-chan struct{}) bool {
	s.AddTool(mcp.Tool{Name: fmt.Sprint("more-", i)}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult(""), nil })
	select {
	case <-told:
		return true
	case <-time.After(100 * time.Millisecond):
		return false
	}
}

// TestCancelOfOthers: what a client cancels by an id that is none of its own cancels nothing of others,
// neither a call nor what the bridge has the server tell of.
func TestCancelOfOthers(t *testing.T) {
	for _, upstream := range []string{"2026-07-28", "2025-11-25"} {
		for _, revision := range []string{"2026-07-28", "2025-11-25"} {
			t.Run(upstream+" for "+revision, func(t *testing.T) {
				began, ended, goOn := make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
				s := newServer()
				s.AddTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
					began <- struct{}{}
					select {
					case <-goOn:
						return mcp.TextResult("done"), nil
					case <-ctx.Done():
						close(ended)
						return nil, ctx.Err()
					}
				})
				b, _ := bridging(t, s, bridge.Options{Version: upstream})
				url := endpoint(t, b.Server())
				changed := make(chan struct{}, 100)
				c := dial(t, url, revision, mcp.ClientOptions{Info: mcp.Implementation{Name: "x", Version: "1"}})
				n, err := c.Listen(t.Context(), &mcp.Filter{ToolsListChanged: true})
				if err != nil {
					t.Fatal(err)
				}
				defer n.Close()
				go func() {
					for range n.All() {
						changed <- struct{}{}
					}
				}()
				over := make(chan error, 1)
				go func() {
					_, err := c.CallTool(context.Background(), "wait", nil, nil)
					over <- err
				}()
				soon(t, began, "the call")
				cancelAll(t, url)
				for i := 0; !changes(s, i, changed); i++ { // a legacy client is not told from when on it hears of them
					if i == 600 {
						t.Fatal("no change is told")
					}
				}
				close(goOn)
				if err := <-over; err != nil {
					t.Errorf("the call ends with %v", err)
				}
				select {
				case <-ended:
					t.Error("the call is cancelled")
				default:
				}
			})
		}
	}
}

// TestOneGivenUp: for a call for which there is no connection one call is given up whose client is away,
// with the streams on its connection, and no other.
func TestOneGivenUp(t *testing.T) {
	for _, streams := range []int{0, 4, 3} { // of how many of the clients
		t.Run(fmt.Sprintf("%d listen", streams), func(t *testing.T) {
			b, _ := bridging(t, waiting(nil), bridge.Options{Version: "2025-11-25", Connections: 4})
			client := func(name string) *mcptest.Client {
				c := mcptest.Dial(t, b.Server(), &mcptest.Options{Info: `{"name":"` + name + `","version":"1"}`, Transport: mcptest.Stdio()})
				t.Cleanup(c.Close)
				return c
			}
			var clients []*mcptest.Client
			var asked []*mcptest.Response
			for i := range 4 {
				c := client(fmt.Sprint(i))
				if i < streams {
					c.Listen(mcptest.Filter{Tools: true})
				}
				clients, asked = append(clients, c), append(asked, c.Call("ask", `{}`))
			}
			same(t, "the newcomer", client("newcomer").Call("quick", `{}`).Text(), "done")
			var gone []int
			for i, c := range clients {
				retry := fmt.Sprintf(`{"name":"ask","arguments":{},"inputResponses":{"ask-1":{"action":"accept","content":{"name":"Ada"}}},"requestState":%s}`, asked[i].At("requestState"))
				if c.Request("tools/call", retry).Code() != 0 {
					gone = append(gone, i)
				}
			}
			// The oldest one, but sooner one whose connection nobody listens on.
			want := map[int]string{0: "[0]", 4: "[0]", 3: "[3]"}[streams]
			same(t, "given up", fmt.Sprint(gone), want)
		})
	}
}
