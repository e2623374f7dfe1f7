package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// gather goes through a list and tells the names in it, and the error that ends it.
func gather[T any](items iter.Seq2[*T, error], name func(*T) string) (names []string, err error) {
	for item, fault := range items {
		if fault != nil {
			return names, fault
		}
		if names = append(names, name(item)); len(names) > 100 {
			return names, errors.New("the list has no end, and the client goes on")
		}
	}
	return names, nil
}

func toolName(t *mcp.Tool) string { return t.Name }

// TestClientEntries: entries of a list that cannot be read are left out, with a line in the
// log; what is no list is an error (case B187).
func TestClientEntries(t *testing.T) {
	const good = `{"name":"good","inputSchema":{"type":"object"}}`
	tests := []struct {
		name, answer string
		want         string
		log, err     string
	}{
		{"null", `{"tools":[null]}`, "[]", "result.tools[0] must be an object", ""},
		{"null among others", `{"tools":[` + good + `,null,` + good + `]}`, "[good good]", "result.tools[1] must be an object", ""},
		{"no schema", `{"tools":[{"name":"a"},` + good + `]}`, "[good]", "result.tools[0].inputSchema must be there", ""},
		{"name is a number", `{"tools":[{"name":1,"inputSchema":{}}]}`, "[]", "result.tools[0].name must be a string", ""},
		{"name twice", `{"tools":[{"name":"a","inputSchema":{},"name":"b"}]}`, "[]", "result.tools[0] has a member twice", ""},
		{"empty", `{"tools":[]}`, "[]", "", ""},
		{"list is null", `{"tools":null}`, "", "", "result.tools must be an array"},
		{"list is an object", `{"tools":{}}`, "", "", "result.tools must be an array"},
		{"list is missing", `{}`, "", "", "result.tools must be there"},
		{"no object", `null`, "", "", "result must be an object"},
		{"cursor is null", `{"tools":[],"nextCursor":null}`, "", "", "result.nextCursor must be a string"},
		{"cursor is a number", `{"tools":[],"nextCursor":1}`, "", "", "result.nextCursor must be a string"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			c := meets(&mcp.ClientOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}, &scripted{answers: map[string][]string{"tools/list": {test.answer}}})
			page, err := c.ListTools(t.Context(), nil, nil)
			names, all := gather(c.Tools(t.Context()), toolName)
			if test.err != "" {
				for _, err := range []error{err, all} {
					if err == nil || !strings.Contains(err.Error(), test.err) {
						t.Errorf("%s: got error %v, want one with %q", test.answer, err, test.err)
					}
				}
				return
			}
			if err != nil || all != nil || fmt.Sprint(names) != test.want || len(page.Items) != len(names) {
				t.Errorf("%s: got %v and a page of %d, %v, %v\nwant %s", test.answer, names, len(page.Items), err, all, test.want)
			}
			if got := log.String(); !strings.Contains(got, test.log) || test.log == "" && got != "" {
				t.Errorf("%s: the log has %q, want %q", test.answer, got, test.log)
			}
		})
	}
}

// TestClientInvalidMarks: a tool that marks its arguments against the rules is left out,
// with its name and the reason in the log, and the others stay (case B146). Revisions that
// have no marks know nothing of the rules.
func TestClientInvalidMarks(t *testing.T) {
	tests := []struct{ name, property, want string }{
		{"name with a space", `{"type":"string","x-mcp-header":"Bad Name"}`, `x-mcp-header is \"Bad Name\"`},
		{"empty name", `{"type":"string","x-mcp-header":""}`, "x-mcp-header is"},
		{"number", `{"type":"number","x-mcp-header":"N"}`, "the type beside it"},
		{"item of an array", `{"type":"array","items":{"type":"string","x-mcp-header":"I"}}`, "not for items"},
		{"valid", `{"type":"string","x-mcp-header":"Region"}`, ""},
	}
	for _, test := range tests {
		inForms(t, func(t *testing.T, f *mcp.Form) {
			var log bytes.Buffer
			s := &scripted{answers: map[string][]string{"tools/list": {
				`{"tools":[{"name":"before","inputSchema":{"type":"object"}},{"name":"odd","inputSchema":{"type":"object","properties":{"p":` + test.property + `}}},{"name":"after","inputSchema":{"type":"object"}}]}`}}}
			c := talks(&mcp.ClientOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}, &talker{form: f, call: s.call})
			want := "[before odd after]"
			if test.want != "" && f.HeaderParams {
				want = "[before after]"
			}
			names, err := gather(c.Tools(t.Context()), toolName)
			if err != nil || fmt.Sprint(names) != want {
				t.Errorf("%s: got %v, %v, want %s", test.name, names, err, want)
			}
			if got := log.String(); f.HeaderParams && test.want != "" && !(strings.Contains(got, "tool=odd") && strings.Contains(got, test.want)) || want == "[before odd after]" && got != "" {
				t.Errorf("%s: the log has %q, want the tool and %q", test.name, got, test.want)
			}
		})
	}
}

// TestClientPages: the empty string is a cursor like others, a cursor that comes again ends
// the list with an error (case B191), and whoever has seen enough asks for no more.
func TestClientPages(t *testing.T) {
	page := func(name, next string) string {
		return `{"prompts":[{"name":"` + name + `"}]` + next + `}`
	}
	tests := []struct {
		name  string
		pages []string
		want  string
		asked []string
		err   string
	}{
		{"one page", []string{page("a", ``)}, "[a]", []string{"prompts/list"}, ""},
		{"two pages", []string{page("a", `,"nextCursor":"x"`), page("b", ``)}, "[a b]", []string{"prompts/list", `prompts/list {"cursor":"x"}`}, ""},
		{"empty cursor", []string{page("a", `,"nextCursor":""`), page("b", ``)}, "[a b]", []string{"prompts/list", `prompts/list {"cursor":""}`}, ""},
		{"empty cursor for ever", []string{page("a", `,"nextCursor":""`)}, "[a a]", []string{"prompts/list", `prompts/list {"cursor":""}`}, `the cursor "" twice`},
		{"the same cursor for ever", []string{page("a", `,"nextCursor":"x"`)}, "[a a]", []string{"prompts/list", `prompts/list {"cursor":"x"}`}, `the cursor "x" twice`},
		{"a loop of two", []string{page("a", `,"nextCursor":"x"`), page("b", `,"nextCursor":"y"`), page("c", `,"nextCursor":"x"`)}, "[a b c]",
			[]string{"prompts/list", `prompts/list {"cursor":"x"}`, `prompts/list {"cursor":"y"}`}, `the cursor "x" twice`},
		{"an error on the way", []string{page("a", `,"nextCursor":"x"`), "-32602"}, "[a]", []string{"prompts/list", `prompts/list {"cursor":"x"}`}, "refused"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &scripted{answers: map[string][]string{"prompts/list": test.pages}}
			names, err := gather(meets(nil, s).Prompts(t.Context()), func(p *mcp.Prompt) string { return p.Name })
			if fmt.Sprint(names) != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("got %v, %v\nwant %v, %q", names, err, test.want, test.err)
			}
			if !reflect.DeepEqual(s.asked, test.asked) {
				t.Errorf("asked\n got %q\nwant %q", s.asked, test.asked)
			}
		})
	}
	t.Run("enough", func(t *testing.T) {
		s := &scripted{answers: map[string][]string{"prompts/list": {page("a", `,"nextCursor":"x"`), page("b", ``)}}}
		for range meets(nil, s).Prompts(t.Context()) {
			break
		}
		if len(s.asked) != 1 {
			t.Errorf("asked %q, want one page", s.asked)
		}
	})
}

// TestClientLists: each list is asked for by its method and read from its member.
func TestClientLists(t *testing.T) {
	s := &scripted{answers: map[string][]string{
		"tools/list":               {`{"tools":[{"name":"t","inputSchema":{}}]}`},
		"resources/list":           {`{"resources":[{"name":"r","uri":"a:b"}]}`},
		"resources/templates/list": {`{"resourceTemplates":[{"name":"m","uriTemplate":"a:{b}"}]}`},
		"prompts/list":             {`{"prompts":[{"name":"p"}]}`},
	}}
	c, ctx := meets(nil, s), t.Context()
	tools, err1 := gather(c.Tools(ctx), toolName)
	resources, err2 := gather(c.Resources(ctx), func(r *mcp.Resource) string { return r.URI })
	templates, err3 := gather(c.ResourceTemplates(ctx), func(r *mcp.ResourceTemplate) string { return r.URITemplate })
	prompts, err4 := gather(c.Prompts(ctx), func(p *mcp.Prompt) string { return p.Name })
	got := fmt.Sprint(tools, resources, templates, prompts, err1, err2, err3, err4)
	if want := "[t] [a:b] [a:{b}] [p] <nil> <nil> <nil> <nil>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestClientEndless: a list whose cursors are always new ones ends, too.
func TestClientEndless(t *testing.T) {
	for _, size := range []int{2, 1 << 20} {
		asked := 0
		c := talks(&mcp.ClientOptions{CacheEntries: -1}, &talker{form: form("2025-11-25"), call: func(context.Context, *mcp.ClientRequest) (jsonrpc.Raw, error) {
			asked++
			return jsonrpc.Raw(fmt.Sprintf(`{"prompts":[],"nextCursor":"%0*d"}`, size, asked)), nil
		}})
		_, err := gather(c.Prompts(t.Context()), func(p *mcp.Prompt) string { return p.Name })
		if err == nil || !strings.Contains(err.Error(), "no end in sight") || asked > 100_000 {
			t.Errorf("cursors of %d bytes: got %v after %d pages", size, err, asked)
		}
	}
}
