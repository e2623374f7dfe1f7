package bridged_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// talking is a server whose tools say something meanwhile.
func talking() *mcp.Server {
	s := newServer()
	s.AddTool(mcp.Tool{Name: "count"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		for i := 1; i <= 5; i++ {
			c.Progress(float64(i), 5, "")
		}
		c.Log(mcp.LogWarning, "counter", "counted")
		return mcp.TextResult("done"), nil
	})
	s.AddTool(mcp.Tool{Name: "who"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		k := c.ClientCapabilities()
		return mcp.TextResult(fmt.Sprintf("%s %t %s", c.ClientInfo().Name, k.Sampling != nil, c.Meta("traceparent"))), nil
	})
	s.Handle("com.example/both", mcp.Both, func(_ context.Context, c *mcp.Call) (mcp.Reply, error) {
		if c.Param("x") == nil {
			return mcp.Reply{}, &jsonrpc.Error{Code: -31000, Message: "no x", Data: jsonrpc.Raw(`{"why":1}`)}
		}
		return mcp.NewReply([]byte(`"got":`+string(c.Param("x"))), nil), nil
	})
	return s
}

// TestTold: progress and log messages reach the client before the answer, in order.
func TestTold(t *testing.T) {
	eachPair(t, mcptest.Options{Progress: true, LogLevel: "info"}, talking, func(t *testing.T, p *pair) {
		r := p.Call("count", `{}`)
		var got []string
		for _, note := range r.Of("notifications/progress") {
			got = append(got, string(note.At("progress"))+"/"+string(note.At("total")))
		}
		same(t, "progress", strings.Join(got, " "), "1/5 2/5 3/5 4/5 5/5")
		logs := r.Of("notifications/message")
		if len(logs) == 0 {
			logs = append(logs, p.Notes()...) // some revisions do not say of which request it is
		}
		if len(logs) != 1 || string(logs[0].At("data")) != `"counted"` || string(logs[0].At("level")) != `"warning"` {
			t.Errorf("log messages: got %v", logs)
		}
		same(t, "result", r.Text(), "done")
	})
}

// TestWho: the server sees who the client is, what that can be asked, and what stands in _meta.
func TestWho(t *testing.T) {
	eachPair(t, mcptest.Options{}, talking, func(t *testing.T, p *pair) {
		r := p.Request("tools/call", `{"name":"who","_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}`)
		same(t, "client", r.Text(), `mcptest true "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`)
	})
}

// TestForeign: methods that the protocol does not know pass, with the errors of their own.
func TestForeign(t *testing.T) {
	eachPair(t, mcptest.Options{Unchecked: true}, talking, func(t *testing.T, p *pair) {
		same(t, "result", string(p.Request("com.example/both", `{"x":[1]}`).At("got")), "[1]")
		r := p.Request("com.example/both", `{}`)
		if r.Code() != -31000 || r.Error.Message != "no x" || string(r.Error.Data) != `{"why":1}` {
			t.Errorf("error: got %s", r)
		}
	})
}

// TestCancel: what the client cancels ends at the server.
func TestCancel(t *testing.T) {
	var began, ended chan struct{}
	build := func() *mcp.Server {
		began, ended = make(chan struct{}, 1), make(chan struct{}, 1)
		b, e := began, ended
		s := newServer()
		s.AddTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
			b <- struct{}{}
			<-ctx.Done()
			e <- struct{}{}
			return nil, ctx.Err()
		})
		return s
	}
	eachPair(t, mcptest.Options{Answer: answers}, build, func(t *testing.T, p *pair) {
		call := p.StartCall("wait", `{}`)
		soon(t, began, "the call")
		call.Cancel()
		soon(t, ended, "its end")
	})
}

// soon waits for what must come.
func soon(t *testing.T, from <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-from:
	case <-time.After(time.Minute):
		t.Fatalf("%s did not come", what)
	}
}

// addWaiting adds tools that wait for the end of their call, for nothing, and for the user.
func addWaiting(s *mcp.Server, ended chan<- string) {
	s.AddTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	s.AddTool(mcp.Tool{Name: "quick"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("done"), nil })
	mcp.AddTool(s, mcp.Tool{Name: "ask"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
		in, err := mcp.Ask[who](ctx, c, "name", "Who?")
		if err != nil && ended != nil {
			ended <- err.Error()
		}
		return in.Name, err
	})
}
