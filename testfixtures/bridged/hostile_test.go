package bridged_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/discover/bridge"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// scripted is a modern server that says what it is told to.
type scripted struct {
	results map[string]string // by method
	err     error             // of every other request
	once    sync.Once
	done    chan struct{}
}

func (s *scripted) Modern(context.Context, jsonrpc.Handler, *slog.Logger) (mcp.Link, error) {
	return s, nil
}

func (s *scripted) Legacy(context.Context, jsonrpc.Handler, *slog.Logger) (mcp.Link, error) {
	if s.results["initialize"] == "" {
		return nil, errors.New("there is no legacy era")
	}
	return s, nil
}

// again is the same server at the end of another link.
func (s *scripted) again() *scripted { return &scripted{results: s.results, done: make(chan struct{})} }

func (s *scripted) Call(_ context.Context, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	if result, ok := s.results[out.Method]; ok {
		return jsonrpc.Raw(result), nil
	}
	return nil, s.err
}

func (s *scripted) Notify(context.Context, *mcp.Outgoing) error { return nil }
func (s *scripted) Done() <-chan struct{}                       { return s.done }

func (s *scripted) Err() error {
	select {
	case <-s.done:
		return mcp.ErrLinkClosed
	default:
		return nil
	}
}

func (s *scripted) Close() error {
	s.once.Do(func() { close(s.done) })
	return nil
}

// said is what a modern server says of itself, with these members more.
func said(more string) string {
	return `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{},"resources":{},"completions":{}}` + more + `}`
}

// scripts makes a bridge to a scripted server.
func scripts(t *testing.T, s *scripted) (*bridge.Bridge, error) {
	s.done = make(chan struct{})
	b, err := bridge.New(t.Context(), func() discover.Transport { return s }, nil)
	if err == nil {
		t.Cleanup(func() { _ = b.Close() })
	}
	return b, err
}

// TestStrangeServers: what a server may not send does not pass, and what it need not send is not
// missed.
func TestStrangeServers(t *testing.T) {
	const tool = `{"name":"a","inputSchema":{"type":"object"}}`
	tests := []struct {
		name, method, params, result, want string
	}{
		{"no content", "tools/call", `{"name":"a"}`, `{"resultType":"complete"}`, `"content":[]`},
		{"content that is null", "tools/call", `{"name":"a"}`, `{"resultType":"complete","content":null}`, `"content":[]`},
		{"content of a newer kind", "tools/call", `{"name":"a"}`, `{"resultType":"complete","content":[{"type":"text","text":"x"}],"_meta":{"bad name":1,"com.example/a":2}}`, `"com.example/a":2`},
		{"content that is none", "tools/call", `{"name":"a"}`, `{"resultType":"complete","content":7}`, `error -32603`},
		{"a result that is no object", "tools/call", `{"name":"a"}`, `[]`, `error -32603`},
		{"a result of an unknown type", "tools/call", `{"name":"a"}`, `{"resultType":"strange"}`, `error -32603`},
		{"an entry that is none", "tools/list", `{}`, `{"resultType":"complete","tools":[7,` + tool + `,{"name":"b"}],"nextCursor":"","ttlMs":0,"cacheScope":"private"}`, `"tools":[{"name":"a"`},
		{"a tool that marks its arguments against the rules", "tools/list", `{}`, `{"resultType":"complete","tools":[` + badlyMarked + `,` + tool + `],"ttlMs":0,"cacheScope":"private"}`, `"tools":[{"name":"a"`},
		{"a cursor that is empty", "tools/list", `{}`, `{"resultType":"complete","tools":[],"nextCursor":"","ttlMs":0,"cacheScope":"private"}`, `"nextCursor":""`},
		{"no list", "prompts/list", `{}`, `{"resultType":"complete"}`, `error -32603`},
		{"messages that are none", "prompts/get", `{"name":"a"}`, `{"resultType":"complete","messages":{}}`, `error -32603`},
		{"an input that cannot be", "prompts/list", `{}`, `{"resultType":"input_required","requestState":"s"}`, `error -32603`},
	}
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		for _, test := range tests {
			t.Run(revision+" "+test.name, func(t *testing.T) {
				b, err := scripts(t, &scripted{results: map[string]string{"server/discover": said(""), test.method: test.result}})
				if err != nil {
					t.Fatal(err)
				}
				c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: revision, Unchecked: true})
				r := c.Request(test.method, test.params)
				got := fmt.Sprintf("error %d", r.Code())
				if r.Code() == 0 {
					got = r.String()
				}
				if !strings.Contains(got, test.want) {
					t.Errorf("got %s, want %s", got, test.want)
				}
			})
		}
	}
}

// TestTypesOfExtensions: a result of a type that an extension has passes to a client which has declared
// an extension, and to no other one (2026-07-28 basic/index, ResultType).
func TestTypesOfExtensions(t *testing.T) {
	const task = `{"resultType":"task","taskId":"t-1","ttlMs":5,"_meta":{"com.example/a":2}}`
	tests := []struct{ name, revision, capabilities, want string }{
		{"declared", "2026-07-28", `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, `{"resultType":"task","taskId":"t-1","ttlMs":5,`},
		{"not declared", "2026-07-28", `{}`, "error -32603"},
		{"without result types", "2025-11-25", `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, "error -32603"},
	}
	for _, method := range []string{"tools/call", "com.example/do"} {
		for _, test := range tests {
			b, err := scripts(t, &scripted{results: map[string]string{"server/discover": said(""), method: task}})
			if err != nil {
				t.Fatal(err)
			}
			c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: test.revision, Capabilities: test.capabilities, Unchecked: true})
			r := c.Request(method, `{"name":"a"}`)
			got := fmt.Sprintf("error %d", r.Code())
			if r.Code() == 0 {
				got = r.String()
			}
			if !strings.HasPrefix(got, test.want) || r.Code() == 0 && !strings.Contains(got, `"com.example/a":2`) {
				t.Errorf("%s, %s: got %s, want %s", method, test.name, got, test.want)
			}
		}
	}
}

// badlyMarked is a tool that clients of 2026-07-28 leave out (2026-07-28 server/tools, x-mcp-header).
const badlyMarked = `{"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Bad Name"}}}}`

// TestMarksBefore: before 2026-07-28 there are no marks, so what a server has in their place breaks no
// rules.
func TestMarksBefore(t *testing.T) {
	for _, revision := range upstreams[:len(upstreams)-1] {
		s := &scripted{results: map[string]string{
			"initialize": `{"protocolVersion":"` + revision + `","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}`,
			"tools/list": `{"tools":[` + badlyMarked + `]}`,
		}}
		b, err := bridge.New(t.Context(), func() discover.Transport { return s.again() }, &bridge.Options{Version: revision})
		if err != nil {
			t.Fatal(err)
		}
		c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: "2025-11-25"})
		if got := c.Request("tools/list", `{}`).String(); !strings.Contains(got, `"name":"bad"`) {
			t.Errorf("%s: got %s, want the tool", revision, got)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestStrangeNames: a server that says nothing of itself, or what cannot be passed on.
func TestStrangeNames(t *testing.T) {
	tests := []struct{ name, more, want, err string }{
		{"no name", "", "unknown", ""},
		{"a name", `,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n","version":"1"}}`, "n", ""},
		{"a name that is none", `,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":7}}`, "unknown", ""},
		{"instructions that are none", `,"instructions":7`, "", "instructions"},
	}
	for _, test := range tests {
		b, err := scripts(t, &scripted{results: map[string]string{"server/discover": said(test.more)}})
		switch {
		case err != nil && (test.err == "" || !strings.Contains(err.Error(), test.err)), err == nil && test.err != "":
			t.Errorf("%s: got %v, want an error with %q", test.name, err, test.err)
		case err == nil && b.Server().Identity().Name != test.want:
			t.Errorf("%s: got %q, want %q", test.name, b.Server().Identity().Name, test.want)
		}
	}
}

// TestErrors: clients are told what the server says, and of the connection no more than that
// there is none.
func TestErrors(t *testing.T) {
	tests := []struct {
		name           string
		err            error
		modern, legacy string
	}{
		{"an error of the server", &jsonrpc.Error{Code: -32602, Message: "bad"}, "-32602 bad", "-32602 bad"},
		{"a resource that is not there", &jsonrpc.Error{Code: -32602, Message: "none", Data: jsonrpc.Raw(`{"uri":"a:b"}`)}, "-32602 none", "-32002 none"},
		{"the same in an older code", &jsonrpc.Error{Code: -32002, Message: "none"}, "-32602 none", "-32002 none"},
		{"a missing capability", &jsonrpc.Error{Code: -32021, Message: "needs roots", Data: jsonrpc.Raw(`{"requiredCapabilities":{"roots":{}}}`)}, "-32021 needs roots", "-32600 needs roots"},
		{"a status", &mcp.Rejected{Status: 503, Reason: "secret"}, "-32603 The server behind the bridge cannot be reached", "-32603 The server behind the bridge cannot be reached"},
		{"a busy server", &mcp.RetryAfter{Wait: 5 * time.Second, Err: &mcp.Rejected{Status: 429, Reason: "secret"}}, "-32603 The server behind the bridge is busy; try again after 5s", "-32603 The server behind the bridge is busy; try again after 5s"},
		{"anything else", errors.New("secret"), "-32603 The server behind the bridge has not answered", "-32603 The server behind the bridge has not answered"},
		{"a connection that is refused", fmt.Errorf("secret: %w", &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("secret")}),
			"-32603 The server behind the bridge cannot be reached", "-32603 The server behind the bridge cannot be reached"},
		{"an answer that is lost", fmt.Errorf("%w: secret: %w", mcp.ErrAnswerLost, &net.OpError{Op: "read", Net: "tcp", Err: errors.New("secret")}),
			"-32603 The server behind the bridge has gone", "-32603 The server behind the bridge has gone"},
		{"the end", fmt.Errorf("secret: %w", mcp.ErrLinkClosed), "-32603 The server behind the bridge has gone", "-32603 The server behind the bridge has gone"},
	}
	for _, test := range tests {
		for revision, want := range map[string]string{"2025-11-25": test.legacy, "2026-07-28": test.modern} {
			b, err := scripts(t, &scripted{results: map[string]string{"server/discover": said("")}, err: test.err})
			if err != nil {
				t.Fatal(err)
			}
			c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: revision})
			r := c.Request("resources/read", `{"uri":"a:b"}`)
			if r.Error == nil {
				t.Errorf("%s in %s: got %s, want an error", test.name, revision, r)
				continue
			}
			if got := fmt.Sprintf("%d %s", r.Error.Code, r.Error.Message); !strings.HasPrefix(got, want) || strings.Contains(got, "secret") {
				t.Errorf("%s in %s\n got %s\nwant %s", test.name, revision, got, want)
			}
		}
	}
}

// endless is a modern server that has another tool on each page, with a long name and a mark.
type endless struct {
	*scripted
	pages int
}

func (s *endless) Modern(context.Context, jsonrpc.Handler, *slog.Logger) (mcp.Link, error) {
	return s, nil
}

func (s *endless) Call(ctx context.Context, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	if out.Method != "tools/list" {
		return s.scripted.Call(ctx, out)
	}
	s.pages++
	return fmt.Appendf(nil, `{"resultType":"complete","ttlMs":0,"cacheScope":"private","nextCursor":"%d","tools":[{"name":"%d%s","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}}]}`,
		s.pages, s.pages, strings.Repeat("x", 1<<20)), nil
}

// TestEndlessTools: what is kept of the marks of tools has a bound, however many a server has.
func TestEndlessTools(t *testing.T) {
	s := &endless{scripted: &scripted{results: map[string]string{"server/discover": said("")}, done: make(chan struct{})}}
	b, err := bridge.New(t.Context(), func() discover.Transport { return s }, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c := mcptest.Dial(t, b.Server(), nil)
	held := func() uint64 {
		var now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&now)
		return now.HeapAlloc >> 20
	}
	before := held()
	for range 100 {
		c.Request("tools/list", `{}`)
	}
	if after := held(); s.pages != 100 || after > before+50 {
		t.Errorf("after %d pages of 1 MiB, %d MiB are in use, %d before", s.pages, after, before)
	}
	c.Close()
}
