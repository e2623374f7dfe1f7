package mcp_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/mcp"
)

// TestVisible (B134): what is not visible to somebody does not exist for them, neither
// in lists nor when it is asked for by name.
func TestVisible(t *testing.T) {
	for _, pages := range []int{0, 2} {
		s := quiet(mcp.ServerOptions{PageSize: pages, Keys: keys})
		for _, l := range lists {
			for _, name := range []string{"a", "b", "secret", "c", "secret2"} {
				var visible func(*mcp.Principal) bool
				if strings.HasPrefix(name, "secret") {
					visible = forAlice
				}
				l.add(s, name, visible)
			}
		}
		inForms(t, func(t *testing.T, f *mcp.Form) {
			for _, l := range lists {
				for principal, want := range map[*mcp.Principal][]string{
					alice: {"a", "b", "secret", "c", "secret2"}, bob: {"a", "b", "c"}, nil: {"a", "b", "c"},
				} {
					names, next := turn(t, s, f, principal, l.method, l.member, "")
					for next != "" {
						var more []string
						if more, next = turn(t, s, f, principal, l.method, l.member, next); len(more) == 0 {
							t.Errorf("%s: a page without items", l.method)
						}
						names = append(names, more...)
					}
					if !slices.Equal(names, want) {
						t.Errorf("%s for %+v: %q; want %q", l.method, principal, names, want)
					}
				}
			}
		})
	}
}

func TestVisibleByName(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	s.HandleUnknownResource(holding(nil, &mcp.TextResource{Text: "fallback"}))
	for _, l := range lists {
		l.add(s, "open", nil)
		l.add(s, "secret", forAlice)
	}
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "t:{x}/{y}", Name: "wide"}, holding(nil, &mcp.TextResource{Text: "wide"}))
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "r:{x}", Name: "around"}, holding(nil, &mcp.TextResource{Text: "around"}))
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "c:{x}", Name: "completed", Visible: forAlice,
		Complete: map[string]mcp.Completer{"x": mcp.CompleteFrom("secret")}}, holding(nil, &mcp.TextResource{URI: "a:b"}))
	rows := []struct{ name, method, params, unknown string }{
		{"completion", "completion/complete", `{"ref":{"type":"ref/resource","uri":"c:{x}"},"argument":{"name":"x","value":""}}`,
			"-32602 Unknown resource template: c:{x}"},
		{"a tool", "tools/call", `{"name":"secret"}`, "-32602 Unknown tool: secret"},
		{"a prompt", "prompts/get", `{"name":"secret"}`, "-32602 Unknown prompt: secret"},
		{"a resource, though a template matches it", "resources/read", `{"uri":"r:secret"}`, `%d Unknown resource: r:secret {"uri":"r:secret"}`},
		{"a template, though another matches", "resources/read", `{"uri":"t:secret/1"}`, `%d Unknown resource: t:secret/1 {"uri":"t:secret/1"}`},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, r := range rows {
			want := r.unknown
			if strings.HasPrefix(want, "%d") {
				want = fmt.Sprintf(want, f.ResourceNotFound)
			}
			for _, p := range []*mcp.Principal{bob, nil} {
				got := (&exchange{server: s, form: f, principal: p}).ask(t, context.Background(), r.method, r.params)
				same(t, fmt.Sprintf("%s for %+v", r.name, p), got, want)
			}
			if got := (&exchange{server: s, form: f, principal: alice}).ask(t, context.Background(), r.method, r.params); !strings.HasPrefix(got, "{") {
				t.Errorf("%s for alice: %s; want a result", r.name, got)
			}
		}
	})
}

// TestListCache: each list has the hint of its own or the default one, and one that not
// everybody sees all of is private.
func TestListCache(t *testing.T) {
	hint := func(ms int, public bool) *mcp.CacheHint {
		return &mcp.CacheHint{TTL: duration(ms), Public: public}
	}
	o := mcp.ServerOptions{Cache: *hint(1, true), ToolsCache: hint(2, true), PromptsCache: hint(3, false), ResourcesCache: hint(4, true), TemplatesCache: hint(5, true)}
	rows := []struct {
		name   string
		o      mcp.ServerOptions
		hidden bool
		want   [4]string // tools, prompts, resources, templates
	}{
		{"nothing said", mcp.ServerOptions{}, false, [4]string{"0 private", "0 private", "0 private", "0 private"}},
		{"the default", mcp.ServerOptions{Cache: *hint(1, true)}, false, [4]string{"1 public", "1 public", "1 public", "1 public"}},
		{"each its own", o, false, [4]string{"2 public", "3 private", "4 public", "5 public"}},
		{"with something hidden", o, true, [4]string{"2 private", "3 private", "4 private", "5 private"}},
	}
	for _, r := range rows {
		for _, pages := range []int{0, 1} {
			r.o.PageSize, r.o.Keys = pages, keys
			s := quiet(r.o)
			for i, l := range lists {
				l.add(s, "a", nil)
				l.add(s, "b", nil)
				if r.hidden {
					l.add(s, "c", forAlice)
				}
				x := &exchange{server: s, form: form("2026-07-28"), principal: bob}
				same(t, r.name+" "+l.method, cacheOf(x.ask(t, context.Background(), l.method, `{}`)), r.want[i])
				x.form = form("2025-11-25")
				same(t, r.name+" "+l.method, cacheOf(x.ask(t, context.Background(), l.method, `{}`)), "none")
			}
		}
	}
}

func TestReadCache(t *testing.T) {
	s := quiet(mcp.ServerOptions{Cache: mcp.CacheHint{TTL: duration(1), Public: true}})
	s.HandleUnknownResource(holding(nil, &mcp.TextResource{URI: "a:b"}))
	own := &mcp.CacheHint{TTL: duration(2), Public: true}
	read := holding(nil, &mcp.TextResource{URI: "a:b"})
	s.AddResource(mcp.Resource{URI: "a:default", Name: "n"}, read)
	s.AddResource(mcp.Resource{URI: "a:own", Name: "n", Cache: own}, read)
	s.AddResource(mcp.Resource{URI: "a:hidden", Name: "n", Cache: own, Visible: forAlice}, read)
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "t:default/{x}", Name: "n"}, read)
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "t:own/{x}", Name: "n", Cache: own}, read)
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "t:hidden/{x}", Name: "n", Cache: own, Visible: forAlice}, read)
	for uri, want := range map[string]string{
		"a:default": "1 public", "a:own": "2 public", "a:hidden": "2 private", "a:other": "1 public",
		"t:default/1": "1 public", "t:own/1": "2 public", "t:hidden/1": "2 private",
	} {
		x := &exchange{server: s, form: form("2026-07-28"), principal: alice}
		same(t, uri, cacheOf(x.ask(t, context.Background(), "resources/read", `{"uri":"`+uri+`"}`)), want)
	}
}
