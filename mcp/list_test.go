package mcp_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

func pointer[T any](v T) *T { return &v }

// full is a server whose definitions say all that can be said.
func full() *mcp.Server {
	icons := []mcp.Icon{
		{Src: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48", "any"}, Theme: "dark"},
		{Src: "data:,"},
	}
	annotations := &mcp.Annotations{
		Audience: []string{"user", "assistant"}, Priority: pointer(0.25),
		LastModified: time.Date(2025, 1, 12, 17, 0, 58, 999, time.FixedZone("", 7200)),
	}
	meta := mcp.Meta{"b.example/x": jsonrpc.Raw(`[ 1 ]`), "a": jsonrpc.Raw(`null`)}
	s := mcp.NewServer("full", "1.0", &mcp.ServerOptions{Title: "Full", Description: "All of it.",
		WebsiteURL: "https://example.com", Icons: icons[:1], Cache: mcp.CacheHint{TTL: 1500 * time.Microsecond, Public: true},
		Experimental: map[string]jsonrpc.Raw{"z": jsonrpc.Raw(`{ }`), "y": jsonrpc.Raw(`{"a":1}`)},
		Extensions:   map[string]jsonrpc.Raw{"com.example/e": jsonrpc.Raw(`{}`)}})
	s.AddTool(mcp.Tool{Name: "t", Title: "T", Description: "Does.", Icons: icons, Meta: meta,
		InputSchema:  jsonrpc.Raw(`{"type":"object"}`),
		OutputSchema: jsonrpc.Raw(`{"type":"object","properties":{}}`),
		Annotations: &mcp.ToolAnnotations{Title: "TA", ReadOnlyHint: pointer(false), DestructiveHint: pointer(true),
			IdempotentHint: pointer(false), OpenWorldHint: pointer(true)}}, done)
	s.AddTool(mcp.Tool{Name: "any", OutputSchema: jsonrpc.Raw(`{"type":"array"}`)}, done)
	read := holding(nil, &mcp.TextResource{URI: "a:b", Text: "x"})
	s.AddResource(mcp.Resource{URI: "a:b", Name: "r", Title: "R", Description: "Is.", MIMEType: "text/plain",
		Size: pointer(int64(0)), Annotations: annotations, Icons: icons[1:], Meta: meta}, read)
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "p", Title: "P", Description: "Are.",
		MIMEType: "text/plain", Annotations: annotations, Icons: icons[1:], Meta: meta}, read)
	return s
}

// The parts of full's definitions that only some revisions have.
const (
	fullIcon   = `{"src":"https://example.com/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}`
	fullIcons  = `,"icons":[` + fullIcon + `,{"src":"data:,"}]`
	shortIcons = `,"icons":[{"src":"data:,"}]`
	fullMeta   = `,"_meta":{"a":null,"b.example/x":[1]}`
	toolHints  = `,"annotations":{"title":"TA","readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`
	objectOut  = `,"outputSchema":{"type":"object","properties":{}}`
	oldHints   = `,"annotations":{"audience":["user","assistant"],"priority":0.25}`
	newHints   = `,"annotations":{"audience":["user","assistant"],"priority":0.25,"lastModified":"2025-01-12T15:00:58Z"}`
	fullAround = `"ttlMs":1,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"full","title":"Full","version":"1.0",` +
		`"description":"All of it.","websiteUrl":"https://example.com","icons":[` + fullIcon + `]}}}`
)

func TestLists(t *testing.T) {
	const (
		tool     = `{"name":"t",`
		schema   = `"description":"Does.","inputSchema":{"type":"object"}`
		plain    = `,{"name":"any","inputSchema":{"type":"object"}`
		resource = `{"uri":"a:b","name":"r",`
		template = `{"uriTemplate":"a:{x}","name":"p",`
		is       = `"description":"Is.","mimeType":"text/plain"`
		are      = `"description":"Are.","mimeType":"text/plain"`
	)
	tests := []struct{ revision, tools, resources, templates string }{
		{"2024-11-05",
			tool + schema + `}` + plain + `}`,
			resource + is + oldHints + `,"size":0}`,
			template + are + oldHints + `}`},
		{"2025-03-26",
			tool + schema + toolHints + `}` + plain + `}`,
			resource + is + oldHints + `,"size":0}`,
			template + are + oldHints + `}`},
		{"2025-06-18",
			tool + `"title":"T",` + schema + objectOut + toolHints + fullMeta + `}` + plain + `}`,
			resource + `"title":"R",` + is + newHints + `,"size":0` + fullMeta + `}`,
			template + `"title":"P",` + are + newHints + fullMeta + `}`},
		{"2025-11-25",
			tool + `"title":"T",` + schema + objectOut + toolHints + fullIcons + fullMeta + `}` + plain + `}`,
			resource + `"title":"R",` + is + newHints + `,"size":0` + shortIcons + fullMeta + `}`,
			template + `"title":"P",` + are + newHints + shortIcons + fullMeta + `}`},
		{"2026-07-28",
			tool + `"title":"T",` + schema + objectOut + toolHints + fullIcons + fullMeta + `}` + plain + `,"outputSchema":{"type":"array"}}`,
			resource + `"title":"R",` + is + newHints + `,"size":0` + shortIcons + fullMeta + `}`,
			template + `"title":"P",` + are + newHints + shortIcons + fullMeta + `}`},
	}
	s := full()
	for _, test := range tests {
		f := form(test.revision)
		before, after := `{`, `}`
		if f.ResultType {
			before, after = `{"resultType":"complete",`, `,`+fullAround
		}
		for range 2 { // the second comes from the bytes that were kept
			same(t, test.revision+" tools", ask(t, s, f, "tools/list", `{}`), before+`"tools":[`+test.tools+`]`+after)
			same(t, test.revision+" resources", ask(t, s, f, "resources/list", `{}`), before+`"resources":[`+test.resources+`]`+after)
			same(t, test.revision+" templates", ask(t, s, f, "resources/templates/list", `{}`), before+`"resourceTemplates":[`+test.templates+`]`+after)
		}
	}
}

// TestToolAnnotationStates shows that each hint has three states and that no hint
// at all is not an empty object.
func TestToolAnnotationStates(t *testing.T) {
	yes, no := pointer(true), pointer(false)
	tests := []struct {
		name string
		a    *mcp.ToolAnnotations
		want string
	}{
		{"none", nil, ``},
		{"empty", &mcp.ToolAnnotations{}, `,"annotations":{}`},
		{"read only", &mcp.ToolAnnotations{ReadOnlyHint: yes}, `,"annotations":{"readOnlyHint":true}`},
		{"not read only", &mcp.ToolAnnotations{ReadOnlyHint: no}, `,"annotations":{"readOnlyHint":false}`},
		{"destructive", &mcp.ToolAnnotations{DestructiveHint: yes}, `,"annotations":{"destructiveHint":true}`},
		{"not destructive", &mcp.ToolAnnotations{DestructiveHint: no}, `,"annotations":{"destructiveHint":false}`},
		{"idempotent", &mcp.ToolAnnotations{IdempotentHint: yes}, `,"annotations":{"idempotentHint":true}`},
		{"not idempotent", &mcp.ToolAnnotations{IdempotentHint: no}, `,"annotations":{"idempotentHint":false}`},
		{"open world", &mcp.ToolAnnotations{OpenWorldHint: yes}, `,"annotations":{"openWorldHint":true}`},
		{"closed world", &mcp.ToolAnnotations{OpenWorldHint: no}, `,"annotations":{"openWorldHint":false}`},
		{"title alone", &mcp.ToolAnnotations{Title: "x"}, `,"annotations":{"title":"x"}`},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "a", Annotations: test.a}, done)
		same(t, test.name, ask(t, s, form("2025-03-26"), "tools/list", `{}`),
			`{"tools":[{"name":"a","inputSchema":{"type":"object"}`+test.want+`}]}`)
	}
}

func TestListOrder(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	read := holding(nil, &mcp.TextResource{URI: "a:b"})
	want := [3]string{}
	for i, name := range []string{"m", "a", "z", "Z", "0", "b10", "b9"} {
		s.AddTool(mcp.Tool{Name: name}, done)
		s.AddResource(mcp.Resource{URI: "r:" + name, Name: name}, read)
		s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "t:" + name + "/{x}", Name: name}, read)
		comma := ","
		if i == 0 {
			comma = ""
		}
		want[0] += comma + `{"name":"` + name + `","inputSchema":{"type":"object"}}`
		want[1] += comma + `{"uri":"r:` + name + `","name":"` + name + `"}`
		want[2] += comma + `{"uriTemplate":"t:` + name + `/{x}","name":"` + name + `"}`
		// A change is seen by the next list, in every form that was listed before.
		inForms(t, func(t *testing.T, f *mcp.Form) {
			f = bare(f.Revision)
			same(t, "tools", ask(t, s, f, "tools/list", `{}`), `{"tools":[`+want[0]+`]}`)
			same(t, "resources", ask(t, s, f, "resources/list", `{}`), `{"resources":[`+want[1]+`]}`)
			same(t, "templates", ask(t, s, f, "resources/templates/list", `{}`), `{"resourceTemplates":[`+want[2]+`]}`)
		})
	}
}

// TestListBytesKept shows that a list is encoded once a form: a list of 500 tools
// takes no more allocations than one of a single tool.
func TestListBytesKept(t *testing.T) {
	scanner := jsonrpc.Scanner{Inner: []string{"_meta", "arguments"}}
	var m jsonrpc.Message
	if e := scanner.Scan([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), &m); e != nil {
		t.Fatal(e)
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		cost := func(tools int) float64 {
			s := quiet(mcp.ServerOptions{})
			for i := range tools {
				s.AddTool(mcp.Tool{Name: fmt.Sprint("tool", i)}, done)
			}
			dst := make([]byte, 0, 1<<20)
			return testing.AllocsPerRun(100, func() {
				if _, err := s.Answer(context.Background(), &mcp.Request{Message: &m, Form: f}, dst); err != nil {
					t.Fatal(err)
				}
			})
		}
		if one, many := cost(1), cost(500); many > one+1 {
			t.Errorf("a list of 1 tool allocates %v times, a list of 500 tools %v times", one, many)
		}
	})
}

// Cursors are never given out, so none is taken: in no case does a bad one give the
// first page again.
func TestCursors(t *testing.T) {
	const foreign = "-32602 params.cursor is not one that this server gave out"
	const wrong = "-32602 params.cursor must be a string"
	tests := []struct{ name, params, want string }{
		{"garbage", `{"cursor":"garbage"}`, foreign},
		{"empty", `{"cursor":""}`, foreign},
		{"escaped", `{"\u0063ursor":"x"}`, foreign},
		{"number", `{"cursor":7}`, wrong},
		{"null", `{"cursor":null}`, wrong},
		{"object", `{"cursor":{}}`, wrong},
		{"array", `{"cursor":["x"]}`, wrong},
		{"truth value", `{"cursor":false}`, wrong},
	}
	s := full()
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, list := range []string{"tools/list", "resources/list", "resources/templates/list"} {
			for _, test := range tests {
				same(t, list+" "+test.name, ask(t, s, f, list, test.params), test.want)
			}
			same(t, list+" with Cursor, which is another name", ask(t, s, f, list, `{"Cursor":"x"}`), ask(t, s, f, list, `{}`))
		}
	})
}

func TestEmptyLists(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	f := bare("2026-07-28")
	same(t, "no tools", ask(t, s, f, "tools/list", `{}`), "-32601 Method not found: tools/list")
	same(t, "no resources", ask(t, s, f, "resources/list", `{}`), "-32601 Method not found: resources/list")
	s.AddResource(mcp.Resource{URI: "a:b", Name: "n"}, holding(nil))
	same(t, "templates beside a resource", ask(t, s, f, "resources/templates/list", `{}`), `{"resourceTemplates":[]}`)
	s = quiet(mcp.ServerOptions{})
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "a:{b}", Name: "n"}, holding(nil))
	same(t, "resources beside a template", ask(t, s, f, "resources/list", `{}`), `{"resources":[]}`)
}
