package discover_test

import (
	"context"
	"fmt"
	"testing"

	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// typedAdd is a server with one typed tool.
func typedAdd() *mcp.Server {
	type terms struct {
		A int64  `json:"a" mcp:"the first"`
		B int64  `json:"b" default:"2"`
		C *int64 `json:"c" mcp:"more"`
	}
	type sum struct {
		Sum int64 `json:"sum"`
	}
	s := mcp.NewServer("typed", "1", &mcp.ServerOptions{Logger: quiet(), Static: true})
	mcp.AddTool(s, mcp.Tool{Name: "add"}, func(_ context.Context, _ *mcp.Call, in terms) (sum, error) {
		if in.C != nil {
			in.B += *in.C
		}
		return sum{in.A + in.B}, nil
	})
	return s
}

// TestTypedInEras: a typed tool through the router, in each revision: what fits, what the
// model must mend, and what is no call of a tool at all.
func TestTypedInEras(t *testing.T) {
	const wrong = `{"content":[{"type":"text","text":"Invalid arguments for tool add: arguments: expected the required member \"a\", got an object with only \"b\"; arguments.b: expected an integer, got the string \"x\""}],"isError":true`
	tests := []struct{ what, arguments, answer string }{
		{"numbers", `{"a":1.0,"b":2e0}`, `3`},
		{"a default", `{"a":9007199254740991}`, `9007199254740993`},
		{"null for an optional one", `{"a":1,"b":0,"c":null}`, `1`},
		{"wrong arguments (B116)", `{"b":"x"}`, ``},
		{"good again", `{"a":1,"c":4}`, `7`},
	}
	call := func(id int, arguments, meta string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":%s%s}}`, id, arguments, meta)
	}
	answer := func(id int, sum, before, structured, after string) string {
		result := fmt.Sprintf(`{%s"content":[{"type":"text","text":"{\"sum\":%s}"}]`, before, sum)
		if structured != "" {
			result += fmt.Sprintf(`,"structuredContent":{"sum":%s}`, sum)
		}
		if sum == "" {
			result = "{" + before + wrong[1:]
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s%s}}`, id, result, after)
	}
	const refused = `{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"params.arguments must be an object"}}`
	for _, version := range legacy.Versions() {
		t.Run(version, func(t *testing.T) {
			bubble(t, typedAdd, func(w *wire) {
				w.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`,
					`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				structured := ""
				if version >= "2025-06-18" {
					structured = "yes"
				}
				w.want("arguments that are a string (B118)", call(9, `"{}"`, ""), refused)
				for i, test := range tests {
					w.want(test.what, call(i+1, test.arguments, ""), answer(i+1, test.answer, "", structured, ""))
				}
			})
		})
	}
	t.Run("2026-07-28", func(t *testing.T) {
		bubble(t, typedAdd, func(w *wire) {
			const meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
			w.want("arguments that are a list (B118)", call(9, `[1]`, meta), refused)
			for i, test := range tests {
				w.want(test.what, call(i+1, test.arguments, meta), answer(i+1, test.answer, `"resultType":"complete",`, "yes",
					`,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"typed","version":"1"}}`))
			}
		})
	})
}
