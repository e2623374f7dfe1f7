package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// What is known of tools is bounded, whichever part of them is long: those beyond are called as
// if they had never been listed, and so their results are not held against anything.
func TestKnownToolsAreBounded(t *testing.T) {
	const pages, each = 40, 1 << 20
	long := strings.Repeat("x", each)
	tests := []struct{ name, tool, schema string }{
		{"names", "%02d" + long, `{"type":"object"}`},
		{"marks", "%02d", `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"` + long + `"}}}`},
		{"arguments that are marked", "%02d", `{"type":"object","properties":{"` + long + `":{"type":"string","x-mcp-header":"A"}}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			page := 0
			c := talks(&mcp.ClientOptions{CacheBytes: -1}, &talker{form: form("2026-07-28"), call: func(_ context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
				if r.Method == "tools/call" {
					return jsonrpc.Raw(`{"resultType":"complete","content":[]}`), nil
				}
				page++
				next := ""
				if page < pages {
					next = fmt.Sprintf(`,"nextCursor":"%d"`, page)
				}
				return fmt.Appendf(nil, `{"resultType":"complete","tools":[{"name":"`+test.tool+`","inputSchema":%s,"outputSchema":{"type":"object"}}]%s}`, page, test.schema, next), nil
			}})
			var names []string
			for tool, err := range c.Tools(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, tool.Name)
			}
			if len(names) != pages {
				t.Fatalf("%d tools are listed, want %d", len(names), pages)
			}
			known := 0
			for _, name := range names {
				if _, err := c.CallTool(t.Context(), name, nil, nil); err != nil {
					known++
				}
			}
			if known == 0 || known > 16 {
				t.Errorf("%d tools are known, of %d bytes each; want some, and at most 16 MiB", known, each)
			}
		})
	}
}

// A server that says again and again that its list has changed, which is a few bytes, does not have the
// client go through all that it knows of tools each time.
func TestKnownToolsInAFlood(t *testing.T) {
	var tools strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&tools, `,{"name":"%d","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`, i)
	}
	s := &scripted{answers: map[string][]string{
		"tools/list": {`{"resultType":"complete","tools":[` + tools.String()[1:] + `]}`},
		"tools/call": {`{"resultType":"complete","content":[]}`},
	}}
	c := meets(nil, s)
	if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CallTool(t.Context(), "7", nil, nil); err == nil {
		t.Error("the result is not held against the schema that was listed")
	}
	said := func() { c.Hear(t.Context(), "notifications/tools/list_changed", nil) }
	said()
	if _, err := c.CallTool(t.Context(), "7", nil, nil); err != nil {
		t.Errorf("the result is held against the schema of a list that has changed: %v", err)
	}
	if n := testing.AllocsPerRun(100, said); n > 10 {
		t.Errorf("to hear of a change took %v allocations with 1000 tools known, want a few", n)
	}
}
