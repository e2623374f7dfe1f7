package mcp_test

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// TestModernAround is what the modern form puts around every result.
func TestModernAround(t *testing.T) {
	const server = `"io.modelcontextprotocol/serverInfo":{"name":"test-server","version":"1.2.3"}`
	tests := []struct {
		name string
		meta mcp.Meta
		want string
	}{
		{"no meta", nil, `{"resultType":"complete","content":[],"_meta":{` + server + `}}`},
		{"empty meta", mcp.Meta{}, `{"resultType":"complete","content":[],"_meta":{` + server + `}}`},
		{"own meta", mcp.Meta{"z": jsonrpc.Raw(`1`), "a": jsonrpc.Raw(`{"b":[]}`)},
			`{"resultType":"complete","content":[],"_meta":{` + server + `,"a":{"b":[]},"z":1}}`},
		{"the server's identity is its own to state", mcp.Meta{mcp.MetaServerInfo: jsonrpc.Raw(`"evil"`), "a": jsonrpc.Raw(`1`)},
			`{"resultType":"complete","content":[],"_meta":{` + server + `,"a":1}}`},
		{"a name that _meta cannot have", mcp.Meta{"a\"\n": jsonrpc.Raw(`1`)}, "-32603 Internal error"},
		{"nil value", mcp.Meta{"a": nil}, `{"resultType":"complete","content":[],"_meta":{` + server + `}}`},
	}
	for _, test := range tests {
		s, before := quiet(mcp.ServerOptions{}), maps.Clone(test.meta)
		s.AddTool(mcp.Tool{Name: "a"}, answering(&mcp.Result{Meta: test.meta}, nil))
		for range 2 {
			same(t, test.name, ask(t, s, form("2026-07-28"), "tools/call", `{"name":"a"}`), test.want)
		}
		if !reflect.DeepEqual(test.meta, before) {
			t.Errorf("%s: the handler's map was changed to %v, was %v", test.name, test.meta, before)
		}
	}
}

// The identity is encoded once a form, and each form has its own.
func TestIdentityOfEachForm(t *testing.T) {
	s := quiet(mcp.ServerOptions{Title: "T"})
	untitled := *form("2026-07-28")
	untitled.Title = false
	for range 2 {
		for f, title := range map[*mcp.Form]string{form("2026-07-28"): `"title":"T",`, &untitled: ``} {
			got, err := s.AppendReply(nil, mcp.NewReply(nil, nil), f)
			if err != nil {
				t.Error(err)
			}
			same(t, "with title: "+title, string(got), `{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test-server",`+title+`"version":"1.2.3"}}}`)
		}
	}
}

func TestCacheHints(t *testing.T) {
	tests := []struct {
		name string
		hint mcp.CacheHint
		want string
	}{
		{"default", mcp.CacheHint{}, `"ttlMs":0,"cacheScope":"private"`},
		{"public", mcp.CacheHint{Public: true}, `"ttlMs":0,"cacheScope":"public"`},
		{"a minute", mcp.CacheHint{TTL: time.Minute}, `"ttlMs":60000,"cacheScope":"private"`},
		{"below a millisecond", mcp.CacheHint{TTL: 999 * time.Microsecond}, `"ttlMs":0,"cacheScope":"private"`},
		{"negative", mcp.CacheHint{TTL: -time.Hour}, `"ttlMs":0,"cacheScope":"private"`},
		{"longest", mcp.CacheHint{TTL: math.MaxInt64}, `"ttlMs":9223372036854,"cacheScope":"private"`},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{Cache: test.hint})
		s.AddTool(mcp.Tool{Name: "a"}, done)
		s.AddResource(mcp.Resource{URI: "a:b", Name: "n"}, holding(nil, &mcp.TextResource{URI: "a:b"}))
		if s.CacheHint() != test.hint {
			t.Errorf("%s: CacheHint() = %v, want %v", test.name, s.CacheHint(), test.hint)
		}
		inForms(t, func(t *testing.T, f *mcp.Form) {
			for method, params := range map[string]string{"tools/list": `{}`, "resources/list": `{}`, "resources/templates/list": `{}`, "resources/read": `{"uri":"a:b"}`} {
				got := ask(t, s, f, method, params)
				if strings.Contains(got, `,`+test.want+`,"_meta":`) != f.CacheHints || strings.Contains(got, "ttlMs") != f.CacheHints {
					t.Errorf("%s: %s: got %s, want hints %t: %s", test.name, method, got, f.CacheHints, test.want)
				}
			}
			if got := ask(t, s, f, "tools/call", `{"name":"a"}`); strings.Contains(got, "ttlMs") || strings.Contains(got, "cacheScope") {
				t.Errorf("%s: the result of a call has caching hints: %s", test.name, got)
			}
		})
	}
}

func TestCapabilities(t *testing.T) {
	add := map[string]func(s *mcp.Server){
		"tool":     func(s *mcp.Server) { s.AddTool(mcp.Tool{Name: "a"}, done) },
		"resource": func(s *mcp.Server) { s.AddResource(mcp.Resource{URI: "a:b", Name: "n"}, holding(nil)) },
		"template": func(s *mcp.Server) {
			s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "a:{b}", Name: "n"}, holding(nil))
		},
	}
	settings := map[string]jsonrpc.Raw{"a/b": jsonrpc.Raw(`{ "x": 1 }`), "a/a": jsonrpc.Raw(`{}`)}
	tests := []struct {
		name, adds string
		options    mcp.ServerOptions
		want       since
	}{
		{"nothing", "", mcp.ServerOptions{}, since{{"", `{}`}}},
		{"tools", "tool", mcp.ServerOptions{}, since{{"", `{"tools":{"listChanged":true}}`}}},
		{"resources by a resource", "resource", mcp.ServerOptions{}, since{{"", `{"resources":{"subscribe":true,"listChanged":true}}`}}},
		{"resources by a template", "template", mcp.ServerOptions{}, since{{"", `{"resources":{"subscribe":true,"listChanged":true}}`}}},
		{"both", "tool resource", mcp.ServerOptions{}, since{{"", `{"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}}`}}},
		{"experimental", "", mcp.ServerOptions{Experimental: settings}, since{{"", `{"experimental":{"a/a":{},"a/b":{"x":1}}}`}}},
		{"extensions", "tool", mcp.ServerOptions{Extensions: settings}, since{
			{"", `{"tools":{"listChanged":true}}`}, {"2026-07-28", `{"tools":{"listChanged":true},"extensions":{"a/a":{},"a/b":{"x":1}}}`}}},
	}
	for _, test := range tests {
		s := quiet(test.options)
		for _, what := range strings.Fields(test.adds) {
			add[what](s)
		}
		inForms(t, func(t *testing.T, f *mcp.Form) {
			same(t, test.name, string(s.AppendCapabilities([]byte(`"capabilities":`), f)), `"capabilities":`+test.want.at(f.Revision))
		})
	}
}

func TestIdentity(t *testing.T) {
	s := full()
	const icons = `,"icons":[` + fullIcon + `]`
	want := since{
		{"", `{"name":"full","version":"1.0"}`},
		{"2025-06-18", `{"name":"full","title":"Full","version":"1.0"}`},
		{"2025-11-25", `{"name":"full","title":"Full","version":"1.0","description":"All of it.","websiteUrl":"https://example.com"` + icons + `}`},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		same(t, "identity", string(s.AppendIdentity(nil, f)), want.at(f.Revision))
	})
	same(t, "Identity", s.Identity().String(), "full 1.0")
	same(t, "without options", string(mcp.NewServer("n", "", nil).AppendIdentity(nil, forms[4])), `{"name":"n","version":""}`)
	same(t, "Instructions", mcp.NewServer("n", "", nil).Instructions()+quiet(mcp.ServerOptions{Instructions: "x"}).Instructions(), "x")
}

// TestAppendReply is for what an exchange answers itself.
func TestAppendReply(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	const server = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test-server","version":"1.2.3"}}`
	tests := []struct {
		name, members string
		hint          *mcp.CacheHint
		form          *mcp.Form
		want          string
	}{
		{"modern", `"a":1`, nil, forms[4], `{"resultType":"complete","a":1,` + server + `}`},
		{"modern with a hint", `"a":1`, &mcp.CacheHint{TTL: time.Second}, forms[4], `{"resultType":"complete","a":1,"ttlMs":1000,"cacheScope":"private",` + server + `}`},
		{"modern, nothing of its own", ``, nil, forms[4], `{"resultType":"complete",` + server + `}`},
		{"legacy", `"a":1`, &mcp.CacheHint{}, forms[0], `{"a":1}`},
		{"legacy, nothing of its own", ``, nil, forms[0], `{}`},
	}
	for _, test := range tests {
		got, err := s.AppendReply([]byte("before:"), mcp.NewReply([]byte(test.members), test.hint), test.form)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		same(t, test.name, string(got), "before:"+test.want)
	}
}

// A server without options logs; with a logger, its calls log with their method and
// name.
func TestLogger(t *testing.T) {
	if s := mcp.NewServer("n", "1", nil); !s.Logger().Enabled(context.Background(), slog.LevelWarn) || s.Logger().Enabled(context.Background(), slog.LevelInfo) {
		t.Error("the default logger takes other levels than warnings and errors")
	}
	var log bytes.Buffer
	s := mcp.NewServer("n", "1", &mcp.ServerOptions{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))})
	s.AddTool(mcp.Tool{Name: "a"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		c.Logger().Info("said", "k", 1)
		return mcp.TextResult("done"), nil
	})
	ask(t, s, forms[0], "tools/call", `{"name":"a"}`)
	same(t, "log", log.String(), "level=INFO msg=said method=tools/call name=a k=1\n")
}
