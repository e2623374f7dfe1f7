package cases_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// onlyModern leaves out the revisions without subscriptions/listen.
func onlyModern() *mcptest.Matrix {
	m := &mcptest.Matrix{Except: map[string]string{}}
	for _, revision := range mcptest.Revisions()[:4] {
		m.Except[revision] = "it has no subscriptions/listen"
	}
	return m
}

// B151: a stream that is open holds up nothing.
func TestB151ListenHoldsUpNothing(t *testing.T) {
	mcptest.Each(t, all, func(t *testing.T, c *mcptest.Client) {
		var streams []*mcptest.Stream
		for range 20 {
			streams = append(streams, c.Listen(mcptest.Filter{Tools: true}))
		}
		if len(c.List("tools/list")) == 0 {
			t.Error("no tools")
		}
		for _, s := range streams {
			s.Close()
		}
	})
}

// B152: streams are told apart by the id of their request with its type. The client
// looks at the order and the ids of all that comes.
func TestB152IDs(t *testing.T) {
	onlyModern().Each(t, all, func(t *testing.T, c *mcptest.Client) {
		streams := map[string]*mcptest.Stream{}
		for _, id := range []string{`"s-1"`, `1000`, `"1000"`, `0`, `""`} {
			streams[id] = c.ListenAs(id, mcptest.Filter{Tools: true})
		}
		c.Call("test_trigger_tool_change", "")
		for id, s := range streams {
			same(t, "the id of "+id, string(s.Next().At("_meta", mcp.MetaSubscriptionID)), id)
		}
	})
}

// B154: what was not asked for is not told.
func TestB154OnlyWhatWasAsked(t *testing.T) {
	mcptest.Each(t, all, func(t *testing.T, c *mcptest.Client) {
		s := c.Listen(mcptest.Filter{Tools: true})
		c.Call("test_trigger_prompt_change", "")
		c.Server().ResourceUpdated("file://docs/readme")
		c.Settle()
		if got := s.Take(); len(got) > 0 {
			t.Errorf("a stream of tools is told %s", got[0].Line)
		}
		s.Close()
	})
}

// B154: a server that never changes declares no listChanged, grants nothing and tells
// nothing.
func TestB154Static(t *testing.T) {
	static := func(testing.TB) *mcp.Server {
		s := mcp.NewServer("static", "1", &mcp.ServerOptions{Static: true})
		add(s, "one")
		return s
	}
	mcptest.Each(t, static, func(t *testing.T, c *mcptest.Client) {
		same(t, "declared", string(mcptest.At(c.ServerCapabilities(), "tools")), `{}`)
		add(c.Server(), "two")
		c.Settle()
		if notes := c.Notes(); len(notes) > 0 {
			t.Errorf("told %s", notes[0].Line)
		}
	})
}

func add(s *mcp.Server, name string) {
	s.AddTool(mcp.Tool{Name: name}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("x"), nil })
}

// B155, B161: at the end of the connection the server ends each stream: it is cancelled,
// then answered, and serving ends without an error.
func TestB155End(t *testing.T) {
	onlyModern().Each(t, all, func(t *testing.T, c *mcptest.Client) {
		a, b := c.Listen(mcptest.Filter{Tools: true}), c.ListenAs(`"b"`, mcptest.Filter{Prompts: true})
		c.Close()
		for id, s := range map[string]*mcptest.Stream{"1": a, `"b"`: b} {
			end := s.Ended()
			if end == nil || end.Error != nil {
				t.Fatalf("the stream %s ended with %v, want a result", id, end)
			}
			same(t, "the id in the result", string(end.At("_meta", mcp.MetaSubscriptionID)), id)
			var methods []string
			for _, n := range s.Take() {
				methods = append(methods, n.Method)
			}
			same(t, "before it", fmt.Sprint(methods), "[notifications/cancelled]")
		}
	})
}

// B157: of two subscribers one never reads; the other one is told at once, and the server
// goes on.
func TestB157Stuck(t *testing.T) {
	for _, transport := range mcptest.Transports() {
		m := onlyModern()
		m.Each(t, all, func(t *testing.T, c *mcptest.Client) {
			stuck := mcptest.DialRaw(t, c.Server(), &mcptest.Options{Transport: transport, Faults: mcptest.Faults{Unread: true}})
			stuck.Start("subscriptions/listen", `{"notifications":{"resourceSubscriptions":["file://docs/readme"]}}`)
			c.Settle()
			s := c.Listen(mcptest.Filter{URIs: []string{"file://docs/readme"}})
			for range 50 {
				c.Call("touch", "")
				s.Next()
			}
			s.Close()
			stuck.Cut()
		})
	}
}

// B158: a loop that adds tools is told of a few times, the last time after the last one.
func TestB158Burst(t *testing.T) {
	mcptest.Each(t, all, func(t *testing.T, c *mcptest.Client) {
		var streams []*mcptest.Stream
		for range 3 {
			other := mcptest.Dial(t, c.Server(), &mcptest.Options{Revision: c.Revision()})
			streams = append(streams, other.Listen(mcptest.Filter{Tools: true}))
		}
		before := len(c.List("tools/list"))
		for i := range 200 {
			add(c.Server(), fmt.Sprintf("added%d", i))
		}
		for _, s := range streams {
			s.Next()
		}
		c.Settle()
		for i, s := range streams {
			if more := len(s.Take()); more > 3 {
				t.Errorf("client %d is told %d times", i, more+1)
			}
			s.Close()
		}
		names := mcptest.Names(c.List("tools/list"), "name")
		if len(names) != before+200 || !slices.Contains(names, "added199") {
			t.Errorf("%d tools, want %d and added199 among them", len(names), before+200)
		}
	})
}
