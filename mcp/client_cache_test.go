package mcp_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// shop is a server whose answers have a number, so that it shows which one a client has got.
type shop struct {
	talker
	t     testing.TB
	hint  string // members of each result
	asked int
	fails error
	held  func() // what happens while the server answers
}

func newShop(t testing.TB, revision, hint string) *shop {
	s := &shop{t: t, hint: hint}
	s.form = form(revision)
	s.call = func(_ context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
		s.asked++
		n := s.asked
		if s.held != nil {
			s.held()
		}
		return fmt.Appendf(nil, `{%s"n":%d}`, s.hint, n), s.fails
	}
	return s
}

// gets asks by a client, and fails the test unless the answer is the n-th of the server.
func (s *shop) gets(c *mcp.Client, what string, n int, method, params string, o *mcp.CallOptions) {
	s.t.Helper()
	var raw jsonrpc.Raw
	if params != "" {
		raw = jsonrpc.Raw(params)
	}
	got, err := c.Do(context.Background(), method, raw, o)
	if err != nil {
		s.t.Fatalf("%s: %v", what, err)
	}
	if want := fmt.Sprintf(`"n":%d}`, n); !strings.HasSuffix(string(got), want) {
		s.t.Errorf("%s: got %s, want the answer %s", what, got[max(0, len(got)-200):], want)
	}
}

const (
	minute = `"resultType":"complete","ttlMs":60000,"cacheScope":"private",`
	page2  = `{"cursor":"2"}`
)

// TestCacheFresh: a result is kept for as long as the server says, and no longer (2026-07-28
// server/utilities/caching).
func TestCacheFresh(t *testing.T) {
	tests := []struct {
		name, hint, method string
		kept               time.Duration // 0: not at all
	}{
		{"tools", minute, "tools/list", time.Minute},
		{"prompts", minute, "prompts/list", time.Minute},
		{"resources", minute, "resources/list", time.Minute},
		{"templates", minute, "resources/templates/list", time.Minute},
		{"a resource", minute, "resources/read", time.Minute},
		{"the server", minute, "server/discover", time.Minute},
		{"public", `"ttlMs":1000,"cacheScope":"public",`, "tools/list", time.Second},
		{"no scope", `"ttlMs":1000,`, "tools/list", time.Second},
		{"as a fraction", `"ttlMs":1e3,`, "tools/list", time.Second},
		{"for ever", `"ttlMs":1e300,`, "tools/list", 1000 * time.Hour},
		{"stale at once", `"ttlMs":0,"cacheScope":"private",`, "tools/list", 0},
		{"negative", `"ttlMs":-5,`, "tools/list", 0},
		{"no time", `"cacheScope":"public",`, "tools/list", 0},
		{"no hint", ``, "tools/list", 0},
		{"a text", `"ttlMs":"60000",`, "tools/list", 0},
		{"a result that is none yet", `"resultType":"input_required","ttlMs":60000,`, "resources/read", 0},
		{"a call", minute, "tools/call", 0},
		{"a prompt", minute, "prompts/get", 0},
		{"a completion", minute, "completion/complete", 0},
		{"an extension's", minute, "x/list", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShop(t, "2026-07-28", test.hint)
				c := talks(nil, &s.talker)
				s.gets(c, "first", 1, test.method, `{}`, nil)
				if test.kept == 0 {
					s.gets(c, "again", 2, test.method, `{}`, nil)
					return
				}
				<-time.After(test.kept - time.Nanosecond)
				s.gets(c, "while it is fresh", 1, test.method, `{}`, nil)
				if test.kept > time.Hour {
					return
				}
				<-time.After(time.Nanosecond)
				s.gets(c, "stale", 2, test.method, `{}`, nil)
				s.gets(c, "kept anew", 2, test.method, `{}`, nil)
			})
		})
	}
}

// TestCacheForms: revisions without hints have results that are never kept, whatever is in
// them.
func TestCacheForms(t *testing.T) {
	inForms(t, func(t *testing.T, f *mcp.Form) {
		s := newShop(t, f.Revision, minute)
		c := talks(nil, &s.talker)
		s.gets(c, "first", 1, "tools/list", `{}`, nil)
		second := 2
		if f.CacheHints {
			second = 1
		}
		s.gets(c, "second", second, "tools/list", `{}`, nil)
	})
}

// TestCacheKey: a result answers to one method and one set of params; who wants it fresh gets
// it so, and what may depend on more is not taken from what is kept.
func TestCacheKey(t *testing.T) {
	s := newShop(t, "2026-07-28", minute)
	c := talks(nil, &s.talker)
	s.gets(c, "tools", 1, "tools/list", `{}`, nil)
	s.gets(c, "prompts", 2, "prompts/list", `{}`, nil)
	s.gets(c, "the second page", 3, "tools/list", page2, nil)
	s.gets(c, "a cursor that is empty", 4, "tools/list", `{"cursor":""}`, nil)
	s.gets(c, "tools again", 1, "tools/list", `{}`, nil)
	s.gets(c, "without params", 1, "tools/list", ``, nil)
	s.gets(c, "the second page again", 3, "tools/list", ` { "cursor" : "2" } `, nil)
	s.gets(c, "fresh", 5, "tools/list", `{}`, &mcp.CallOptions{Fresh: true})
	s.gets(c, "behind the fresh one", 5, "tools/list", `{}`, nil)
	s.gets(c, "with _meta", 6, "tools/list", `{}`, &mcp.CallOptions{Meta: mcp.Meta{"example.com/tenant": jsonrpc.Raw(`"a"`)}})
	s.gets(c, "without _meta", 5, "tools/list", `{}`, nil)
	s.gets(c, "with trace context", 5, "tools/list", `{}`, &mcp.CallOptions{Meta: mcp.Meta{"traceparent": jsonrpc.Raw(`"a"`)}})
	s.hint = `"ttlMs":0,`
	s.gets(c, "fresh, and not to be kept", 7, "tools/list", `{}`, &mcp.CallOptions{Fresh: true})
	s.gets(c, "what was kept is superseded", 8, "tools/list", `{}`, nil)
}

// TestCacheOwn: what a client has got is its own: to change it changes nothing that is kept.
func TestCacheOwn(t *testing.T) {
	s := newShop(t, "2026-07-28", minute)
	c := talks(nil, &s.talker)
	for range 3 {
		got, err := c.Do(context.Background(), "tools/list", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the answer", string(got), `{`+minute+`"n":1}`)
		clear(got)
	}
}

// TestCacheRetried: the result of a retry depends on what was answered, and is not kept.
func TestCacheRetried(t *testing.T) {
	s := newShop(t, "2026-07-28", minute)
	retried := true
	once := s.call
	s.call = func(ctx context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
		r.Retried = retried
		return once(ctx, r)
	}
	c := talks(nil, &s.talker)
	s.gets(c, "a retry", 1, "resources/read", `{"uri":"a:b"}`, nil)
	retried = false
	s.gets(c, "none", 2, "resources/read", `{"uri":"a:b"}`, nil)
	s.gets(c, "kept", 2, "resources/read", `{"uri":"a:b"}`, nil)
	for i, more := range []string{`"inputResponses":{}`, `"requestState":"s"`} { // by the caller's own hand
		s.gets(c, more, 2*i+3, "resources/read", `{"uri":"a:b",`+more+`}`, nil)
		s.gets(c, more+" again", 2*i+4, "resources/read", `{"uri":"a:b",`+more+`}`, nil)
	}
}

// cachedRequests are requests whose results are kept.
var cachedRequests = []struct{ method, params string }{
	{"tools/list", `{}`}, {"tools/list", page2}, {"prompts/list", `{}`}, {"resources/list", `{}`},
	{"resources/templates/list", `{}`}, {"resources/read", `{"uri":"a:b"}`}, {"resources/read", `{"uri":"a:c/d"}`}, {"server/discover", `{}`},
}

// cacheChanges are notifications, and the cachedRequests that they make stale, from the first to
// the last.
var cacheChanges = []struct {
	name, method, params string
	stale                []int
}{
	{"tools", "notifications/tools/list_changed", ``, []int{0, 1}},
	{"prompts", "notifications/prompts/list_changed", `{}`, []int{2}},
	{"resources", "notifications/resources/list_changed", ``, []int{3, 4}},
	{"a resource", "notifications/resources/updated", `{"uri":"a:b"}`, []int{5}},
	{"a resource that holds another", "notifications/resources/updated", `{"uri":"a:c/"}`, []int{6}},
	{"a resource within another", "notifications/resources/updated", `{"uri":"a:c/d/e"}`, []int{6}},
	{"another resource", "notifications/resources/updated", `{"uri":"a:x"}`, nil},
	{"something else", "notifications/message", `{"level":"info","data":1}`, nil},
}

// hears has a client hear a notification; params may be "" for none.
func hears(c *mcp.Client, method, params string) {
	var raw jsonrpc.Raw
	if params != "" {
		raw = jsonrpc.Raw(params)
	}
	c.Hear(context.Background(), method, raw)
}

// TestCacheChanges: a change makes stale what it is about, and nothing else.
func TestCacheChanges(t *testing.T) {
	for _, test := range cacheChanges {
		t.Run(test.name, func(t *testing.T) {
			s := newShop(t, "2026-07-28", minute)
			c := talks(nil, &s.talker)
			defer c.Close()
			for i, r := range cachedRequests {
				s.gets(c, "first", i+1, r.method, r.params, nil)
			}
			hears(c, test.method, test.params)
			before := s.asked
			for i, r := range cachedRequests {
				want := i + 1
				if slices.Contains(test.stale, i) {
					before++
					want = before
				}
				s.gets(c, fmt.Sprintf("%s %s", r.method, r.params), want, r.method, r.params, nil)
			}
		})
	}
}

// TestCacheChangesMeanwhile: what a change is about is not kept when it is told while the server
// answers, since the answer may be of before.
func TestCacheChangesMeanwhile(t *testing.T) {
	for _, test := range cacheChanges {
		t.Run(test.name, func(t *testing.T) {
			for i, r := range cachedRequests {
				s := newShop(t, "2026-07-28", minute)
				c := talks(nil, &s.talker)
				s.held = func() { hears(c, test.method, test.params) }
				s.gets(c, "first", 1, r.method, r.params, nil)
				s.held = nil
				want := 1
				if slices.Contains(test.stale, i) {
					want = 2
				}
				s.gets(c, fmt.Sprintf("%s %s", r.method, r.params), want, r.method, r.params, nil)
				s.gets(c, "afterwards", want, r.method, r.params, nil)
			}
		})
	}
}

// TestCacheErrors: a cursor that fails drops all pages, and a call of what the server does
// not know drops the list that told of it. Other errors drop nothing, and none is kept.
func TestCacheErrors(t *testing.T) {
	refused := jsonrpc.Errorf(jsonrpc.InvalidParams, "no")
	tests := []struct {
		name, method, params string
		err                  error
		stale                bool // the list of tools
	}{
		{"a cursor that is refused", "tools/list", `{"cursor":"3"}`, refused, true},
		{"a cursor on a broken connection", "tools/list", `{"cursor":"3"}`, mcp.ErrLinkClosed, false},
		{"another list's cursor", "prompts/list", `{"cursor":"3"}`, refused, false},
		{"a tool that is unknown", "tools/call", `{"name":"x"}`, refused, true},
		{"a tool that has trouble", "tools/call", `{"name":"x"}`, jsonrpc.Errorf(jsonrpc.InternalError, "no"), false},
		{"a prompt that is unknown", "prompts/get", `{"name":"x"}`, refused, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newShop(t, "2026-07-28", minute)
			c := talks(nil, &s.talker)
			s.gets(c, "first", 1, "tools/list", `{}`, nil)
			s.gets(c, "second page", 2, "tools/list", page2, nil)
			s.fails = test.err
			for range 2 {
				if got, err := c.Do(context.Background(), test.method, jsonrpc.Raw(test.params), nil); err == nil {
					t.Errorf("got %s and no error", got)
				}
			}
			s.fails = nil
			want := 1
			if test.stale {
				want = 5
			}
			s.gets(c, "first again", want, "tools/list", `{}`, nil)
		})
	}
}

// TestCacheAttach: another exchange may be with another server.
func TestCacheAttach(t *testing.T) {
	s := newShop(t, "2026-07-28", minute)
	c := talks(nil, &s.talker)
	s.gets(c, "first", 1, "tools/list", `{}`, nil)
	c.Attach(&s.talker)
	s.gets(c, "attached anew", 2, "tools/list", `{}`, nil)
}

// TestCacheBounds: what is kept is bounded by its number and its bytes; what was not asked for
// longest goes first.
func TestCacheBounds(t *testing.T) {
	uri := func(i int) string { return fmt.Sprintf(`{"uri":"a:%04d"}`, i) }
	tests := []struct {
		name        string
		o           mcp.ClientOptions
		bytes, kept int
	}{
		{"3 entries", mcp.ClientOptions{CacheEntries: 3}, 0, 3},
		{"bytes", mcp.ClientOptions{CacheBytes: 8 << 10}, 1 << 10, 5},
		{"the default of entries", mcp.ClientOptions{}, 0, 1024},
		{"the default of bytes", mcp.ClientOptions{}, 1 << 20, 15},
		{"too large", mcp.ClientOptions{CacheBytes: 8 << 10}, 8 << 10, 0},
		{"no entries", mcp.ClientOptions{CacheEntries: -1}, 0, 0},
		{"no bytes", mcp.ClientOptions{CacheBytes: -1}, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newShop(t, "2026-07-28", `"x":"`+strings.Repeat("x", test.bytes)+`",`+minute)
			c := talks(&test.o, &s.talker)
			for i := range test.kept + 1 {
				s.gets(c, "filling", i+1, "resources/read", uri(i), nil)
				if test.kept > 0 {
					s.gets(c, "in use", 1, "resources/read", uri(0), nil)
				}
			}
			for i := range test.kept + 1 {
				want := i + 1
				switch {
				case test.kept == 0:
					want = 2
				case i == 1: // the one that had to go
					continue
				}
				s.gets(c, uri(i), want, "resources/read", uri(i), nil)
			}
			if test.kept > 0 {
				s.gets(c, "what had to go", test.kept+2, "resources/read", uri(1), nil)
			}
		})
	}
}

// BenchmarkCache is an answer that is kept, beside one that is not.
func BenchmarkCache(b *testing.B) {
	for _, test := range []struct{ name, hint string }{{"kept", minute}, {"asked", ""}} {
		b.Run(test.name, func(b *testing.B) {
			s := newShop(b, "2026-07-28", test.hint)
			c := talks(nil, &s.talker)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Do(context.Background(), "tools/list", nil, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
