package mcp_test

import (
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// TestBooleanSchemas: up to 2025-11-25 each property is described by an object, so true
// and false go out as the objects that mean the same.
func TestBooleanSchemas(t *testing.T) {
	tests := []struct{ name, schema, plain string }{
		{"none", `{"type":"object","properties":{"a":{"type":"string"}},"x":true}`, `{"type":"object","properties":{"a":{"type":"string"}},"x":true}`},
		{"true", `{"type":"object","properties":{"a":true}}`, `{"type":"object","properties":{"a":{}}}`},
		{"false", `{"type":"object","properties":{"a":false,"b":{}}}`, `{"type":"object","properties":{"a":{"not":{}},"b":{}}}`},
		{"around it all stays", `{"$schema":"s","properties":{"z":true,"a":{"enum":[true,1.0]},"\"":{}},"required":["z"],"type":"object","title":"\u00e9"}`,
			`{"$schema":"s","properties":{"z":{},"a":{"enum":[true,1.0]},"\"":{}},"required":["z"],"type":"object","title":"\u00e9"}`},
		{"deep inside they may stand", `{"type":"object","properties":{"a":{"properties":{"b":true},"additionalProperties":false}}}`,
			`{"type":"object","properties":{"a":{"properties":{"b":true},"additionalProperties":false}}}`},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(test.schema), OutputSchema: jsonrpc.Raw(test.schema)}, done)
		inForms(t, func(t *testing.T, f *mcp.Form) {
			schema := test.plain
			if f.Revision == "2026-07-28" {
				schema = test.schema
			}
			want := `{"tools":[{"name":"a","inputSchema":` + schema + `}]}`
			if f.StructuredObject {
				want = `{"tools":[{"name":"a","inputSchema":` + schema + `,"outputSchema":` + schema + `}]}`
			}
			same(t, test.name, ask(t, s, bare(f.Revision), "tools/list", `{}`), want)
		})
	}
}

// TestMetaNames is which names a member of _meta may have (2026-07-28 basic/index,
// _meta, Key name format).
func TestMetaNames(t *testing.T) {
	tests := []struct {
		name string
		good bool
	}{
		{"a", true}, {"A9", true}, {"9", true}, {"a-b_c.d", true}, {"com.example/a", true}, {"com.example/", true}, {"a/b", true}, {"a1-b.c2/x", true},
		{"", false}, {"-a", false}, {"a-", false}, {".a", false}, {"a.", false}, {"_a", false}, {"a b", false}, {"é", false}, {"a\"", false}, {"a:b", false},
		{"/a", false}, {"1a/b", false}, {"a-/b", false}, {"-a/b", false}, {"a..b/c", false}, {".a/b", false}, {"a./b", false}, {"a_b/c", false}, {"a/b/c", false}, {"a/-", false},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "a"}, answering(&mcp.Result{Meta: mcp.Meta{test.name: jsonrpc.Raw(`1`)}}, nil))
		want := "-32603 Internal error"
		if test.good {
			want = `{"content":[],"_meta":{"` + test.name + `":1}}`
		}
		inForms(t, func(t *testing.T, f *mcp.Form) {
			same(t, "_meta with "+test.name, ask(t, s, bare(f.Revision), "tools/call", `{"name":"a"}`), want)
		})
	}
}

// TestCodes: what a handler's error code becomes where a revision keeps it for itself
// (2026-07-28 basic/index, Error Codes).
func TestCodes(t *testing.T) {
	const hidden = "-32603 Internal error"
	tests := []struct {
		code jsonrpc.Code
		want since
	}{
		{-32602, since{{"", "-32602 m {}"}}},
		{-32603, since{{"", "-32603 m {}"}}},
		{1, since{{"", "1 m {}"}}},
		{-32000, since{{"", "-32000 m {}"}}},
		{-32019, since{{"", "-32019 m {}"}}},
		{-32100, since{{"", "-32100 m {}"}}},
		{-32002, since{{"", "-32002 m {}"}, {"2026-07-28", "-32602 m {}"}}},
		{-32042, since{{"", "-32042 m {}"}, {"2026-07-28", hidden}}},
		{-32020, since{{"", "-32020 m {}"}, {"2026-07-28", hidden}}},
		{-32021, since{{"", "-32021 m {}"}, {"2026-07-28", hidden}}}, // whose data has to have requiredCapabilities
		{-32022, since{{"", "-32022 m {}"}, {"2026-07-28", hidden}}},
		{-32099, since{{"", "-32099 m {}"}, {"2026-07-28", hidden}}},
		{0, since{{"", hidden}}},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		e := &jsonrpc.Error{Code: test.code, Message: "m", Data: jsonrpc.Raw(`{}`)}
		s.AddTool(mcp.Tool{Name: "a"}, answering(nil, e))
		s.AddResource(mcp.Resource{URI: "a:b", Name: "n"}, holding(e))
		inForms(t, func(t *testing.T, f *mcp.Form) {
			same(t, "tool", ask(t, s, f, "tools/call", `{"name":"a"}`), test.want.at(f.Revision))
			same(t, "resource", ask(t, s, f, "resources/read", `{"uri":"a:b"}`), test.want.at(f.Revision))
		})
		if e.Code != test.code {
			t.Errorf("the handler's own error was changed from %d to %d", test.code, e.Code)
		}
	}
}

// TestCodesWithData: a code that the specification defines goes out with the data that
// it defines for it, and not without (2026-07-28 basic/index, Error Codes).
func TestCodesWithData(t *testing.T) {
	const hidden = "-32603 Internal error"
	tests := []struct{ name, data, want string }{
		{"what is required", `{"requiredCapabilities":{"roots":{}}}`, `-32021 m {"requiredCapabilities":{"roots":{}}}`},
		{"no data", ``, hidden},
		{"another member", `{"capabilities":{}}`, hidden},
		{"no object", `{"requiredCapabilities":["roots"]}`, hidden},
		{"twice", `{"requiredCapabilities":{},"requiredCapabilities":{}}`, hidden},
		{"a list", `[]`, hidden},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		e := &jsonrpc.Error{Code: -32021, Message: "m"}
		if test.data != "" {
			e.Data = jsonrpc.Raw(test.data)
		}
		s.AddTool(mcp.Tool{Name: "a"}, answering(nil, e))
		same(t, test.name, ask(t, s, form("2026-07-28"), "tools/call", `{"name":"a"}`), test.want)
	}
}
