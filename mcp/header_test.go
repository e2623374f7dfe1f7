package mcp_test

import (
	"context"
	"net/textproto"
	"reflect"
	"strings"
	"testing"

	"isthmus.internal/mcp"
)

// TestHeaderMarks: a schema whose x-mcp-header a client must refuse is refused when it
// is registered, written by hand or not (B146).
func TestHeaderMarks(t *testing.T) {
	properties := func(p string) string { return `{"type":"object","properties":{` + p + `}}` }
	tests := []struct{ name, schema, want string }{
		{"string", properties(`"a":{"type":"string","x-mcp-header":"Region"}`), ""},
		{"integer and boolean", properties(`"a":{"type":"integer","x-mcp-header":"A"},"b":{"type":"boolean","x-mcp-header":"B"}`), ""},
		{"all that a name may have", properties(`"a":{"x-mcp-header":"a0!#$%&'*+-.^_|~` + "`" + `","type":"string"}`), ""},
		{"inside", properties(`"a":{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"B"}}}`), ""},
		{"a property of that name", properties(`"x-mcp-header":{"type":"array","items":{}}`), ""},
		{"a value of that name", properties(`"a":{"default":{"x-mcp-header":"No Name"},"const":{"x-mcp-header":1},"examples":[{"x-mcp-header":1}]}`), ""},
		{"boolean schemas", properties(`"a":true,"b":{"items":false}`), ""},
		{"space in the name", properties(`"a":{"type":"string","x-mcp-header":"Bad Name"}`), `a: x-mcp-header is "Bad Name": it must be the name of a header`},
		{"empty name", properties(`"a":{"type":"string","x-mcp-header":""}`), `x-mcp-header is ""`},
		{"line end in the name", properties(`"a":{"type":"string","x-mcp-header":"A\r\nB"}`), `x-mcp-header is "A\r\nB"`},
		{"letter beyond ASCII", properties(`"a":{"type":"string","x-mcp-header":"É"}`), `x-mcp-header is "É"`},
		{"no string", properties(`"a":{"type":"string","x-mcp-header":true}`), `x-mcp-header is true`},
		{"escaped keyword", properties(`"a":{"type":"string","x-mcp-\u0068eader":"Bad Name"}`), `x-mcp-header is "Bad Name"`},
		{"number", properties(`"a":{"type":"number","x-mcp-header":"A"}`), `the type beside it must be "string", "integer" or "boolean"`},
		{"list", properties(`"a":{"type":"array","x-mcp-header":"A"}`), `the type beside it`},
		{"several types", properties(`"a":{"type":["string","null"],"x-mcp-header":"A"}`), `the type beside it`},
		{"no type", properties(`"a":{"enum":["x"],"x-mcp-header":"A"}`), `the type beside it`},
		{"the arguments", `{"type":"object","x-mcp-header":"A"}`, "not for the arguments as a whole"},
		{"twice", properties(`"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"object","properties":{"c":{"type":"string","x-mcp-header":"REGION"}}}`),
			`b: c: x-mcp-header "REGION" stands twice, letter case aside`},
		{"items", properties(`"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}`), "not for items, alternatives or a $ref"},
		{"items of draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"items":[{"type":"string","x-mcp-header":"A"}]}}}`, "not for items"},
		{"properties below items", properties(`"a":{"items":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}`), "not for items"},
		{"an alternative", `{"type":"object","oneOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`, "not for items, alternatives"},
		{"a condition", `{"type":"object","then":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}`, "not for items, alternatives"},
		{"a definition", `{"type":"object","$defs":{"T":{"type":"string","x-mcp-header":"A"}}}`, "T: x-mcp-header"},
		{"other members", properties(`"a":{"additionalProperties":{"type":"string","x-mcp-header":"A"}}`), "not for items"},
		{"by pattern", `{"type":"object","patternProperties":{"^a":{"type":"string","x-mcp-header":"A"}}}`, "not for items"},
	}
	for _, test := range tests {
		add := map[string]func(s *mcp.Server){
			"low level": func(s *mcp.Server) {
				s.AddTool(mcp.Tool{Name: "t", InputSchema: []byte(test.schema)}, answering(mcp.TextResult(""), nil))
			},
			"typed": telling[map[string]any](mcp.Tool{InputSchema: []byte(test.schema)}),
		}
		for how, add := range add {
			got := panicOf(func() { add(quiet(mcp.ServerOptions{})) })
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("%s, %s: %s\n got a panic with %q\nwant one with %q", test.name, how, test.schema, got, test.want)
			}
		}
	}
}

// Marks of inferred schemas are held to the same rules.
func TestHeaderTags(t *testing.T) {
	type inner struct {
		Flag bool `json:"flag" x-mcp-header:"Flag"`
	}
	tests := []struct {
		name string
		add  func(s *mcp.Server)
		want string
	}{
		{"good", telling[struct {
			Region string `x-mcp-header:"Region"`
			Opts   inner
		}](mcp.Tool{}), ""},
		{"bad name", telling[struct {
			Region string `x-mcp-header:"Bad Name"`
		}](mcp.Tool{}), "Region: x-mcp-header is \"Bad Name\""},
		{"in a list", telling[struct{ List []inner }](mcp.Tool{}), "not for items"},
		{"twice", telling[struct{ A, B inner }](mcp.Tool{}), "stands twice"},
	}
	for _, test := range tests {
		got := panicOf(func() { test.add(quiet(mcp.ServerOptions{})) })
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s\n got a panic with %q\nwant one with %q", test.name, got, test.want)
		}
	}
}

// TestHeaderParams: what a transport checks the headers of a call against.
func TestHeaderParams(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	add := func(name, schema string, visible func(*mcp.Principal) bool) {
		s.AddTool(mcp.Tool{Name: name, InputSchema: []byte(schema), Visible: visible}, answering(mcp.TextResult(""), nil))
	}
	add("plain", `{"type":"object","properties":{"a":{"type":"string"}}}`, nil)
	add("marked", `{"type":"object","properties":{
		"b":{"x-mcp-header":"REGION","type":"string"},
		"a":{"type":"object","properties":{"x":true,"in":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"a-b.c-1x"}}}}},
		"\u00e9":{"type":"boolean","x-mcp-header":"Flag"}}}`, nil)
	add("hidden", `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}`,
		func(p *mcp.Principal) bool { return p != nil && p.ID == "root" })
	mcp.AddTool(s, mcp.Tool{Name: "typed"}, func(context.Context, *mcp.Call, struct {
		Opts struct {
			Flag bool `json:"flag" x-mcp-header:"Flag"`
		} `json:"opts"`
	}) (string, error) {
		return "", nil
	})
	tests := []struct {
		tool string
		p    *mcp.Principal
		want []mcp.HeaderParam
	}{
		{"plain", nil, nil},
		{"none of that name", nil, nil},
		{"marked", nil, []mcp.HeaderParam{
			{Name: "Mcp-Param-Region", Path: []string{"b"}, Type: "string"},
			{Name: "Mcp-Param-A-B.c-1x", Path: []string{"a", "in", "n"}, Type: "integer"},
			{Name: "Mcp-Param-Flag", Path: []string{"é"}, Type: "boolean"},
		}},
		{"typed", nil, []mcp.HeaderParam{{Name: "Mcp-Param-Flag", Path: []string{"opts", "flag"}, Type: "boolean"}}},
		{"hidden", nil, nil},
		{"hidden", &mcp.Principal{ID: "root"}, []mcp.HeaderParam{{Name: "Mcp-Param-A", Path: []string{"a"}, Type: "string"}}},
	}
	for _, test := range tests {
		if got := s.HeaderParams([]byte(test.tool), test.p); !reflect.DeepEqual(got, test.want) {
			t.Errorf("HeaderParams(%q, %v)\n got %v\nwant %v", test.tool, test.p, got, test.want)
		}
	}
	s.RemoveTool("marked")
	if got := s.HeaderParams([]byte("marked"), nil); got != nil {
		t.Errorf("HeaderParams of a removed tool is %v, want none", got)
	}
}

// The names are in the form that net/http keeps headers in, whatever a token holds.
func TestHeaderParamsCanonical(t *testing.T) {
	for _, name := range []string{"a", "A", "region-ID", "-a", "a-", "--", "a_b", "0a-0a", "!#$%&'*+-.^_`|~z"} {
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "t", InputSchema: []byte(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"` + name + `"}}}`)},
			answering(mcp.TextResult(""), nil))
		got, want := s.HeaderParams([]byte("t"), nil)[0].Name, textproto.CanonicalMIMEHeaderKey("mcp-param-"+name)
		if got != want {
			t.Errorf("x-mcp-header %q: header %q, want %q", name, got, want)
		}
	}
}
