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
