package bridged_test

import (
	"context"
	"testing"

	"isthmus.internal/discover/bridge"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// changing is a server with something of each kind.
func changing() *mcp.Server {
	s := newServer()
	s.AddTool(mcp.Tool{Name: "a"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("a"), nil })
	read := func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{&mcp.TextResource{Text: "text"}}, nil
	}
	s.AddResource(mcp.Resource{URI: "test:a", Name: "a"}, read)
	s.AddResource(mcp.Resource{URI: "test:b", Name: "b"}, read)
	return s
}

// TestChanges: who has asked for a change is told of it, and of nothing else.
func TestChanges(t *testing.T) {
	eachPair(t, mcptest.Options{}, changing, func(t *testing.T, p *pair) {
		p.Settle()
		s := p.Listen(mcptest.Filter{Tools: true, Prompts: true, URIs: []string{"test:a"}})
		granted := s.Granted()
		if p.Revision() == mcptest.Modern && (!granted.Tools || granted.Prompts || len(granted.URIs) != 1) {
			t.Errorf("granted: %+v", granted)
		}
		tool := mcp.Tool{Name: "b"}
		p.origin.server.AddTool(tool, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("b"), nil })
		same(t, "a list", s.Next().Method, "notifications/tools/list_changed")
		p.origin.server.ResourceUpdated("test:b")
		p.origin.server.ResourceUpdated("test:a")
		note := s.Next()
		same(t, "a resource", note.Method+" "+string(note.At("uri")), `notifications/resources/updated "test:a"`)
		p.Settle()
		if left := s.Take(); len(left) > 0 {
			t.Errorf("more is told: %v", left)
		}
		if got := mcptest.Names(p.List("tools/list"), "name"); len(got) != 2 {
			t.Errorf("tools: got %q, want two", got)
		}
		s.Close()
		p.Settle()
		p.origin.server.ResourceUpdated("test:a")
		p.Settle()
	})
}

// TestChangesAfterEnd: a session goes on to be told when the server has been connected to again.
func TestChangesAfterEnd(t *testing.T) {
	for _, upstream := range upstreams {
		t.Run(upstream, func(t *testing.T) {
			b, from := bridging(t, changing(), bridge.Options{Version: upstream})
			c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: "2025-11-25"})
			s := c.Listen(mcptest.Filter{URIs: []string{"test:a"}})
			from.kill()
			c.Call("a", `{}`) // which fails, or is the first of a new connection
			if r := c.Call("a", `{}`); r.Text() != "a" {
				t.Errorf("the next call: %s", r)
			}
			same(t, "what may have changed", string(s.Next().At("uri")), `"test:a"`)
			c.Close()
		})
	}
}
