package httpmcp_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// What a handler has left behind speaks on, and is not heard: what it speaks through is used
// again for others, who must not notice. The race detector has its part in this test.
func TestLateSpeakers(t *testing.T) {
	s := mcp.NewServer("speakers", "1", &mcp.ServerOptions{Logging: true, Logger: slog.New(slog.DiscardHandler)})
	stop, late := make(chan struct{}), make(chan struct{})
	var left sync.WaitGroup
	s.AddTool(mcp.Tool{Name: "leave"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		left.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Microsecond): // others shall have their turn
				}
				c.Log(mcp.LogError, "", "late")
				c.Progress(9, 9, "late")
				c.Notify("notifications/late", nil)
				c.Roots(ctx, "late")
				select {
				case <-late: // before that it would let go of the client
					c.Detach(0)
				default:
				}
			}
		})
		return mcp.TextResult("left"), nil
	})
	s.AddTool(mcp.Tool{Name: "echo"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		text, _ := c.Argument("text").Text()
		return mcp.TextResult(text), nil
	})
	url, _ := serve(t, s, &httpmcp.Options{})
	defer left.Wait()
	defer close(stop)
	legacy := dial(t, url, "2025-11-25", `"roots":{}`)
	const more = `,"_meta":{"progressToken":"p","io.modelcontextprotocol/logLevel":"debug","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	modern := func(name, text string) string {
		return answer(t, post(t, url, "tools/call", name, tool("1", name, `,"arguments":{"text":"`+text+`"}`+more)))
	}
	for range 2 {
		modern("leave", "")
		legacy.post(tool("1", "leave", withToken))
	}
	close(late)
	for i := range 100 {
		text := strings.Repeat("x", i)
		if got := modern("echo", text); strings.Contains(got, "late") || !strings.Contains(got, `"text":"`+text+`"`) {
			t.Fatalf("modern: %s", got)
		}
		legacy.want("echo", legacy.post(tool("1", "echo", `,"arguments":{"text":"`+text+`"}`+withToken)), "200 application/json "+answered("1", text))
	}
}
