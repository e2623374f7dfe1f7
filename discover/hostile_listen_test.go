package discover_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// TestListenEndedByMiddleware: a stream whose context middleware ends has been ended by
// the server, and the client is told so.
func TestListenEndedByMiddleware(t *testing.T) {
	bounded := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
			ctx, stop := context.WithTimeout(ctx, time.Hour)
			defer stop()
			return next(ctx, c)
		}
	}
	server := func() *mcp.Server { return changing(mcp.ServerOptions{Middleware: []mcp.Middleware{bounded}}) }
	bubble(t, server, func(w *wire) {
		w.want("a stream", listen("1", `{"toolsListChanged":true}`), acknowledged("1", `{"toolsListChanged":true}`))
		<-time.After(time.Hour)
		synctest.Wait()
		want := graceful("1")
		want[0] = strings.Replace(want[0], "the connection", "the subscription", 1)
		w.wantLines("the end", w.out.take(t), want...)
		w.want("its id is free", listen("1", `{}`), acknowledged("1", `{}`))
		w.want("one that the client cancels", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	})
}

// TestChangesFromEverywhere: registering in handlers, in Visible and in middleware, and
// removing what runs.
func TestChangesFromEverywhere(t *testing.T) {
	var s *mcp.Server
	var n atomic.Int64
	add := func(prefix string) {
		s.AddTool(mcp.Tool{Name: fmt.Sprint(prefix, n.Add(1))}, nothing)
		s.ResourceUpdated("r:1")
	}
	middleware := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
			add("m")
			defer s.ResourceUpdated("r:2")
			return next(ctx, c)
		}
	}
	server := func() *mcp.Server {
		s = changing(mcp.ServerOptions{Middleware: []mcp.Middleware{middleware}})
		s.AddTool(mcp.Tool{Name: "self"}, func(context.Context, *mcp.Call) (*mcp.Result, error) {
			if !s.RemoveTool("self") || s.RemoveTool("self") {
				t.Error("a tool cannot remove itself, once")
			}
			add("h")
			return mcp.TextResult("gone"), nil
		})
		s.AddTool(mcp.Tool{Name: "v", Visible: func(*mcp.Principal) bool { add("v"); return true }}, nothing)
		return s
	}
	bubble(t, server, func(w *wire) {
		const all = `{"toolsListChanged":true,"resourceSubscriptions":["r:1","r:2"]}`
		if got := w.send(listen("1", all)); len(got) == 0 || got[0] != acknowledged("1", all) {
			t.Fatalf("the stream: got %q", got)
		}
		<-time.After(time.Second)
		w.out.take(t)
		for _, line := range []string{modernAsk("2", "tools/call", `"name":"self"`), modernAsk("3", "tools/list", ""), modernAsk("4", "tools/call", `"name":"v"`)} {
			got := w.send(line)
			<-time.After(time.Second)
			text := strings.Join(append(got, w.out.take(t)...), "\n")
			for _, want := range []string{`"result":{`, "tools/list_changed", `"r:1"`, `"r:2"`} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: got %s, want %s in it", line, text, want)
				}
			}
		}
		if got := w.send(modernAsk("5", "tools/call", `"name":"self"`)); !strings.Contains(strings.Join(got, ""), "-32602") {
			t.Errorf("a removed tool: got %q", got)
		}
		<-time.After(time.Second)
		w.out.take(t)
		w.want("end of the stream", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	})
}

// rudeBus panics, comes back at once, and remembers whom to deliver to.
type rudeBus struct {
	deliver []func(mcp.Change)
	panics  bool
}

func (b *rudeBus) Subscribe(deliver func(mcp.Change)) {
	deliver(mcp.Change{Kind: mcp.ToolsListChanged}) // before NewServer has returned
	b.deliver = append(b.deliver, deliver)
}

func (b *rudeBus) Publish(c mcp.Change) {
	if b.panics {
		panic("the bus is broken")
	}
	for _, d := range b.deliver {
		d(c)
		c.Origin = ""
		d(c) // as if from elsewhere
	}
}

// TestRudeBus: what a bus does wrong harms neither the clients nor the registry.
func TestRudeBus(t *testing.T) {
	bus := &rudeBus{}
	var s *mcp.Server
	bubble(t, func() *mcp.Server { s = changing(mcp.ServerOptions{Bus: bus}); return s }, func(w *wire) {
		w.want("a stream", listen("1", `{"toolsListChanged":true}`), acknowledged("1", `{"toolsListChanged":true}`))
		told := note("1", "tools/list_changed", "")
		got := w.changed(func() { s.AddTool(mcp.Tool{Name: "a"}, nothing) })
		w.wantLines("delivered while it is published", slices.Compact(got), told) // once or twice
		bus.panics = true
		w.wantLines("a panic", w.changed(func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic of the bus was swallowed")
				}
			}()
			s.AddTool(mcp.Tool{Name: "b"}, nothing)
		}), told)
		if got := w.send(modernAsk("2", "tools/call", `"name":"b"`)); !strings.Contains(strings.Join(got, ""), `"result"`) {
			t.Errorf("the tool behind the panic: got %q", got)
		}
		w.want("end", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		bus.deliver[0](mcp.Change{Kind: mcp.ToolsListChanged}) // late
	})
}

// TestListenIDs: ids that are used again at once, and cancelled at the moment of a change.
// What comes for an id belongs to the stream that has it.
func TestListenIDs(t *testing.T) {
	var s *mcp.Server
	bubble(t, func() *mcp.Server { s = changing(mcp.ServerOptions{}); return s }, func(w *wire) {
		cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
		for i := range 50 {
			filter, told := `{"toolsListChanged":true}`, note("1", "tools/list_changed", "")
			if i%2 == 1 {
				filter, told = `{"resourceSubscriptions":["r:1"]}`, note("1", "resources/updated", `"uri":"r:1"`)
			}
			w.want("stream", listen("1", filter), acknowledged("1", filter))
			name := fmt.Sprint("n", i)
			w.wantLines("change", w.changed(func() {
				s.ResourceUpdated("r:1")
				s.AddTool(mcp.Tool{Name: name}, nothing)
			}), told)
			go s.RemoveTool(name)
			go s.ResourceUpdated("r:1")
			w.in.lines <- cancel
			<-time.After(time.Second)
			if got := w.out.take(t); len(got) > 1 || len(got) == 1 && got[0] != told {
				t.Errorf("at the end: got %q", got)
			}
		}
	})
}

// TestCachedReplies: middleware may give one reply to many, in all revisions at once.
func TestCachedReplies(t *testing.T) {
	var kept atomic.Pointer[mcp.Reply]
	cache := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
			if r := kept.Load(); r != nil {
				return *r, nil
			}
			reply, err := next(ctx, c)
			if err == nil && !reply.InputRequired() {
				kept.Store(&reply)
			}
			return reply, err
		}
	}
	structured := func(context.Context, *mcp.Call) (*mcp.Result, error) {
		return &mcp.Result{Structured: jsonrpc.Raw(`{ "a" : 1 }`), Meta: mcp.Meta{"k": jsonrpc.Raw(`1`)}}, nil
	}
	bubble(t, hostile(map[string]mcp.ToolHandler{"s": structured}, cache), func(w *wire) {
		w.send(fmt.Sprintf(hello, "2024-11-05"), nowReady)
		for i := range 20 {
			w.in.lines <- calls(i, "s")
			w.in.lines <- modernAsk(fmt.Sprint(100+i), "tools/call", `"name":"s"`)
		}
		<-time.After(time.Second)
		for _, line := range w.out.take(t) {
			if want := `"content":[{"type":"text","text":"{\"a\":1}"}]`; !strings.Contains(line, want) {
				t.Errorf("got %s, want %s in it", line, want)
			}
		}
	})
}
