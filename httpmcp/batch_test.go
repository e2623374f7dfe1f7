package httpmcp_test

import (
	"context"
	"sync/atomic"
	"testing"

	"isthmus.internal/mcp"
)

// A modern message inside a batch is not taken for a legacy one: its headers cannot be held to it, and its era has no
// batches. What is around it is.
func TestModernInBatch(t *testing.T) {
	var runs atomic.Int64
	counting := func() *mcp.Server {
		s := mcp.NewServer("counts", "1", nil)
		s.AddTool(mcp.Tool{Name: "count"}, func(context.Context, *mcp.Call) (*mcp.Result, error) {
			runs.Add(1)
			return &mcp.Result{}, nil
		})
		s.HandleNotification("notifications/count", mcp.Both, func(context.Context, *mcp.Notice) { runs.Add(1) })
		return s
	}
	inBubble(t, counting, nil, func(t *testing.T, w *world) {
		c := w.dial(t, "2025-03-26", "")
		const refused = `{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"revision 2026-07-28 has no batches: send each message on its own"}}`
		const note = `{"jsonrpc":"2.0","method":"notifications/count","params":{` + modernMeta + `}}`
		c.want("a request", c.post(`[`+ping+`,`+modernCall("2", "count", "")+`]`), `200 application/json [{"jsonrpc":"2.0","id":1,"result":{}},`+refused+`]`)
		c.want("a notification", c.post(`[`+note+`]`), "202  ")
		if n := runs.Load(); n != 0 {
			t.Errorf("%d of them have run", n)
		}
	})
}

// Outside of a session no batch is taken: nothing is known of its revision before initialize, which must not be in one
// (2025-03-26 basic/lifecycle, Initialization).
func TestBatchWithoutSession(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	c := dial(t, url, "2025-03-26", "")
	const refused = `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Batches are taken only`
	for name, got := range map[string]string{
		"no session": c.post(`[`+ping+`]`, "Mcp-Session-Id"),
		"initialize": c.post(`[`+initialize("2025-03-26", "")+`]`, "Mcp-Session-Id"),
		"modern":     answer(t, post(t, url, "tools/call", "echo", `[`+modernCall("1", "echo", "")+`]`)),
	} {
		c.has(name, got, "400 application/json", refused)
	}
	c.has("no JSON", c.post(`[`, "Mcp-Session-Id"), "400 application/json", "-32700")
}

// The stream of a batch can be taken up again (2025-03-26 basic/transports, Resumability and Redelivery).
func TestBatchResumed(t *testing.T) {
	inBubble(t, tools(t), nil, func(t *testing.T, w *world) {
		c := w.dial(t, "2025-03-26", "")
		e := stream(t, c.do("POST", `[`+tool("2", "progress", `,"arguments":{"text":"x"},"_meta":{"progressToken":7}`)+`,`+ping+`]`))
		c.has("progress", e.next(), `{"jsonrpc":"2.0","method":"notifications/progress"`)
		first := e.last
		for e.next() != "end" {
		}
		again := stream(t, c.do("GET", "", "Last-Event-ID: "+first))
		c.has("the call again", again.next(), `{"jsonrpc":"2.0","id":2,`)
		c.has("ping again", again.next(), `{"jsonrpc":"2.0","id":1,`)
		c.want("the end again", again.next(), "end")
	})
}
