package everything_test

import (
	"slices"
	"strings"
	"testing"

	"isthmus.internal/testfixtures/mcptest"
)

// heard is what a stream was told, each once, without what names the stream. A tool that
// comes and goes may be told of once or twice.
func heard(notes []mcptest.Note) string {
	var all []string
	for _, n := range notes {
		what := strings.TrimPrefix(n.Method, "notifications/")
		if uri, ok := n.At("uri").Text(); ok {
			what += " " + uri
		}
		all = append(all, what)
	}
	slices.Sort(all) // what is told at once comes in any order
	return strings.Join(slices.Compact(all), ", ")
}

// TestTouch: who asked is told, and of what it asked for.
func TestTouch(t *testing.T) {
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		before := len(c.List("tools/list"))
		s := c.Listen(mcptest.Filter{Tools: true, URIs: []string{"file://docs/readme"}})
		same(t, "the answer", c.Call("touch", "").Text(), "changed")
		c.Settle()
		notes := s.Take()
		same(t, "heard", heard(notes), "resources/updated file://docs/readme, tools/list_changed")
		if len(notes) != 2 {
			t.Errorf("one touch is told of %d times, want one time each of two", len(notes))
		}
		if got := c.Read("file://docs/readme").At("contents", 0, "text"); !strings.Contains(string(got), "Touched 1 times.") {
			t.Errorf("the readme: got %s", got)
		}
		for n := 1; n >= 0; n-- {
			if got := len(c.List("tools/list")); got != before+n {
				t.Errorf("%d tools, want %d more than %d", got, n, before)
			}
			c.Call("touch", "")
		}
		s.Close()
	})
}

// TestTriggers: a change of one list is no change of another.
func TestTriggers(t *testing.T) {
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		tools, prompts := c.Listen(mcptest.Filter{Tools: true}), c.Listen(mcptest.Filter{Prompts: true})
		c.Call("test_trigger_tool_change", "")
		c.Settle()
		same(t, "tools hears", heard(tools.Take()), "tools/list_changed")
		same(t, "prompts hears", heard(prompts.Take()), "")
		c.Call("test_trigger_prompt_change", "")
		c.Settle()
		same(t, "tools hears then", heard(tools.Take()), "")
		same(t, "prompts hears then", heard(prompts.Take()), "prompts/list_changed")
		tools.Close()
		prompts.Close()
	})
}

// TestNobodyListens: nothing arrives at a client that has not asked, as it fails on what
// it has not asked for. A legacy session is told of lists, since that was declared.
func TestNobodyListens(t *testing.T) {
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		for _, tool := range []string{"touch", "test_trigger_prompt_change"} {
			same(t, tool, c.Call(tool, "").Text(), "changed")
		}
		c.Settle()
		for _, n := range c.Notes() {
			if n.Method == "notifications/resources/updated" {
				t.Errorf("nobody has subscribed: %s", n.Line)
			}
		}
	})
}
