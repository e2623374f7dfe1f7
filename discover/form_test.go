package discover_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// all is a server that says all there is to say, so that what a form leaves out can be
// seen. Its tools code… fail with that code.
func all() *mcp.Server {
	priority, size, no := 0.5, int64(1), false
	hints := &mcp.Annotations{Audience: []string{"user"}, Priority: &priority, LastModified: time.Unix(0, 0)}
	meta, icons := mcp.Meta{"m": jsonrpc.Raw(`1`)}, []mcp.Icon{{Src: "data:,"}}
	s := mcp.NewServer("test-server", "1.2.3", &mcp.ServerOptions{Logger: quiet()})
	s.AddTool(mcp.Tool{Name: "array", Title: "T", Meta: meta, Icons: icons, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: &no},
		InputSchema: jsonrpc.Raw(`{"type":"object","properties":{"a":true}}`), OutputSchema: jsonrpc.Raw(`{"type":"array"}`)},
		func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			c.Progress(1, 2, "half")
			return &mcp.Result{Structured: jsonrpc.Raw(`[1]`), Content: []mcp.Content{
				&mcp.AudioContent{MIMEType: "audio/wav"}, &mcp.ResourceLink{Resource: mcp.Resource{URI: "a:l", Name: "l", Size: &size}},
				&mcp.TextContent{Text: "x", Annotations: hints, Meta: meta}}}, nil
		})
	for name, code := range map[string]jsonrpc.Code{"code-32002": -32002, "code-32042": -32042, "code-32019": -32019, "code-32020": -32020,
		"code-32021": -32021, "code-32022": -32022, "code-32099": -32099, "code-32100": -32100, "code7": 7} {
		s.AddTool(mcp.Tool{Name: name}, func(context.Context, *mcp.Call) (*mcp.Result, error) {
			return nil, &jsonrpc.Error{Code: code, Message: "told", Data: jsonrpc.Raw(`{"requiredCapabilities":{"roots":{}}}`)}
		})
	}
	return s
}

// TestModernForm is what 2026-07-28 can say: a mark in an answer for each thing that
// some revision has. What legacy revisions have of it is tested in their room.
func TestModernForm(t *testing.T) {
	const list, call = "tools/list", `"name":"array"`
	tests := []struct{ name, method, params, mark string }{
		{"title", list, ``, `"title":"T"`},
		{"hints on tools", list, ``, `"annotations":{"readOnlyHint":false}`},
		{"output schema of any type", list, ``, `"outputSchema":{"type":"array"}`},
		{"boolean schemas", list, ``, `"properties":{"a":true}`},
		{"_meta of a definition", list, ``, `"_meta":{"m":1}`},
		{"icons", list, ``, `"icons":[{"src":"data:,"}]`},
		{"audio", "tools/call", call, `{"type":"audio"`},
		{"links", "tools/call", call, `{"type":"resource_link"`},
		{"lastModified", "tools/call", call, `"lastModified":"1970-01-01T00:00:00Z"`},
		{"_meta of a content", "tools/call", call, `"_meta":{"m":1}`},
		{"structured content of any type", "tools/call", call, `"structuredContent":[1]`},
		{"message of progress", "tools/call", call, `"progress":1,"total":2,"message":"half"`},

		{"resource not found has become invalid params", "tools/call", `"name":"code-32002"`, `"code":-32602,"message":"told"`},
		{"a code that is retired", "tools/call", `"name":"code-32042"`, `"code":-32603,"message":"Internal error`},
		{"below the reserved range", "tools/call", `"name":"code-32019"`, `"code":-32019,"message":"told"`},
		{"lowest of the reserved range", "tools/call", `"name":"code-32020"`, `"code":-32603,"message":"Internal error`},
		{"missing capability", "tools/call", `"name":"code-32021"`, `"code":-32021,"message":"told"`},
		{"the server's own code", "tools/call", `"name":"code-32022"`, `"code":-32603,"message":"Internal error`},
		{"highest of the reserved range", "tools/call", `"name":"code-32099"`, `"code":-32603,"message":"Internal error`},
		{"above the reserved range", "tools/call", `"name":"code-32100"`, `"code":-32100,"message":"told"`},
		{"a code of the program's", "tools/call", `"name":"code7"`, `"code":7,"message":"told"`},
	}
	for _, test := range tests {
		bubble(t, all, func(w *wire) {
			line := modernEra.withMeta("1", test.method, test.params, `"progressToken":1`)
			if got := strings.Join(w.send(line), "\n"); !strings.Contains(got, test.mark) {
				t.Errorf("%s: want %s, in\n%s", test.name, test.mark, got)
			}
		})
	}
}
