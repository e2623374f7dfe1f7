package mcp_test

import (
	"context"
	"fmt"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// B10: numbers keep their digits on the way in and on the way out.
func TestNumbersKeepTheirDigits(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	s.AddTool(mcp.Tool{Name: "a"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		n, nOK := c.Argument("n").Int()
		m, mOK := c.Argument("m").Int()
		r := mcp.TextResult(fmt.Sprint(n, nOK, m, mOK))
		r.Structured = c.Arguments()
		return r, nil
	})
	const arguments = `{"n":9007199254740993,"m":-9223372036854775808,"f":1.10}`
	want := `{"content":[{"type":"text","text":"9007199254740993 true -9223372036854775808 true"}],"structuredContent":` + arguments + `}`
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		same(t, revision, ask(t, s, bare(revision), "tools/call", `{"name":"a","arguments":`+arguments+`}`), want)
	}
}

// B173: what is no JSON is an internal error with the id, never half a message.
func TestStructuredThatIsNoJSON(t *testing.T) {
	for _, text := range []string{`NaN`, `{"a":Infinity}`, `{"a":`, `{"a":1}{`, "", " ", "\x00", `{"a":"` + "\xff" + `"}`} {
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "a"}, func(context.Context, *mcp.Call) (*mcp.Result, error) {
			return &mcp.Result{Structured: jsonrpc.Raw(text)}, nil
		})
		inForms(t, func(t *testing.T, f *mcp.Form) {
			same(t, fmt.Sprintf("%q", text), ask(t, s, bare(f.Revision), "tools/call", `{"name":"a"}`), "-32603 Internal error")
		})
	}
}
