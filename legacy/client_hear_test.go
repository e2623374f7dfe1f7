package legacy_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// heard collects what a client's options are told.
type heard struct{ told chan string }

func hears(o *mcp.ClientOptions) (*mcp.ClientOptions, *heard) {
	h := &heard{told: make(chan string, 100)}
	o.Log = func(p *mcp.LogMessageParams) { h.told <- fmt.Sprintf("log %v %s %s", p.Level, p.Logger, p.Data) }
	o.Changed = func(c mcp.Change) { h.told <- fmt.Sprintf("changed %s %s", c.Kind, c.URI) }
	o.Notice = func(method string, params jsonrpc.Raw) { h.told <- fmt.Sprintf("notice %s %s", method, params) }
	return o, h
}

// next is what the options are told next.
func (h *heard) next(t *testing.T) string {
	t.Helper()
	select {
	case told := <-h.told:
		return strings.TrimRight(told, " ")
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was told")
		return ""
	}
}

// TestAsked is how the client answers a server, in each revision.
func TestAsked(t *testing.T) {
	o := &mcp.ClientOptions{Roots: func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///r", Name: "R"}}, nil }}
	tests := []struct{ name, request, want string }{
		{"ping", `"ping"`, `{}`},
		{"ping with params", `"ping","params":{"x":1}`, `{}`},
		{"roots", `"roots/list"`, `{"roots":[{"uri":"file:///r","name":"R"}]}`},
		{"unknown", `"tools/list"`, `-32601 Method not found`},
		{"not declared", `"sampling/createMessage","params":{}`, `-32601 `},
		{"another spelling", `"Ping"`, `-32601 Method not found`},
	}
	for _, version := range versions {
		x := connect(t, serve(`{}`), o, version)
		for _, test := range tests {
			got := from(t, x, &peer{}, `{"jsonrpc":"2.0","id":"a","method":`+test.request+`}`)
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("%s: %s: got %s, want %s", version, test.name, got, test.want)
			}
		}
	}
}

// TestAskedTooEarly: before the handshake there are pings and log messages alone.
func TestAskedTooEarly(t *testing.T) {
	o, h := hears(&mcp.ClientOptions{})
	x := legacy.NewClient(mcp.NewClient(o), nil)
	same(t, "ping", from(t, x, &peer{}, `{"jsonrpc":"2.0","id":1,"method":"ping"}`), `{}`)
	same(t, "roots", from(t, x, &peer{}, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`),
		"-32600 Not initialized: the client waits for the answer to initialize")
	tell(t, x, "notifications/message", `{"level":"info","data":1}`)
	same(t, "log message", h.next(t), "log info  1")
	tell(t, x, "notifications/tools/list_changed", "")
	same(t, "change", h.next(t), "changed notifications/tools/list_changed")
	x.SessionEnded() // of none
	if x.Form() != nil || x.Server() != nil || x.AllowBatch() == nil {
		t.Error("there is a session before Open")
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// TestAskedAtOnce: a server may ask as soon as it hears of notifications/initialized, before
// the client's Open has returned.
func TestAskedAtOnce(t *testing.T) {
	o := &mcp.ClientOptions{LogLevel: mcp.LogInfo, Roots: func(context.Context) ([]mcp.Root, error) { return nil, nil }}
	l := serve(declaresAll)
	x := legacy.NewClient(mcp.NewClient(o), nil)
	got := ""
	l.onlyFor("logging/setLevel", func(context.Context, string) (string, error) {
		got = from(t, x, &peer{}, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		return `{}`, nil
	})
	if err := x.Open(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	same(t, "roots", got, `{"roots":[]}`)
}

// TestTold is where what a server tells goes. Nothing of it disturbs the session (B206).
func TestTold(t *testing.T) {
	tests := []struct{ name, method, params, want string }{
		{"log message", "notifications/message", `{"level":"error","logger":"l","data":{"a":1}}`, `log error l {"a":1}`},
		{"tools", "notifications/tools/list_changed", ``, "changed notifications/tools/list_changed"},
		{"prompts", "notifications/prompts/list_changed", `{"_meta":{}}`, "changed notifications/prompts/list_changed"},
		{"resources", "notifications/resources/list_changed", ``, "changed notifications/resources/list_changed"},
		{"a resource", "notifications/resources/updated", `{"uri":"a:b"}`, "changed notifications/resources/updated a:b"},
		{"a resource without uri", "notifications/resources/updated", `{}`, ""},
		{"of another protocol", "window/logMessage", `{"x":1}`, `notice window/logMessage {"x":1}`},
		{"unknown", "notifications/unknown", ``, `notice notifications/unknown`},
		{"progress of nothing", "notifications/progress", `{"progressToken":1,"progress":1}`, ""},
		{"progress without params", "notifications/progress", ``, ""},
		{"cancelled without id", "notifications/cancelled", `{}`, ""},
		{"cancelled with null", "notifications/cancelled", `{"requestId":null}`, ""},
		{"request of a client", "tools/list", ``, "notice tools/list"},
		{"the client's own", "notifications/initialized", ``, "notice notifications/initialized"},
	}
	for _, version := range versions {
		o, h := hears(&mcp.ClientOptions{})
		x := connect(t, serve(declaresAll), o, version)
		for _, test := range tests {
			tell(t, x, test.method, test.params)
			if test.want != "" {
				same(t, version+" "+test.name, h.next(t), test.want)
			}
		}
		tell(t, x, "the/end", "")
		same(t, version+": nothing else", h.next(t), "notice the/end")
		if err := x.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestCancelled: what the server gives up is given up by the connection it came over.
func TestCancelled(t *testing.T) {
	x := connect(t, serve(`{}`), nil, "")
	p := &peer{}
	from(t, x, p, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a","reason":"r"}}`)
	from(t, x, p, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	from(t, x, p, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5.5}}`)
	lines(t, "cancelled", p.cancelled, `"a"`, `5`)
}

// TestLogLevel is what is asked for of log messages.
func TestLogLevel(t *testing.T) {
	steps := func(x *legacy.Client, levels ...mcp.LogLevel) {
		for _, level := range levels {
			if err := x.SetLogLevel(t.Context(), level); err != nil {
				t.Errorf("SetLogLevel(%v): %v", level, err)
			}
		}
	}
	for _, version := range versions {
		o, h := hears(&mcp.ClientOptions{LogLevel: mcp.LogNotice})
		l := serve(declaresAll)
		x := connect(t, l, o, version)
		steps(x, mcp.LogDebug, 0)
		tell(t, x, "notifications/message", `{"level":"emergency","data":1}`) // not wanted
		steps(x, mcp.LogInfo)
		tell(t, x, "notifications/message", `{"level":"info","data":2}`)
		same(t, "the wanted one", h.next(t), "log info  2")
		lines(t, version, l.sent(), `logging/setLevel {"level":"notice"}`, `logging/setLevel {"level":"debug"}`,
			`logging/setLevel {"level":"emergency"}`, `logging/setLevel {"level":"info"}`)
	}
	l := serve(declaresAll)
	x := connect(t, l, nil, "")
	steps(x, 0)
	lines(t, "none where none was asked for", l.sent())

	l = serve(`{}`)
	connect(t, l, &mcp.ClientOptions{LogLevel: mcp.LogNotice}, "")
	lines(t, "a server that has none", l.sent())

	l = serve(`{"logging":{}}`)
	l.onlyFor("logging/setLevel", func(context.Context, string) (string, error) { return "", jsonrpc.Errorf(-32603, "no") })
	x = connect(t, l, &mcp.ClientOptions{LogLevel: mcp.LogNotice}, "") // is no reason to go without
	if err := x.SetLogLevel(t.Context(), mcp.LogInfo); jsonrpc.CodeOf(err) != -32603 {
		t.Errorf("SetLogLevel: %v", err)
	}
}

// TestLabel: the debug log names the era.
func TestLabel(t *testing.T) {
	x := connect(t, serve(`{}`), nil, "")
	same(t, "label", x.Label(nil).String(), "era=legacy")
	var closing sync.WaitGroup
	for range 3 {
		closing.Go(func() { x.Close() })
	}
	closing.Wait()
}
