package discover_test

import (
	"context"
	"strings"
	"testing"

	"isthmus.internal/mcp"
)

// logging is a server whose tool log says something at two levels, and at a third when
// it is released.
func logging(release *chan struct{}) func() *mcp.Server {
	return func() *mcp.Server {
		*release = make(chan struct{}) // in the bubble
		s := mcp.NewServer("test-server", "1.2.3", &mcp.ServerOptions{Logger: quiet(), Logging: true})
		s.AddTool(mcp.Tool{Name: "log"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			c.Log(mcp.LogInfo, "l", "i")
			c.Log(mcp.LogError, "l", "e")
			return mcp.TextResult("done"), nil
		})
		s.AddTool(mcp.Tool{Name: "wait"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			<-*release
			c.Log(mcp.LogDebug, "", string(c.Argument("who")))
			return mcp.TextResult("done"), nil
		})
		return s
	}
}

const (
	infoLine  = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"l","data":"i"}}`
	errorLine = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"l","data":"e"}}`
)

// TestLoggingEras: in the modern era each request says what it wants to hear, in the
// legacy one the session does (B202).
func TestLoggingEras(t *testing.T) {
	const key = `"io.modelcontextprotocol/logLevel":`
	const wrong = " must be one of debug, info, notice, warning, error, critical, alert, emergency"
	for _, e := range eras {
		t.Run(e.version, func(t *testing.T) {
			bubble(t, logging(new(chan struct{})), func(w *wire) {
				if e.modern {
					w.want("silent", e.request("1", "tools/call", `"name":"log"`), e.text("1", "done"))
					w.want("error", e.withMeta("1", "tools/call", `"name":"log"`, key+`"error"`), errorLine, e.text("1", "done"))
					w.want("debug", e.withMeta("1", "tools/call", `"name":"log"`, key+`"debug"`), infoLine, errorLine, e.text("1", "done"))
					w.want("silent again", e.request("1", "tools/call", `"name":"log"`), e.text("1", "done"))
					w.want("loud", e.withMeta("1", "tools/call", `"name":"log"`, key+`"loud"`),
						failure("1", -32602, `params._meta["io.modelcontextprotocol/logLevel"]`+wrong, ""))
					w.want("no session", e.request("1", "logging/setLevel", `"level":"debug"`), failure("1", -32601, "Method not found: logging/setLevel", ""))
					return
				}
				w.send(initialize(e.version))
				w.want("silent", e.request("1", "tools/call", `"name":"log"`), e.text("1", "done"))
				w.want("the key says nothing", e.withMeta("1", "tools/call", `"name":"log"`, key+`"debug"`), e.text("1", "done"))
				w.want("warning", e.request("1", "logging/setLevel", `"level":"warning"`), e.result("1", ""))
				w.want("from then on", e.request("2", "tools/call", `"name":"log"`), errorLine, e.text("2", "done"))
				w.want("loud", e.request("1", "logging/setLevel", `"level":"loud"`), failure("1", -32602, "params.level"+wrong, ""))
				w.want("modern beside it", eras[4].request("1", "tools/call", `"name":"log"`), eras[4].text("1", "done"))
			})
		})
	}
}

// TestLoggingIsPerRequest (B170): of two calls that run at once, only the one that asks
// for messages gets any.
func TestLoggingIsPerRequest(t *testing.T) {
	var release chan struct{}
	e := eras[4]
	bubble(t, logging(&release), func(w *wire) {
		w.want("waits", e.withMeta("1", "tools/call", `"name":"wait","arguments":{"who":1}`, `"io.modelcontextprotocol/logLevel":"debug"`))
		w.want("waits too", e.request("2", "tools/call", `"name":"wait","arguments":{"who":2}`))
		close(release)
		got := strings.Join(w.send(e.request("3", "tools/call", `"name":"log"`)), "\n")
		for line, times := range map[string]int{`"data":"1"`: 1, `"data":"2"`: 0, `"data":`: 1, e.text("1", "done"): 1, e.text("2", "done"): 1, e.text("3", "done"): 1} {
			if n := strings.Count(got, line); n != times {
				t.Errorf("%s stands %d times, want %d, in\n%s", line, n, times, got)
			}
		}
	})
}

// TestNothingElseOnStreams: what middleware logs and reports about a subscriptions/listen
// request does not go out on its stream, where there are no log messages, nothing without
// the subscription's id and nothing before the acknowledgement (2026-07-28
// server/utilities/logging, Per-request log level; basic/index, _meta).
func TestNothingElseOnStreams(t *testing.T) {
	says := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
			c.Progress(1, 2, "half")
			c.Log(mcp.LogError, "l", "e")
			if err := c.Notify("com.example/seen", nil); err != nil {
				t.Error(err)
			}
			return next(ctx, c)
		}
	}
	e := eras[4]
	const meta = `"progressToken":"p","io.modelcontextprotocol/logLevel":"debug"`
	bubble(t, func() *mcp.Server {
		return changing(mcp.ServerOptions{Logging: true, Middleware: []mcp.Middleware{says}})
	}, func(w *wire) {
		w.want("elsewhere", e.withMeta("1", "tools/call", `"name":"t"`, meta),
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":2,"message":"half"}}`,
			errorLine, `{"jsonrpc":"2.0","method":"com.example/seen"}`, e.result("1", `"content":[]`))
		w.want("on a stream", e.withMeta("2", "subscriptions/listen", `"notifications":{}`, meta), acknowledged("2", `{}`))
		w.want("its end", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	})
}
