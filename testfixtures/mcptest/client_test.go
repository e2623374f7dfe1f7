package mcptest_test

import (
	"log/slog"
	"testing"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
	"isthmus.internal/testfixtures/notes"
)

func newNotes(testing.TB) *mcp.Server {
	return notes.NewServer(slog.New(slog.DiscardHandler), notes.Default())
}

func TestEach(t *testing.T) {
	mcptest.Each(t, newNotes, func(t *testing.T, c *mcptest.Client) {
		if got := mcptest.Names(c.List("tools/list"), "name"); len(got) != 1 || got[0] != "notes_query" {
			t.Errorf("tools: got %q", got)
		}
		if r := c.Read("notes://all"); r.Error != nil {
			t.Errorf("read: %s", r)
		}
		if r := c.Call("notes_query", `{"tag":7}`); r.Code() != -32602 {
			t.Errorf("call: %s", r)
		}
	})
}
