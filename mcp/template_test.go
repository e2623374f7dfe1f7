package mcp_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

func TestAddResourceTemplatePanics(t *testing.T) {
	read := holding(nil, &mcp.TextResource{URI: "a:b"})
	tests := []struct {
		template, name string
		handler        mcp.ResourceHandler
		want           string
	}{
		{"", "n", read, "no {expression}"},
		{"a:b", "n", read, "no {expression}"},
		{"{x}", "n", read, "must begin with a scheme"},
		{"a/{x}", "n", read, "must begin with a scheme"},
		{"{x}:a", "n", read, "must begin with a scheme"},
		{"a:{x", "n", read, "a { without its }"},
		{"a:{x}{", "n", read, "a { without its }"},
		{"a:x}", "n", read, "a } without its {"},
		{"a:{x}}", "n", read, "a } without its {"},
		{"a:{}", "n", read, "{}: it names no variable"},
		{"a:{{x}}", "n", read, `{{x}: "{x" is no name of a variable`},
		{"a:{x y}", "n", read, `{x y}: "x y" is no name of a variable`},
		{"a:{ä}", "n", read, `{ä}: "ä" is no name of a variable`},
		{"a:{x:3}", "n", read, "{x:3} cannot be matched: only the beginning of x is there"},
		{"a:{+x,y}", "n", read, "{+x,y} cannot be matched: its values may hold the comma"},
		{"a:{x}{y}", "n", read, "{x} cannot be matched: {y} follows directly"},
		{"res://{a}{b}{c}", "n", read, "{a} cannot be matched: {b} follows directly"},
		{"a:{x}/{x}", "n", read, "{x} cannot be matched: x stands twice"},
		{"a:{x}", "", read, "a template must have a name"},
		{"a:{x}", "n", nil, "no handler"},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		said := panicOf(func() {
			s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: test.template, Name: test.name}, test.handler)
		})
		if want := fmt.Sprintf("mcp: resource template %q: ", test.template); !strings.HasPrefix(said, want) || !strings.Contains(said, test.want) {
			t.Errorf("AddResourceTemplate(%q)\n panicked with %q\nwant it to begin %q and say %q", test.template, said, want, test.want)
		}
	}
	s := quiet(mcp.ServerOptions{})
	said := panicOf(func() {
		s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "n", Meta: mcp.Meta{"k": jsonrpc.Raw(`x`)}}, read)
	})
	if want := `mcp: resource template "a:{x}": jsonrpc: not a JSON value`; !strings.HasPrefix(said, want) {
		t.Errorf("meta that is not JSON\n panicked with %q\nwant it to begin %q", said, want)
	}
}

func TestTemplateMatch(t *testing.T) {
	const none = "no match"
	tests := []struct{ template, uri, want string }{
		{"a:{x}", "a:b", "x=b"},
		{"a:{x}", "a:", none},
		{"a:{x}", "b:b", none},
		{"a:{x}", "A:b", none},
		{"a:{x}", "a:b/c", none},
		{"a:{x}", "a:AZaz09-._~", "x=AZaz09-._~"},
		{"a:{x}", "a:b c", none},
		{"a:{x}", "a:b?c", none},
		{"a:{x}", "a:b#c", none},
		{"a:{x}", "a:b+c", none},
		{"a:{x}", "a:b:c", none},
		{"a:{x}", "a:é", none},
		{"a:{x}", "a:%C3%A9", "x=é"},
		{"a:{x}", "a:%c3%a9", "x=é"},
		{"a:{x}", "a:b%20c", "x=b c"},
		{"a:{x}", "a:b%2Fc", "x=b/c"},
		{"a:{x}", "a:%2e%2e", "x=.."},
		{"a:{x}", "a:%2525", "x=%25"}, // decoded once
		{"a:{x}", "a:%00", "x=\x00"},
		{"a:{x}", "a:%", none},
		{"a:{x}", "a:%2", none},
		{"a:{x}", "a:%zz", none},
		{"a:{x}", "a:%2z", none},
		{"a:{x}", "a:b%", none},
		{"a:{x}.txt", "a:b.txt", "x=b"},
		{"a:{x}.txt", "a:.txt", none},
		{"a:{x}.txt", "a:b.txt.txt", "x=b.txt"},
		{"a:{x}.txt", "a:b.txt/", none},
		{"a:{x}.txt", "a:b.TXT", none},
		{"a:{x}/{y}", "a:b/c", "x=b y=c"},
		{"a:{x}/{y}", "a:b/", none},
		{"a:{x}/{y}", "a:/c", none},
		{"a:{x}/{y}", "a:b", none},
		{"a:{x}/{y}", "a:b/c/d", none},
		{"a:{x}/{y}/", "a:b/c/", "x=b y=c"},
		{"a:{x}/{y}/", "a:b/c", none},
		{"a:{x}/{y}/", "a:b//", none},
		{"a:{x}-{y}", "a:b-c-d", "x=b y=c-d"},
		{"a:{x}.{y}.", "a:b.c.d.", "x=b y=c.d"},
		{"a:{x}~~{y}", "a:b~c~~d", "x=b~c y=d"},
		{"a:{x_1}/z/{Y2}", "a:1/z/2", "x_1=1 Y2=2"},
		{"a://h/{x}?q={y}", "a://h/b?q=c", "x=b y=c"},
		{"a:{+x}", "a:b/../c", "x=b/../c"},
		{"a:b{/x*}", "a:b/c/d%2F", "x=[c d/]"},
		{"a:b{/x*}", "a:b", ""},
		{"a:b{?x,y}", "a:b?y=c", "y=c"},
		{"a:b{?x*}", "a:b?x=c", "x=[c]"},
	}
	for _, test := range tests {
		got := none
		s := quiet(mcp.ServerOptions{})
		s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: test.template, Name: "n"},
			func(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
				got = ""
				for _, name := range []string{"x", "y", "x_1", "Y2"} {
					v, all := c.Variable(name), c.Variables(name)
					switch {
					case strings.Contains(test.template, "*") && all != nil:
						got += fmt.Sprint(" ", name, "=", all)
					case v != "":
						got += " " + name + "=" + v
					}
				}
				return []mcp.ResourceContents{&mcp.TextResource{URI: "a:b"}}, nil
			})
		answer := ask(t, s, forms[0], "resources/read", `{"uri":`+string(jsonrpc.AppendString(nil, test.uri))+`}`)
		same(t, test.template+" on "+test.uri, strings.TrimPrefix(got, " "), test.want)
		if notFound := strings.HasPrefix(answer, "-32002 "); notFound != (test.want == none) {
			t.Errorf("%s on %s: answered %s, want match %q", test.template, test.uri, answer, test.want)
		}
	}
}

// TestTemplateMatchIsLinear (B178): uris of 4 MiB that all but match. They are so long
// that a matcher whose work grows faster than they do would not come to its end; no
// time is measured.
func TestTemplateMatchIsLinear(t *testing.T) {
	var variables []string
	for i := range 20 {
		variables = append(variables, fmt.Sprintf("{v%d}", i))
	}
	tests := []struct{ name, template, unit, last string }{
		{"slashes", "res://" + strings.Join(variables, "/"), "a/", "!"},
		{"dashes, which values hold, too", "res://" + strings.Join(variables, "-"), "a-", "!"},
		{"commas", "res://" + strings.Join(variables, ","), "a,", "!"},
		{"literals that half match", "res://" + strings.Join(variables, "aab"), "a", "!"},
		{"a list (B178)", "res://x{/ids*}", "/,", "!"},
		{"percent signs", "res://{x}", "%41", "%4"},
		{"a last literal that is not there", "res://{x}/end", "a/en", "d!"},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: test.template, Name: "n"}, holding(nil, &mcp.TextResource{URI: "a:b"}))
		head, _, _ := strings.Cut(test.template, "{")
		uri := head + strings.Repeat(test.unit, 4<<20/len(test.unit)) + test.last
		got := ask(t, s, forms[0], "resources/read", `{"uri":"`+uri+`"}`)
		same(t, test.name, got, "-32002 Unknown resource: "+uri[:256]+"…")
	}
}

// The list shows a template as it was written, and the order of registration decides
// which one reads.
func TestTemplateOrder(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	var read []string
	reader := func(name string) mcp.ResourceHandler {
		return func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
			read = append(read, name)
			return []mcp.ResourceContents{&mcp.TextResource{URI: "a:b"}}, nil
		}
	}
	for _, template := range []string{"a:b{x}", "a:{x}", "a:c{x}"} {
		s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: template, Name: template}, reader(template))
	}
	s.AddResource(mcp.Resource{URI: "a:bb", Name: "r"}, reader("a:bb"))
	for _, uri := range []string{"a:bc", "a:cc", "a:bb", "a:%62c"} {
		ask(t, s, forms[0], "resources/read", `{"uri":"`+uri+`"}`)
	}
	if want := []string{"a:b{x}", "a:{x}", "a:bb", "a:{x}"}; !slices.Equal(read, want) {
		t.Errorf("read by %q, want %q", read, want)
	}
}
