package mcp_test

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

func duration(ms int) time.Duration { return time.Duration(ms) * time.Millisecond }

var cacheMembers = regexp.MustCompile(`"ttlMs":(\d+),"cacheScope":"(\w+)"`)

// cacheOf is the hint in an answer, as in "0 private".
func cacheOf(answer string) string {
	m := cacheMembers.FindStringSubmatch(answer)
	if m == nil {
		return "none"
	}
	return m[1] + " " + m[2]
}

// TestRegistrationIsCheap: four times as many tools take no more than some six times the
// memory to register and to remove. Copies of all that is there for each would take
// sixteen times.
func TestRegistrationIsCheap(t *testing.T) {
	cost := func(n int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := quiet(mcp.ServerOptions{})
		for i := range n {
			s.AddTool(mcp.Tool{Name: fmt.Sprint("tool", i)}, done)
		}
		for i := range n {
			s.RemoveTool(fmt.Sprint("tool", i))
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	cost(100)
	if few, many := cost(1000), cost(4000); many > 6*few {
		t.Errorf("1,000 tools took %d bytes, 4,000 tools %d", few, many)
	}
}

// TestListsWhileChanging: lists that are asked for while things come and go are always
// lists of what stays and of whole items.
func TestListsWhileChanging(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	for _, l := range lists {
		l.add(s, "first", nil)
	}
	var all sync.WaitGroup
	for i, l := range lists {
		for w := range 2 {
			name := fmt.Sprintf("w%d.%d", i, w)
			all.Go(func() {
				for range 50 {
					l.add(s, name, forAlice)
					l.remove(s, name)
				}
			})
		}
		for _, f := range forms {
			all.Go(func() {
				for range 50 {
					names, _ := turn(t, s, f, alice, l.method, l.member, "")
					if len(names) == 0 || names[0] != "first" || len(names) > 3 {
						t.Errorf("%s: %q", l.method, names)
					}
				}
			})
		}
	}
	all.Wait()
	for _, l := range lists {
		if names, _ := turn(t, s, forms[0], alice, l.method, l.member, ""); len(names) != 1 {
			t.Errorf("%s: %q at the end; want first alone", l.method, names)
		}
	}
}

// TestManyForms: an item's bytes are kept for a bounded number of forms, and are right
// beyond it.
func TestManyForms(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	s.AddTool(mcp.Tool{Name: "a", Title: "A", Visible: forAlice}, done)
	for i := range 40 {
		f := bare("2025-11-25")
		f.Title = i%2 == 0
		x := &exchange{server: s, form: f, principal: alice}
		want := `{"tools":[{"name":"a","title":"A","inputSchema":{"type":"object"}}]}`
		if !f.Title {
			want = strings.Replace(want, `"title":"A",`, "", 1)
		}
		same(t, fmt.Sprint("form ", i), x.ask(t, context.Background(), "tools/list", `{}`), want)
	}
}

// manyTools is a server of n tools and a request for their list.
func manyTools(tb testing.TB, n int, o mcp.ServerOptions, visible func(*mcp.Principal) bool) (*mcp.Server, mcp.Request) {
	s := quiet(o)
	for i := range n {
		s.AddTool(mcp.Tool{Name: fmt.Sprint("tool", i), Description: "Does what tool " + fmt.Sprint(i) + " does.", Visible: visible,
			InputSchema: jsonrpc.Raw(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)}, done)
	}
	scanner := jsonrpc.Scanner{Inner: []string{"_meta", "arguments"}}
	m := &jsonrpc.Message{}
	if e := scanner.Scan([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), m); e != nil {
		tb.Fatal(e)
	}
	return s, mcp.Request{Message: m, Form: form("2026-07-28"), Principal: alice}
}

// BenchmarkToolsList lists 1,000 tools. The floor is a copy of the answer's bytes, in the
// same run; "x copy" is how many times that a list costs.
func BenchmarkToolsList(b *testing.B) {
	rows := []struct {
		name    string
		o       mcp.ServerOptions
		visible func(*mcp.Principal) bool
	}{
		{"whole", mcp.ServerOptions{}, nil},
		{"filtered", mcp.ServerOptions{}, forAlice},
		{"page", mcp.ServerOptions{PageSize: 1000, Keys: keys}, nil},
	}
	for _, r := range rows {
		b.Run(r.name, func(b *testing.B) {
			s, request := manyTools(b, 1000, r.o, r.visible)
			answer, err := s.Answer(context.Background(), &request, nil)
			if err != nil {
				b.Fatal(err)
			}
			dst := make([]byte, 0, 2*len(answer))
			var copied, listed time.Duration
			for b.Loop() {
				start := time.Now()
				for range 16 {
					dst = append(dst[:0], answer...)
				}
				between := time.Now()
				for range 16 {
					if dst, err = s.Answer(context.Background(), &request, dst[:0]); err != nil {
						b.Fatal(err)
					}
				}
				copied, listed = copied+between.Sub(start), listed+time.Since(between)
			}
			b.SetBytes(int64(16 * len(answer)))
			b.ReportMetric(float64(listed)/float64(copied), "x-copy")
		})
	}
}

// BenchmarkRegister registers 8,000 tools and lists them once.
func BenchmarkRegister(b *testing.B) {
	for b.Loop() {
		s, request := manyTools(b, 8000, mcp.ServerOptions{}, nil)
		if _, err := s.Answer(context.Background(), &request, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// TestEmptied: a capability that a client was told of stays when the last thing it was
// declared for is removed. Lists are empty then, and names are unknown (2026-07-28
// server/tools, server/prompts and server/resources, Capabilities).
func TestEmptied(t *testing.T) {
	completes := map[string]mcp.Completer{"x": mcp.CompleteFrom("a")}
	s := quiet(mcp.ServerOptions{})
	declared := func(f *mcp.Form) string { return string(s.AppendCapabilities(nil, f)) }
	for _, l := range lists {
		l.add(s, "a", nil)
	}
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "c:{x}", Name: "c", Complete: completes}, holding(nil, &mcp.TextResource{URI: "a:b"}))
	before := make(map[string]string)
	for _, f := range forms {
		before[f.Revision] = declared(f)
	}
	for _, l := range lists {
		l.remove(s, "a")
	}
	s.RemoveResourceTemplate("c:{x}")
	tests := []struct{ method, params, want string }{
		{"tools/list", `{}`, `{"tools":[]}`},
		{"tools/call", `{"name":"a"}`, "-32602 Unknown tool: a"},
		{"prompts/list", `{}`, `{"prompts":[]}`},
		{"prompts/get", `{"name":"a"}`, "-32602 Unknown prompt: a"},
		{"resources/list", `{}`, `{"resources":[]}`},
		{"resources/templates/list", `{}`, `{"resourceTemplates":[]}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"x","value":""}}`, "-32602 Unknown prompt: a"},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		same(t, "capabilities", declared(f), before[f.Revision])
		for _, test := range tests {
			same(t, test.method, ask(t, s, bare(f.Revision), test.method, test.params), test.want)
		}
		got := ask(t, s, f, "resources/read", `{"uri":"r:a"}`)
		same(t, "resources/read", got[:6], fmt.Sprint(int(f.ResourceNotFound)))
	})
}
