package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// shelf is a server with one resource for each way in which reading can go.
func shelf(o mcp.ServerOptions) *mcp.Server {
	s := quiet(o)
	for name, h := range map[string]mcp.ResourceHandler{
		"text":      holding(nil, &mcp.TextResource{URI: "a:text", MIMEType: "text/plain", Text: "x"}),
		"emptytext": holding(nil, &mcp.TextResource{URI: "a:emptytext"}),
		"blob":      holding(nil, &mcp.BlobResource{URI: "a:blob", MIMEType: "image/png", Blob: []byte{0xff}}),
		"emptyblob": holding(nil, &mcp.BlobResource{URI: "a:emptyblob"}),
		"two": holding(nil, &mcp.TextResource{URI: "a:1", Text: "1", Meta: mcp.Meta{"k": jsonrpc.Raw(`1`)}},
			&mcp.BlobResource{URI: "a:2", Blob: []byte("2"), Meta: mcp.Meta{"k": jsonrpc.Raw(`2`)}}),
		"none":     holding(nil),
		"gone":     holding(fmt.Errorf("looking: %w", mcp.ErrResourceNotFound)),
		"fault":    holding(errors.New("open /secret/file: permission denied")),
		"protocol": holding(fmt.Errorf("wrapped: %w", jsonrpc.Errorf(-32602, "not today"))),
		"nilblock": holding(nil, nil),
		"panic":    func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) { panic("wild") },
		"nouri":    holding(nil, &mcp.TextResource{Text: "x"}),
		"baduri":   holding(nil, &mcp.BlobResource{URI: "a:b c"}),
		"badmeta":  holding(nil, &mcp.TextResource{URI: "a:b", Meta: mcp.Meta{"k": jsonrpc.Raw(`}`)}}),
	} {
		s.AddResource(mcp.Resource{URI: "a:" + name, Name: name}, h)
	}
	return s
}

func TestRead(t *testing.T) {
	const unknown, fault = "Unknown resource: ", "-32603 Internal error"
	tests := []struct {
		uri  string
		want since
	}{
		{"a:text", since{{"", `{"contents":[{"uri":"a:text","mimeType":"text/plain","text":"x"}]}`}}},
		{"a:emptytext", since{{"", `{"contents":[{"uri":"a:emptytext","text":""}]}`}}},
		{"a:blob", since{{"", `{"contents":[{"uri":"a:blob","mimeType":"image/png","blob":"/w=="}]}`}}},
		{"a:emptyblob", since{{"", `{"contents":[{"uri":"a:emptyblob","blob":""}]}`}}},
		{"a:two", since{
			{"", `{"contents":[{"uri":"a:1","text":"1"},{"uri":"a:2","blob":"Mg=="}]}`},
			{"2025-06-18", `{"contents":[{"uri":"a:1","text":"1","_meta":{"k":1}},{"uri":"a:2","blob":"Mg==","_meta":{"k":2}}]}`}}},
		{"a:none", since{{"", fault}}},
		{"a:gone", since{{"", `-32002 ` + unknown + `a:gone {"uri":"a:gone"}`}, {"2026-07-28", `-32602 ` + unknown + `a:gone {"uri":"a:gone"}`}}},
		{"a:fault", since{{"", fault}}},
		{"a:protocol", since{{"", "-32602 not today"}}},
		{"a:nilblock", since{{"", fault}}},
		{"a:panic", since{{"", fault}}},
		{"a:nouri", since{{"", `{"contents":[{"uri":"a:nouri","text":"x"}]}`}}},
		{"a:baduri", since{{"", fault}}},
		{"a:badmeta", since{{"", `{"contents":[{"uri":"a:b","text":""}]}`}, {"2025-06-18", fault}}},
		{"a:nope", since{{"", `-32002 ` + unknown + `a:nope {"uri":"a:nope"}`}, {"2026-07-28", `-32602 ` + unknown + `a:nope {"uri":"a:nope"}`}}},
		{"A:text", since{{"", `-32002 ` + unknown + `A:text {"uri":"A:text"}`}, {"2026-07-28", `-32602 ` + unknown + `A:text {"uri":"A:text"}`}}},
	}
	s := shelf(mcp.ServerOptions{})
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			same(t, test.uri, ask(t, s, bare(f.Revision), "resources/read", `{"uri":"`+test.uri+`"}`), test.want.at(f.Revision))
		}
		same(t, "by an escape", ask(t, s, bare(f.Revision), "resources/read", `{"uri":"\u0061:text"}`), tests[0].want.at(""))
	})
}

// TestReadOddURIs (B199): what is no uri is not found, or refused; it is no fault of
// the server's.
func TestReadOddURIs(t *testing.T) {
	const wrong = "-32602 params.uri must be a string"
	mega := strings.Repeat("a", 1<<20)
	tests := []struct{ name, params, want string }{
		{"absent", `{}`, wrong},
		{"null", `{"uri":null}`, wrong},
		{"number", `{"uri":1}`, wrong},
		{"object", `{"uri":{"uri":"a:text"}}`, wrong},
		{"URI is another member", `{"URI":"a:text"}`, wrong},
		{"empty", `{"uri":""}`, `CODE Unknown resource:  {"uri":""}`},
		{"colons", `{"uri":"::::"}`, `CODE Unknown resource: :::: {"uri":"::::"}`},
		{"bad encoding", `{"uri":"file://docs/%zz"}`, `CODE Unknown resource: file://docs/%zz {"uri":"file://docs/%zz"}`},
		{"marks and line ends", `{"uri":"a:\"<\u2028\n"}`, "CODE Unknown resource: a:\"<\u2028\n " + `{"uri":"a:\"<\u2028\n"}`},
		{"lone surrogate", `{"uri":"a:\ud800"}`, "CODE Unknown resource: a:\ufffd " + `{"uri":"a:` + "\ufffd" + `"}`},
		{"a megabyte", `{"uri":"` + mega + `"}`, `CODE Unknown resource: ` + mega[:256] + `…`},
		{"a megabyte under the template", `{"uri":"file://docs/` + mega + `/"}`, `CODE Unknown resource: file://docs/` + mega[:244] + `…`},
	}
	s := shelf(mcp.ServerOptions{})
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "file://docs/{name}", Name: "docs"}, holding(nil, &mcp.TextResource{URI: "a:b"}))
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			want := strings.Replace(test.want, "CODE", fmt.Sprint(int(f.ResourceNotFound)), 1)
			same(t, test.name, ask(t, s, f, "resources/read", test.params), want)
		}
	})
}

// TestUnknownResource is the fallback handler: it reads what nothing else answers to,
// and no more.
func TestUnknownResource(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	s.HandleUnknownResource(func(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
		switch c.URI() {
		case "found:", "not found", "%zz:", "":
			return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI(), Text: "fallback " + c.Name()}}, nil
		case "told:":
			return nil, jsonrpc.Errorf(-32602, "told")
		case "none:":
			return nil, nil
		}
		return nil, mcp.ErrResourceNotFound
	})
	s.AddResource(mcp.Resource{URI: "a:b", Name: "r"}, holding(nil, &mcp.TextResource{URI: "a:b", Text: "resource"}))
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "p"}, holding(nil, &mcp.TextResource{URI: "a:c", Text: "template"}))
	tests := []struct{ uri, want string }{
		{"a:b", `{"contents":[{"uri":"a:b","text":"resource"}]}`},
		{"a:c", `{"contents":[{"uri":"a:c","text":"template"}]}`},
		{"found:", `{"contents":[{"uri":"found:","text":"fallback "}]}`},
		{"not found", `-32002 Unknown resource: not found {"uri":"not found"}`},
		{"%zz:", `-32002 Unknown resource: %zz: {"uri":"%zz:"}`},
		{"", `-32002 Unknown resource:  {"uri":""}`},
		{"told:", "-32602 told"},
		{"none:", "-32603 Internal error"},
		{"other:", `-32002 Unknown resource: other: {"uri":"other:"}`},
	}
	for _, test := range tests {
		same(t, test.uri, ask(t, s, form("2025-06-18"), "resources/read", `{"uri":"`+test.uri+`"}`), test.want)
	}
}

// The fallback alone makes the server one that has resources.
func TestUnknownResourceAlone(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	s.HandleUnknownResource(holding(nil, &mcp.TextResource{URI: "a:b", Text: "x"}))
	inForms(t, func(t *testing.T, f *mcp.Form) {
		same(t, "read", ask(t, s, bare(f.Revision), "resources/read", `{"uri":"a:b"}`), `{"contents":[{"uri":"a:b","text":"x"}]}`)
		same(t, "list", ask(t, s, bare(f.Revision), "resources/list", `{}`), `{"resources":[]}`)
		same(t, "capabilities", string(s.AppendCapabilities(nil, f)), `{"resources":{"subscribe":true,"listChanged":true}}`)
	})
}

// One fallback is all there can be.
func TestUnknownResourceTwice(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	read := holding(nil, &mcp.TextResource{URI: "a:b"})
	if got := panicOf(func() { s.HandleUnknownResource(nil) }); !strings.Contains(got, "no handler") {
		t.Errorf("no handler: panic with %q", got)
	}
	s.HandleUnknownResource(read)
	if got := panicOf(func() { s.HandleUnknownResource(read) }); !strings.Contains(got, "there is a handler already") {
		t.Errorf("another handler: panic with %q", got)
	}
}

// What a handler sees of its call, by the way in which it was found.
func TestReadCall(t *testing.T) {
	tell := func(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI(),
			Text: fmt.Sprintf("name=%s x=%q y=%q version=%s", c.Name(), c.Variable("x"), c.Variable("y"), c.ProtocolVersion())}}, nil
	}
	s := quiet(mcp.ServerOptions{})
	s.HandleUnknownResource(tell)
	s.AddResource(mcp.Resource{URI: "a:b", Name: "r"}, tell)
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "one"}, tell)
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}-{y}", Name: "two"}, tell)
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "b:{x}/{y}", Name: "three"}, tell)
	tests := []struct{ uri, want string }{
		{"a:b", `name=r x="" y=""`},
		{"a:c", `name=one x="c" y=""`},
		{"a:c-d", `name=one x="c-d" y=""`}, // the first that matches
		{"b:c/d%20e", `name=three x="c" y="d e"`},
		{"c:", `name= x="" y=""`},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			want := string(jsonrpc.AppendString(nil, test.want+" version="+f.Revision))
			same(t, test.uri, ask(t, s, bare(f.Revision), "resources/read", `{"uri":"`+test.uri+`"}`),
				`{"contents":[{"uri":"`+test.uri+`","text":`+want+`}]}`)
		}
	})
}

// TestReadWhatWasAsked shows what contents need not say: the uri, and for that uri the type.
func TestReadWhatWasAsked(t *testing.T) {
	tests := []struct {
		name     string
		contents mcp.ResourceContents
		want     string
	}{
		{"neither", &mcp.TextResource{Text: "x"}, `{"uri":"a:b","mimeType":"text/plain","text":"x"}`},
		{"bytes", &mcp.BlobResource{Blob: []byte("x")}, `{"uri":"a:b","mimeType":"text/plain","blob":"eA=="}`},
		{"another type", &mcp.TextResource{MIMEType: "a/b", Text: "x"}, `{"uri":"a:b","mimeType":"a/b","text":"x"}`},
		{"the uri itself", &mcp.TextResource{URI: "a:b", Text: "x"}, `{"uri":"a:b","mimeType":"text/plain","text":"x"}`},
		{"another uri", &mcp.TextResource{URI: "a:c", Text: "x"}, `{"uri":"a:c","text":"x"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, name := range []string{"resource", "template"} {
				s := quiet(mcp.ServerOptions{})
				read := holding(nil, test.contents)
				if name == "resource" {
					s.AddResource(mcp.Resource{URI: "a:b", Name: "n", MIMEType: "text/plain"}, read)
				} else {
					s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "n", MIMEType: "text/plain"}, read)
				}
				same(t, name, ask(t, s, form("2025-11-25"), "resources/read", `{"uri":"a:b"}`), `{"contents":[`+test.want+`]}`)
			}
		})
	}
}
