package mcp_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// forwards is a server that has everything answered with its method.
func forwards(k mcp.ServerCapabilities) *mcp.Server {
	s := quiet(mcp.ServerOptions{Logging: true})
	s.Forward(mcp.Forward{
		Answer: func(_ context.Context, c *mcp.Call) (mcp.Reply, error) {
			body := jsonrpc.AppendString([]byte(`"method":`), c.Method())
			return mcp.NewReply(append(append(body, `,"params":`...), c.Params()...), nil), nil
		},
		Capabilities: k,
		HeaderParams: func(tool string) []mcp.HeaderParam { return []mcp.HeaderParam{{Name: "Mcp-Param-" + tool}} },
	})
	return s
}

// everythingDeclared is what a server can declare.
func everythingDeclared() mcp.ServerCapabilities {
	return mcp.ServerCapabilities{
		Tools: &mcp.ListCapability{ListChanged: true}, Prompts: &mcp.ListCapability{},
		Resources: &mcp.ResourcesCapability{Subscribe: true}, Completions: true,
	}
}

// TestForward: all that the revision has and the server declares is forwarded, and so is what
// the protocol does not know.
func TestForward(t *testing.T) {
	const params = `{"name":"a","_meta":{"b":1}}`
	inForms(t, func(t *testing.T, f *mcp.Form) {
		f = bare(f.Revision)
		all, none := forwards(everythingDeclared()), forwards(mcp.ServerCapabilities{})
		for _, method := range append(slices.Clone(methods), "com.example/do") {
			want := `{"method":"` + method + `","params":` + params + `}`
			same(t, method, ask(t, all, f, method, params), want)
			if method != "com.example/do" && method != "subscriptions/listen" {
				want = "-32601 Method not found: " + method
			}
			same(t, method+", not declared", ask(t, none, f, method, params), want)
		}
		for _, method := range []string{"initialize", "ping", "logging/setLevel", "server/discover"} {
			same(t, method, ask(t, all, f, method, params), "-32601 Method not found: "+method)
		}
	})
}

// TestForwardDeclares: the capabilities are declared as they are, each time anew.
func TestForwardDeclares(t *testing.T) {
	s := forwards(everythingDeclared())
	for range 2 {
		same(t, "capabilities", string(s.AppendCapabilities(nil, form("2026-07-28"))),
			`{"logging":{},"completions":{},"prompts":{},"resources":{"subscribe":true},"tools":{"listChanged":true}}`)
		s.AppendStatelessCapabilities(nil, form("2025-11-25")) // which must not change them
	}
	if got := s.HeaderParams([]byte("a"), nil); len(got) != 1 || got[0].Name != "Mcp-Param-a" {
		t.Errorf("header params: got %v", got)
	}
	bareServer := quiet(mcp.ServerOptions{})
	bareServer.Forward(mcp.Forward{})
	if got := bareServer.HeaderParams([]byte("a"), nil); got != nil {
		t.Errorf("header params without any: got %v", got)
	}
	bareServer.Notice(context.Background(), mcp.Request{Message: &jsonrpc.Message{Method: []byte("notifications/a")}, Form: form("2026-07-28")})
}

// TestForwardNotice: notifications come with what they have.
func TestForwardNotice(t *testing.T) {
	var got []string
	s := quiet(mcp.ServerOptions{})
	listener := s.Listen(mcp.Filter{})
	defer listener.Close()
	s.Forward(mcp.Forward{Notice: func(_ context.Context, c *mcp.Call) {
		got = append(got, c.Method()+" "+string(c.Params()))
		c.Progress(1, 2, "") // which goes nowhere
		if c.Session() != listener {
			t.Error("the session is another one")
		}
	}})
	m := &jsonrpc.Message{Method: []byte("notifications/initialized"), Params: jsonrpc.Raw(`{"a":1}`)}
	s.Notice(context.Background(), mcp.Request{Message: m, Form: form("2025-11-25"), Changes: listener})
	if want := []string{`notifications/initialized {"a":1}`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestListenerHear: a listener is told by itself of what it listens for, and nobody else is.
func TestListenerHear(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	wanted := mcp.Filter{ToolsListChanged: true, ResourceSubscriptions: []string{"a:1", "a:2"}}
	one, other := s.Listen(wanted), s.Listen(wanted)
	defer other.Close()
	tests := []struct {
		change mcp.Change
		want   string
	}{
		{mcp.Change{Kind: mcp.ToolsListChanged}, "notifications/tools/list_changed "},
		{mcp.Change{Kind: mcp.PromptsListChanged}, ""},
		{mcp.Change{Kind: mcp.ResourceUpdated, URI: "a:2"}, "notifications/resources/updated a:2"},
		{mcp.Change{Kind: mcp.ResourceUpdated, URI: "a:3"}, ""},
		{mcp.Change{Kind: mcp.ResourceUpdated}, "notifications/resources/updated a:1,notifications/resources/updated a:2"},
	}
	for _, test := range tests {
		one.Hear(test.change)
		same(t, string(test.change.Kind)+" "+test.change.URI, told(t, one), test.want)
		same(t, "the other one", told(t, other), "")
	}
	one.Close()
	one.Hear(mcp.Change{Kind: mcp.ToolsListChanged})
	same(t, "closed", told(t, one), "")
}

// told is what a listener has been told, in order of the uris.
func told(t *testing.T, l *mcp.Listener) string {
	t.Helper()
	var all []string
	ending := make(chan struct{})
	close(ending)
	for range 2 { // the one wakes of either
		err := l.Deliver(context.Background(), ending, func(c mcp.Change) error {
			all = append(all, string(c.Kind)+" "+c.URI)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

// TestListenerAfterClose: what is to run behind the end runs once, however late it is given.
func TestListenerAfterClose(t *testing.T) {
	l := quiet(mcp.ServerOptions{}).Listen(mcp.Filter{})
	var ran sync.WaitGroup
	ran.Add(2)
	l.AfterClose(ran.Done)
	l.Close()
	l.Close()
	l.AfterClose(ran.Done)
	ran.Wait()
}

// TestReplyWithMeta: names that are none are left out, and the map stays the caller's.
func TestReplyWithMeta(t *testing.T) {
	given := mcp.Meta{"com.example/a": jsonrpc.Raw(`1`), "no name!": jsonrpc.Raw(`2`)}
	reply := mcp.NewReply(nil, nil).WithMeta(given)
	out, err := quiet(mcp.ServerOptions{}).AppendReply(nil, reply, form("2025-11-25"))
	if err != nil || len(given) != 2 {
		t.Errorf("%v, %v", err, given)
	}
	same(t, "reply", string(out), `{"_meta":{"com.example/a":1}}`)
}
