package everything_test

import (
	"strings"
	"testing"

	"isthmus.internal/testfixtures/mcptest"
)

// levels are those that a response brought.
func levels(r *mcptest.Response) string {
	var all []string
	for _, n := range r.Of("notifications/message") {
		level, _ := n.At("level").Text()
		all = append(all, level)
	}
	return strings.Join(all, " ")
}

// TestLog: a client is told from the level on that it has asked for.
func TestLog(t *testing.T) {
	const all = "debug info notice warning error critical alert emergency"
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		for _, level := range strings.Fields(all) {
			c.SetLevel(level)
			r := c.Call("log", "")
			same(t, "from "+level, levels(r), all[strings.Index(all, level):])
			same(t, "the answer", r.Text(), "logged")
			first := r.Of("notifications/message")[0]
			same(t, "the data", string(first.At("data")), `{"level":"`+level+`","text":"This is a message of the level `+level+`."}`)
		}
		c.SetLevel("debug")
		for _, tool := range []string{"test_tool_with_logging", "test_logging_tool"} {
			same(t, tool, levels(c.Call(tool, "")), "info info info")
		}
	})
}

// TestLogUnasked: a modern client that names no level is told nothing. For a legacy one
// the server decides, and this one decides the same.
func TestLogUnasked(t *testing.T) {
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		same(t, "log", levels(c.Call("log", "")), "")
	})
}
