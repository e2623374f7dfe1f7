package mcp_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

var done = answering(mcp.TextResult("done"), nil)

func TestAddToolPanics(t *testing.T) {
	meta := mcp.Meta{"a": jsonrpc.Raw(`{`)}
	tests := []struct {
		name    string
		tool    mcp.Tool
		handler mcp.ToolHandler
		want    []string
	}{
		{"no name", mcp.Tool{}, done, []string{`mcp: tool ""`, "1 to 128"}},
		{"space in the name", mcp.Tool{Name: "two words"}, done, []string{`mcp: tool "two words"`, "A-Z a-z 0-9 _ - ."}},
		{"name beyond ASCII", mcp.Tool{Name: "größe"}, done, []string{`mcp: tool "größe"`, "A-Z a-z 0-9 _ - ."}},
		{"slash in the name", mcp.Tool{Name: "a/b"}, done, []string{`mcp: tool "a/b"`}},
		{"name of 129", mcp.Tool{Name: strings.Repeat("n", 129)}, done, []string{strings.Repeat("n", 129), "1 to 128"}},
		{"no handler", mcp.Tool{Name: "a"}, nil, []string{`mcp: tool "a"`, "no handler"}},
		{"input schema true", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`true`)}, done, []string{`mcp: tool "a"`, "input schema: it must be a JSON object"}},
		{"input schema null", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`null`)}, done, []string{`mcp: tool "a"`, "input schema: it must be a JSON object"}},
		{"input schema empty but not nil", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw{}}, done, []string{`mcp: tool "a"`, "input schema: it must be a JSON object"}},
		{"input schema without type", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{}`)}, done, []string{`mcp: tool "a"`, `input schema: its type must be "object"`}},
		{"input schema of another type", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{"type":"string"}`)}, done, []string{`mcp: tool "a"`, `input schema: its type must be "object"`}},
		{"input schema with a list of types", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{"type":["object"]}`)}, done, []string{`mcp: tool "a"`, `input schema: its type must be "object"`}},
		{"input schema with Type", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{"Type":"object"}`)}, done, []string{`mcp: tool "a"`, `input schema: its type must be "object"`}},
		{"input schema with type twice", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{"type":"object","type":"object"}`)}, done, []string{`mcp: tool "a"`}},
		{"input schema cut off", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{"type":"object"`)}, done, []string{`mcp: tool "a"`}},
		{"text behind the input schema", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{"type":"object"}}`)}, done, []string{`mcp: tool "a"`}},
		{"input schema broken deep inside", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{"type":"object","x":{"y":[1,]}}`)}, done, []string{`mcp: tool "a"`}},
		{"properties that are an array", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{"type":"object","properties":[]}`)}, done, []string{`mcp: tool "a"`, "input schema: properties must be an object"}},
		{"properties that are null", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{"type":"object","properties":null}`)}, done, []string{`mcp: tool "a"`, "input schema: properties must be an object"}},
		{"a property twice", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{"type":"object","properties":{"x":{},"x":{}}}`)}, done, []string{`mcp: tool "a"`, "without duplicate members"}},
		{"a property that is no schema", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{"type":"object","properties":{"x":"string"}}`)}, done, []string{`mcp: tool "a"`, "properties.x must be a schema"}},
		{"B104 required is null", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{"type":"object","required":null}`)}, done, []string{`mcp: tool "a"`, "required must be an array"}},
		{"required is true", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{"type":"object","required":true}`)}, done, []string{`mcp: tool "a"`, "required must be an array"}},
		{"required with a number", mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`{"type":"object","required":["x",1]}`)}, done, []string{`mcp: tool "a"`, "required must list names"}},
		{"output schema with bad properties", mcp.Tool{Name: "a", OutputSchema: jsonrpc.Raw(`{"properties":7}`)}, done, []string{`mcp: tool "a"`, "output schema: properties must be an object"}},
		{"name of _meta that is none", mcp.Tool{Name: "a", Meta: mcp.Meta{"a b": jsonrpc.Raw(`1`)}}, done, []string{`mcp: tool "a"`, `_meta has the name "a b"`}},
		{"output schema true", mcp.Tool{Name: "a", OutputSchema: jsonrpc.Raw(`true`)}, done, []string{`mcp: tool "a"`, "output schema"}},
		{"output schema cut off", mcp.Tool{Name: "a", OutputSchema: jsonrpc.Raw(`{"type":`)}, done, []string{`mcp: tool "a"`, "output schema"}},
		{"meta that is not JSON", mcp.Tool{Name: "a", Meta: meta}, done, []string{`mcp: tool "a"`, "not a JSON value"}},
		{"icon from a file", mcp.Tool{Name: "a", Icons: []mcp.Icon{{Src: "file:///a.png"}}}, done, []string{`mcp: tool "a"`, "http, https or data"}},
		{"icon that is a script", mcp.Tool{Name: "a", Icons: []mcp.Icon{{Src: "javascript:x"}}}, done, []string{`mcp: tool "a"`, "http, https or data"}},
		{"icon with spaces", mcp.Tool{Name: "a", Icons: []mcp.Icon{{Src: "data:image/svg+xml,<svg />"}}}, done, []string{`mcp: tool "a"`, "percent-encoded"}},
		{"theme that icons do not have", mcp.Tool{Name: "a", Icons: []mcp.Icon{{Src: "https://a", Theme: "Dark"}}}, done, []string{`mcp: tool "a"`, "theme"}},
		{"icon without a source", mcp.Tool{Name: "a", Icons: []mcp.Icon{{}}}, done, []string{`mcp: tool "a"`, "src"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := quiet(mcp.ServerOptions{})
			said := panicOf(func() { s.AddTool(test.tool, test.handler) })
			for _, want := range test.want {
				if !strings.Contains(said, want) {
					t.Errorf("AddTool(%+v) panicked with %q, want it to say %q", test.tool, said, want)
				}
			}
			// Nothing is half registered, and the registry is not left locked.
			s.AddTool(mcp.Tool{Name: "next"}, done)
			same(t, "tools/list afterwards", ask(t, s, form("2024-11-05"), "tools/list", `{}`),
				`{"tools":[{"name":"next","inputSchema":{"type":"object"}}]}`)
		})
	}
}

func TestAddToolTakes(t *testing.T) {
	tests := []struct{ name, tool, schema, listed string }{
		{"one letter", "a", ``, `{"type":"object"}`},
		{"128 letters", strings.Repeat("n", 128), ``, `{"type":"object"}`},
		{"all kinds of characters", "AZaz09_-.", ``, `{"type":"object"}`},
		{"space in the schema goes", "a", " {\n\t\"type\" : \"object\" ,\r\n \"title\": \"a  b\" } ", `{"type":"object","title":"a  b"}`},
		{"digits and order stay", "a", `{"z":1.0,"type":"object","a":9007199254740993,"b":-0,"c":1E+2}`, `{"z":1.0,"type":"object","a":9007199254740993,"b":-0,"c":1E+2}`},
		{"type by an escape", "a", `{"\u0074ype":"\u006fbject"}`, `{"\u0074ype":"\u006fbject"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := quiet(mcp.ServerOptions{})
			tool := mcp.Tool{Name: test.tool}
			if test.schema != "" {
				tool.InputSchema = jsonrpc.Raw(test.schema)
			}
			s.AddTool(tool, done)
			same(t, "tools/list", ask(t, s, form("2024-11-05"), "tools/list", `{}`),
				`{"tools":[{"name":"`+test.tool+`","inputSchema":`+test.listed+`}]}`)
		})
	}
}

func TestNameTwice(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	read := holding(nil, &mcp.TextResource{URI: "a:b"})
	adds := []struct {
		name string
		add  func()
		want string
	}{
		{"tool", func() { s.AddTool(mcp.Tool{Name: "a"}, done) }, `mcp: tool "a" is registered already`},
		{"resource", func() { s.AddResource(mcp.Resource{URI: "a:b", Name: "n"}, read) }, `mcp: resource "a:b" is registered already`},
		{"template", func() { s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "a:{b}", Name: "n"}, read) },
			`mcp: resource template "a:{b}" is registered already`},
	}
	for _, a := range adds {
		same(t, a.name+", first", panicOf(a.add), "")
		same(t, a.name+", second", panicOf(a.add), a.want)
	}
	s.AddTool(mcp.Tool{Name: "A"}, done) // names differ by case
	s.AddResource(mcp.Resource{URI: "a:B", Name: "n"}, read)
}

func TestAddResourcePanics(t *testing.T) {
	read := holding(nil, &mcp.TextResource{URI: "a:b"})
	number := func(f float64) *float64 { return &f }
	tests := []struct {
		name     string
		resource mcp.Resource
		handler  mcp.ResourceHandler
		want     string
	}{
		{"no uri", mcp.Resource{Name: "n"}, read, `mcp: resource "": the uri must begin with a scheme`},
		{"no scheme", mcp.Resource{URI: "all", Name: "n"}, read, `mcp: resource "all": the uri must begin with a scheme`},
		{"empty scheme", mcp.Resource{URI: "://all", Name: "n"}, read, `mcp: resource "://all": the uri must begin with a scheme`},
		{"scheme begins with a digit", mcp.Resource{URI: "1a:b", Name: "n"}, read, `mcp: resource "1a:b": the uri must begin with a scheme`},
		{"scheme with a slash", mcp.Resource{URI: "a/b:c", Name: "n"}, read, `mcp: resource "a/b:c": the uri must begin with a scheme`},
		{"space in the uri", mcp.Resource{URI: "a:b c", Name: "n"}, read, `mcp: resource "a:b c": the uri has a character that must be percent-encoded`},
		{"braces in the uri", mcp.Resource{URI: "a:{x}", Name: "n"}, read, `mcp: resource "a:{x}": the uri has a character that must be percent-encoded`},
		{"letter beyond ASCII in the uri", mcp.Resource{URI: "a:é", Name: "n"}, read, `mcp: resource "a:é": the uri has a character that must be percent-encoded`},
		{"bad encoding in the uri", mcp.Resource{URI: "a:%zz", Name: "n"}, read, `mcp: resource "a:%zz": the uri has a % without two`},
		{"half an encoding in the uri", mcp.Resource{URI: "a:%2", Name: "n"}, read, `mcp: resource "a:%2": the uri has a % without two`},
		{"no name", mcp.Resource{URI: "a:b"}, read, `mcp: resource "a:b": a resource must have a name`},
		{"no handler", mcp.Resource{URI: "a:b", Name: "n"}, nil, `mcp: resource "a:b": no handler`},
		{"meta that is not JSON", mcp.Resource{URI: "a:b", Name: "n", Meta: mcp.Meta{"k": jsonrpc.Raw(`nul`)}}, read, `mcp: resource "a:b": jsonrpc: not a JSON value`},
		{"size below nothing", mcp.Resource{URI: "a:b", Name: "n", Size: func() *int64 { n := int64(-1); return &n }()}, read, `mcp: resource "a:b": the size`},
		{"priority that is no number", mcp.Resource{URI: "a:b", Name: "n", Annotations: &mcp.Annotations{Priority: number(math.NaN())}}, read, `mcp: resource "a:b": the priority`},
		{"priority above 1", mcp.Resource{URI: "a:b", Name: "n", Annotations: &mcp.Annotations{Priority: number(1.5)}}, read, `mcp: resource "a:b": the priority`},
		{"audience that is no role", mcp.Resource{URI: "a:b", Name: "n", Annotations: &mcp.Annotations{Audience: []string{"User"}}}, read, `mcp: resource "a:b": the audience`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := quiet(mcp.ServerOptions{})
			said := panicOf(func() { s.AddResource(test.resource, test.handler) })
			if !strings.HasPrefix(said, test.want) {
				t.Errorf("AddResource(%+v)\n panicked with %q\nwant it to begin %q", test.resource, said, test.want)
			}
		})
	}
	for _, uri := range []string{"a:", "a+b-c.1:x", "FILE:///x", "urn:isbn:0", "a:%C3%A9", "a://[::1]:8/b;c=d?e=f&g=$#h", "a:%2f"} {
		s := quiet(mcp.ServerOptions{})
		same(t, uri, panicOf(func() { s.AddResource(mcp.Resource{URI: uri, Name: "n"}, read) }), "")
	}
}

func TestNewServerPanics(t *testing.T) {
	tests := []struct {
		name, server string
		options      mcp.ServerOptions
		want         string
	}{
		{"no name", "", mcp.ServerOptions{}, "mcp: NewServer: the name is empty"},
		{"experimental that is no object", "s", mcp.ServerOptions{Experimental: map[string]jsonrpc.Raw{"x": jsonrpc.Raw(`true`)}},
			`mcp: NewServer: the settings of capability "x" must be a JSON object`},
		{"extension that is nil", "s", mcp.ServerOptions{Extensions: map[string]jsonrpc.Raw{"a/b": nil}},
			`mcp: NewServer: the settings of capability "a/b" must be a JSON object`},
		{"extension that is broken inside", "s", mcp.ServerOptions{Extensions: map[string]jsonrpc.Raw{"a/b": jsonrpc.Raw(`{"x":[}`)}},
			`mcp: NewServer: the settings of capability "a/b" must be a JSON object`},
		{"extension without a prefix", "s", mcp.ServerOptions{Extensions: map[string]jsonrpc.Raw{"x": jsonrpc.Raw(`{}`)}},
			`mcp: NewServer: extension "x" must have a name with a prefix`},
		{"extension with a bad prefix", "s", mcp.ServerOptions{Extensions: map[string]jsonrpc.Raw{"1a/x": jsonrpc.Raw(`{}`)}},
			`mcp: NewServer: extension "1a/x" must have a name with a prefix`},
		{"website without a scheme", "s", mcp.ServerOptions{WebsiteURL: "example.com"}, `mcp: NewServer: the URI "example.com" of a website: the uri must begin with a scheme, as in "notes://all"`},
		{"theme that icons do not have", "s", mcp.ServerOptions{Icons: []mcp.Icon{{Src: "https://a", Theme: "blue"}}},
			`mcp: NewServer: the theme`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			said := panicOf(func() { mcp.NewServer(test.server, "1", &test.options) })
			if !strings.HasPrefix(said, test.want) {
				t.Errorf("NewServer(%q, %+v)\n panicked with %q\nwant it to begin %q", test.server, test.options, said, test.want)
			}
		})
	}
}

// TestRegisterWhileServing adds tools beside requests: each list is whole, and
// holds a beginning of what is registered in the end.
func TestRegisterWhileServing(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	s.AddTool(mcp.Tool{Name: "t"}, done)
	var work sync.WaitGroup
	names := []string{"t"}
	for i := range 20 {
		names = append(names, "t"+strings.Repeat("x", i+1))
	}
	work.Go(func() {
		for _, name := range names[1:] {
			s.AddTool(mcp.Tool{Name: name}, done)
		}
	})
	lists := make([][]string, 4)
	for i := range lists {
		work.Go(func() {
			for range 50 {
				lists[i] = append(lists[i], ask(t, s, forms[i], "tools/list", `{}`))
			}
		})
	}
	work.Wait()
	whole := ask(t, s, forms[0], "tools/list", `{}`)
	for _, list := range lists {
		for _, got := range list {
			if begin := strings.TrimSuffix(got, `]}`); !strings.HasPrefix(whole, begin) {
				t.Fatalf("a list while tools were added\n got %s\nwant a beginning of %s", got, whole)
			}
		}
	}
	for _, name := range names {
		if !strings.Contains(whole, `"name":"`+name+`"`) {
			t.Errorf("tool %s is not in the list: %s", name, whole)
		}
	}
}
