package legacy_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// outlet keeps what a session sends outside of its requests.
type outlet struct {
	mu    sync.Mutex
	lines []string
	err   error
	gate  chan struct{} // not nil: Notify waits until it is closed
}

func (o *outlet) Notify(method string, params []byte) error {
	if o.gate != nil {
		<-o.gate
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines = append(o.lines, strings.TrimSpace(strings.TrimPrefix(method, "notifications/")+" "+string(params)))
	return o.err
}

// take returns what was sent since the last take, once time has passed.
func (o *outlet) take() string {
	<-time.After(time.Second)
	synctest.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := o.lines
	o.lines = nil
	return strings.Join(lines, "\n")
}

// changing is a server with one of each kind, that may change.
func changing(o mcp.ServerOptions) *mcp.Server {
	o.Logger = slog.New(slog.DiscardHandler)
	s := mcp.NewServer("changing", "1", &o)
	addTool(s, "t")
	s.AddPrompt(mcp.Prompt{Name: "p"}, func(context.Context, *mcp.Call) (*mcp.PromptResult, error) { return &mcp.PromptResult{}, nil })
	addResource(s, "r:1")
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "d:{x}", Name: "d"}, noResource)
	return s
}

func noResource(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) { return nil, nil }

func addTool(s *mcp.Server, name string) {
	s.AddTool(mcp.Tool{Name: name}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return &mcp.Result{}, nil })
}

func addResource(s *mcp.Server, uri string) {
	s.AddResource(mcp.Resource{URI: uri, Name: "r"}, noResource)
}

// inSession runs f in a session of each revision, which is open but not told so yet.
func inSession(t *testing.T, o mcp.ServerOptions, f func(t *testing.T, c *client, out *outlet, s *mcp.Server)) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, out := changing(o), &outlet{}
				c := &client{Session: legacy.NewSession(s, &legacy.Options{Outlet: out}), t: t}
				defer c.Close()
				c.open(version)
				f(t, c, out, s)
			})
		})
	}
}

// initialized tells the session that the handshake is over.
func (c *client) initialized() { c.note("notifications/initialized") }

func (c *client) note(method string) {
	c.t.Helper()
	var m jsonrpc.Message
	if e := new(jsonrpc.Scanner).Scan([]byte(`{"jsonrpc":"2.0","method":"`+method+`"}`), &m); e != nil {
		c.t.Fatal(e)
	}
	c.Notification(context.Background(), &m, c)
}

func uri(text string) string { return `,"params":{"uri":` + text + `}` }

// A session is told of the lists without asking, and of the resources that it has
// subscribed to, in every revision (2025-11-25 server/resources, Subscriptions), once
// notifications/initialized has come.
func TestChanges(t *testing.T) {
	inSession(t, mcp.ServerOptions{}, func(t *testing.T, c *client, out *outlet, s *mcp.Server) {
		same(t, "subscribe", c.ask("resources/subscribe", uri(`"r:1"`)), `{}`)
		s.RemoveTool("t")
		s.ResourceUpdated("r:1")
		same(t, "before notifications/initialized", out.take(), "")
		c.initialized()
		same(t, "what changed before it", out.take(), "tools/list_changed\nresources/updated {\"uri\":\"r:1\"}")
		c.initialized() // once more makes no difference
		tests := []struct {
			name string
			do   func()
			want string
		}{
			{"a tool", func() { addTool(s, "n") }, "tools/list_changed"},
			{"a prompt", func() { s.RemovePrompt("p") }, "prompts/list_changed"},
			{"a resource", func() { addResource(s, "r:2") }, "resources/list_changed"},
			{"a resource that is watched", func() { s.ResourceUpdated("r:1") }, `resources/updated {"uri":"r:1"}`},
			{"one that is not", func() { s.ResourceUpdated("r:2") }, ""},
			{"watched twice", func() {
				c.ask("resources/subscribe", uri(`"r:1"`))
				s.ResourceUpdated("r:1")
			}, `resources/updated {"uri":"r:1"}`},
			{"one of a template", func() {
				c.ask("resources/subscribe", uri(`"d:x"`))
				s.ResourceUpdated("d:x")
				s.ResourceUpdated("d:y")
			}, `resources/updated {"uri":"d:x"}`},
			{"not any more", func() {
				same(t, "unsubscribe", c.ask("resources/unsubscribe", uri(`"r:1"`)), `{}`)
				s.ResourceUpdated("r:1")
			}, ""},
			{"a resource that goes, and comes back", func() {
				c.ask("resources/subscribe", uri(`"r:1"`))
				s.RemoveResource("r:1")
				synctest.Wait() // told, and at peace for a while
				addResource(s, "r:1")
				s.ResourceUpdated("r:1")
			}, "resources/list_changed\nresources/list_changed\nresources/updated {\"uri\":\"r:1\"}"},
			{"a change that is not told yet of one that is given up", func() {
				s.RemoveResource("r:2")
				synctest.Wait() // told, and at peace for a while
				s.ResourceUpdated("r:1")
				c.ask("resources/unsubscribe", uri(`"r:1"`))
			}, "resources/list_changed"},
		}
		for _, tt := range tests {
			tt.do()
			same(t, tt.name, out.take(), tt.want)
		}
	})
}

// What is asked of the two methods is checked.
func TestSubscribe(t *testing.T) {
	inSession(t, mcp.ServerOptions{MaxSubscriptions: 2}, func(t *testing.T, c *client, out *outlet, s *mcp.Server) {
		tests := []struct{ method, rest, want string }{
			{"resources/subscribe", ``, `-32602 params.uri must be a string`},
			{"resources/subscribe", uri(`null`), `-32602 params.uri must be a string`},
			{"resources/subscribe", uri(`7`), `-32602 params.uri must be a string`},
			{"resources/subscribe", uri(`""`), `-32002 Unknown resource:  {"uri":""}`},
			{"resources/subscribe", uri(`"r:9"`), `-32002 Unknown resource: r:9 {"uri":"r:9"}`},
			{"resources/unsubscribe", ``, `-32602 params.uri must be a string`},
			{"resources/unsubscribe", uri(`[]`), `-32602 params.uri must be a string`},
			{"resources/unsubscribe", uri(`"r:9"`), `{}`},
			{"resources/subscribe", uri(`"r:1"`), `{}`},
			{"resources/subscribe", uri(`"d:x"`), `{}`},
			{"resources/subscribe", uri(`"d:y"`), `-32603 Too many subscriptions: at most 2, unsubscribe from one first`},
			{"resources/subscribe", uri(`"r:1"`), `{}`}, // is there
			{"resources/unsubscribe", uri(`"r:1"`), `{}`},
			{"resources/subscribe", uri(`"d:y"`), `{}`},
		}
		for _, tt := range tests {
			same(t, tt.method+tt.rest, c.ask(tt.method, tt.rest), tt.want)
		}
	})
}

// A kind that the handshake did not declare is not told of: the client was promised
// none.
func TestChangesFollowTheHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, out := mcp.NewServer("late", "1", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)}), &outlet{}
		addTool(s, "t")
		c := &client{Session: legacy.NewSession(s, &legacy.Options{Outlet: out}), t: t}
		defer c.Close()
		c.open("2025-11-25")
		c.initialized()
		same(t, "no resources", c.ask("resources/subscribe", uri(`"r:1"`)), `-32601 Method not found: resources/subscribe`)
		addResource(s, "r:1")
		s.AddPrompt(mcp.Prompt{Name: "p"}, func(context.Context, *mcp.Call) (*mcp.PromptResult, error) { return nil, nil })
		same(t, "lists that were not declared", out.take(), "")
		same(t, "subscribe", c.ask("resources/subscribe", uri(`"r:1"`)), `{}`)
		addTool(s, "n")
		s.ResourceUpdated("r:1")
		same(t, "what was asked for", out.take(), "tools/list_changed\nresources/updated {\"uri\":\"r:1\"}")
	})
}

// A static server declares no changes, has no subscriptions and is silent (B154).
func TestStatic(t *testing.T) {
	inSession(t, mcp.ServerOptions{Static: true}, func(t *testing.T, c *client, out *outlet, s *mcp.Server) {
		c.initialized()
		if got, want := string(s.AppendCapabilities(nil, &mcp.Form{})), `{"prompts":{},"resources":{},"tools":{}}`; got != want {
			t.Errorf("declared %s, want %s", got, want)
		}
		for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
			same(t, method, c.ask(method, uri(`"r:1"`)), "-32601 Method not found: "+method)
		}
		s.RemoveTool("t")
		s.ResourceUpdated("r:1")
		same(t, "changes", out.take(), "")
	})
}

// A session ends without leaving anything, whatever it is in the middle of.
func TestSessionClose(t *testing.T) {
	begin := func(t *testing.T, out *outlet) (*client, *mcp.Server) {
		s := changing(mcp.ServerOptions{})
		c := &client{Session: legacy.NewSession(s, &legacy.Options{Outlet: out}), t: t}
		c.open("2025-11-25")
		return c, s
	}
	t.Run("idle", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			out := &outlet{}
			c, s := begin(t, out)
			c.initialized()
			c.ask("resources/subscribe", uri(`"r:1"`))
			c.Close()
			c.Close()
			s.ResourceUpdated("r:1")
			s.RemoveTool("t")
			same(t, "after the end", out.take(), "")
			same(t, "subscribe", c.ask("resources/subscribe", uri(`"r:1"`)), "-32601 Method not found: resources/subscribe")
			c.initialized() // starts nothing
		})
	})
	t.Run("before it is initialized", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, _ := begin(t, &outlet{})
			c.Close()
			c.initialized()
		})
	})
	t.Run("before it is opened", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := &client{Session: legacy.NewSession(changing(mcp.ServerOptions{}), nil), t: t}
			c.Close()
			c.open("2025-11-25")
			c.initialized()
		})
	})
	t.Run("at peace after a change", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, s := begin(t, &outlet{})
			c.initialized()
			s.RemoveTool("t")
			synctest.Wait()
			c.Close()
		})
	})
	t.Run("while it sends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			out := &outlet{gate: make(chan struct{})}
			c, s := begin(t, out)
			c.initialized()
			s.RemoveTool("t")
			s.RemovePrompt("p")
			synctest.Wait()
			closed := make(chan struct{})
			go func() { c.Close(); close(closed) }()
			synctest.Wait()
			select {
			case <-closed:
				t.Error("Close returned while Notify was under way")
			default:
			}
			close(out.gate)
			<-closed
			same(t, "sent", out.take(), "tools/list_changed")
		})
	})
	t.Run("the client is gone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			out := &outlet{err: fmt.Errorf("gone")}
			c, s := begin(t, out)
			c.initialized()
			s.RemoveTool("t")
			same(t, "the first change", out.take(), "tools/list_changed")
			addTool(s, "t")
			same(t, "the second one", out.take(), "")
			c.Close()
		})
	})
	t.Run("no outlet", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := changing(mcp.ServerOptions{})
			c := &client{Session: legacy.NewSession(s, nil), t: t}
			c.open("2025-11-25")
			c.initialized()
			s.RemoveTool("t")
			c.Close()
		})
	})
}
