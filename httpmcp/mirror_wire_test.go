package httpmcp_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// markedServer has a tool whose arguments clients repeat in headers, one that nobody may
// know of, and a resource. runs counts what ran.
func markedServer(t testing.TB) (s *mcp.Server, runs *atomic.Int64) {
	s, runs = toolServer(t), new(atomic.Int64)
	schema := jsonrpc.Raw(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"count":{"type":"integer","x-mcp-header":"Count"},` +
		`"opts":{"type":"object","properties":{"flag":{"type":"boolean","x-mcp-header":"Flag"}}}}}`)
	ran := func(context.Context, *mcp.Call) (*mcp.Result, error) {
		runs.Add(1)
		return mcp.TextResult("x"), nil
	}
	s.AddTool(mcp.Tool{Name: "marked", InputSchema: schema}, ran)
	s.AddTool(mcp.Tool{Name: "hidden", InputSchema: schema, Visible: func(*mcp.Principal) bool { return false }}, ran)
	s.AddResource(mcp.Resource{URI: "a:b", Name: "b"}, func(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
		runs.Add(1)
		return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI(), Text: "x"}}, nil
	})
	return s, runs
}

// TestMismatchRunsNothing: what the headers say and what the body says is one thing, or
// nothing runs (B136, B137, B139, B140, B142, B145, B146).
func TestMismatchRunsNothing(t *testing.T) {
	s, runs := markedServer(t)
	url, _ := serve(t, s, nil)
	marked := func(arguments string) string {
		return `{"jsonrpc":"2.0","id":"an id","method":"tools/call","params":{"name":"marked","arguments":` + arguments + `,` + modernMeta + `}}`
	}
	read := `{"jsonrpc":"2.0","id":"an id","method":"resources/read","params":{"uri":"a:b",` + modernMeta + `}}`
	list := `{"jsonrpc":"2.0","id":"an id","method":"tools/list","params":{` + modernMeta + `}}`
	const good, mismatch = `200 application/json {"jsonrpc":"2.0","id":"an id","result":`, `400 application/json {"jsonrpc":"2.0","id":"an id","error":{"code":-32020,"message":"Header mismatch: the `
	tests := []struct {
		name, method, mcpName, body string
		set                         []string
		want                        string
	}{
		{"B136 another method", "tools/list", "marked", marked(`{}`), nil, mismatch + `Mcp-Method header is \"tools/list\"`},
		{"B136 other letters", "Tools/Call", "marked", marked(`{}`), nil, mismatch + `Mcp-Method header`},
		{"B137 no name", "tools/call", "", marked(`{}`), nil, mismatch + `Mcp-Name header is missing`},
		{"B137 another name", "tools/call", "boom", marked(`{}`), nil, mismatch + `Mcp-Name header is \"boom\"`},
		{"B137 another uri", "resources/read", "a:c", read, nil, mismatch + `Mcp-Name header is \"a:c\"`},
		{"B137 the uri", "resources/read", "a:b", read, nil, good},
		{"B137 a list has no name", "tools/list", "", list, nil, good},
		{"B139 spaces", "  tools/call \t", "  marked ", marked(`{}`), nil, good},
		{"B140 no version", "tools/call", "marked", marked(`{}`), []string{"MCP-Protocol-Version: "}, mismatch + `MCP-Protocol-Version header is missing`},
		{"B142 another version", "tools/call", "marked", marked(`{}`), []string{"MCP-Protocol-Version: 2025-11-25"}, mismatch + `MCP-Protocol-Version header is \"2025-11-25\"`},
		{"a notification with another method", "tools/call", "", `{"jsonrpc":"2.0","method":"notifications/x"}`, nil,
			`400 application/json {"jsonrpc":"2.0","error":{"code":-32020,"message":"Header mismatch: the Mcp-Method header is \"tools/call\"`},
		{"a notification with no method", "", "", `{"jsonrpc":"2.0","method":"notifications/x"}`, []string{"Mcp-Method: "}, "202 "},
		{"B145 all alike", "tools/call", "marked", marked(`{"region":"eu","count":42,"opts":{"flag":true}}`), []string{"Mcp-Param-Region: eu", "Mcp-Param-Count: 42.0", "Mcp-Param-Flag: true"}, good},
		{"B145 differs", "tools/call", "marked", marked(`{"region":"eu"}`), []string{"Mcp-Param-Region: us"}, mismatch + `Mcp-Param-Region header is \"us\"`},
		{"B145 missing", "tools/call", "marked", marked(`{"opts":{"flag":true}}`), nil, mismatch + `Mcp-Param-Flag header is missing`},
		{"B145 null", "tools/call", "marked", marked(`{"region":null}`), nil, good},
		{"B146 no Base64", "tools/call", "marked", marked(`{"region":"x"}`), []string{"Mcp-Param-Region: =?base64?***?="}, mismatch + `Mcp-Param-Region header is \"=?base64?***?=\", which is not the Base64`},
		{"B146 a byte", "tools/call", "marked", marked(`{"region":"x"}`), []string{"Mcp-Param-Region: x\x80"}, mismatch + `Mcp-Param-Region header is \"x\\x80\", which has characters`},
	}
	for _, test := range tests {
		before := runs.Load()
		got := answer(t, post(t, url, test.method, test.mcpName, test.body, test.set...))
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s\n got %s\nwant %s", test.name, got, test.want)
		}
		if ran := runs.Load() - before; ran > 0 && strings.HasPrefix(test.want, mismatch) {
			t.Errorf("%s: a handler ran %d times", test.name, ran)
		}
	}
}

// Of a header that stands twice with different values none is believed, in whatever order.
func TestTwoNames(t *testing.T) {
	s, runs := markedServer(t)
	url, _ := serve(t, s, nil)
	for _, names := range [][]string{{"marked", "boom"}, {"boom", "marked"}} {
		r := post(t, url, "tools/call", "x", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"marked",`+modernMeta+`}}`)
		r.Header["Mcp-Name"] = names
		got, want := answer(t, r), fmt.Sprintf(`400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":"Header mismatch: the Mcp-Name header stands several times`, httpmcp.HeaderMismatch)
		if !strings.HasPrefix(got, want) || runs.Load() > 0 {
			t.Errorf("%v\n got %s\nwant %s", names, got, want)
		}
	}
}

// A tool that the one who asks may not know of is not given away by the headers that it wants.
func TestHiddenToolWantsNoHeaders(t *testing.T) {
	s, _ := markedServer(t)
	url, _ := serve(t, s, nil)
	call := func(name string) string {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":{"region":"eu"},` + modernMeta + `}}`
		return strings.ReplaceAll(answer(t, post(t, url, "tools/call", name, body)), name, "NAME")
	}
	if hidden, nobody := call("hidden"), call("nobody"); hidden != nobody || !strings.Contains(hidden, "Unknown tool") {
		t.Errorf("a hidden tool and none are answered differently\n%s\n%s", hidden, nobody)
	}
}

// A tool that is for one alone wants its headers of that one, and of nobody else.
func TestHeadersOfOnesOwnTool(t *testing.T) {
	s, _ := markedServer(t)
	s.AddTool(mcp.Tool{Name: "own", InputSchema: jsonrpc.Raw(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`),
		Visible: func(p *mcp.Principal) bool { return p != nil && p.ID == "alice" }},
		func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("x"), nil })
	url, _ := serve(t, s, &httpmcp.Options{Principal: func(r *http.Request) *mcp.Principal { return &mcp.Principal{ID: r.Header.Get("Authorization")} }})
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"own","arguments":{"region":"eu"},` + modernMeta + `}}`
	for who, want := range map[string]string{"alice": `"code":-32020,`, "bob": "Unknown tool"} {
		if got := answer(t, post(t, url, "tools/call", "own", body, "Authorization: "+who)); !strings.Contains(got, want) {
			t.Errorf("%s without the header: got %s, want %s", who, got, want)
		}
	}
}

// Legacy clients know none of these headers; what stands in one means nothing.
func TestLegacyHasNoMirrors(t *testing.T) {
	s, _ := markedServer(t)
	url, _ := serve(t, s, nil)
	r := post(t, url, "tools/list", "boom", initialize("2025-11-25", ""), "MCP-Protocol-Version: ")
	if got := answer(t, r); !strings.HasPrefix(got, "200 ") {
		t.Errorf("initialize with headers of the modern era: %s", got)
	}
}
