package discover_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/mcp"
)

// changing is a server with a tool, a prompt, a resource and a template, that may
// change.
func changing(o mcp.ServerOptions) *mcp.Server {
	o.Logger = quiet()
	s := mcp.NewServer("test-server", "1.2.3", &o)
	s.AddTool(mcp.Tool{Name: "t"}, nothing)
	s.AddPrompt(mcp.Prompt{Name: "p"}, noPrompt)
	s.AddResource(mcp.Resource{URI: "r:1", Name: "r"}, noResource)
	s.AddResource(mcp.Resource{URI: "r:2", Name: "r"}, noResource)
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "d:{x}", Name: "d"}, noResource)
	return s
}

// listen is a subscriptions/listen request with this filter.
func listen(id, filter string) string {
	return modernAsk(id, "subscriptions/listen", `"notifications":`+filter)
}

func modernAsk(id, method, members string) string {
	if members != "" {
		members += ","
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + members +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
}

// note is a notification of the stream id; members stand behind its _meta.
func note(id, method, members string) string {
	if members != "" {
		members = "," + members
	}
	return `{"jsonrpc":"2.0","method":"notifications/` + method + `","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}` + members + `}}`
}

func acknowledged(id, filter string) string {
	return note(id, "subscriptions/acknowledged", `"notifications":`+filter)
}

// graceful is how the server ends a stream.
func graceful(id string) []string {
	return []string{
		note(id, "cancelled", `"requestId":`+id+`,"reason":"The server ends the connection"`),
		`{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test-server","version":"1.2.3"},"io.modelcontextprotocol/subscriptionId":` + id + `}}}`,
	}
}

// changed does something to the server and returns what is sent for it, once time has
// passed.
func (w *wire) changed(do func()) []string {
	do()
	<-time.After(time.Second)
	synctest.Wait()
	return w.out.take(w.t)
}

func (w *wire) wantLines(what string, got []string, want ...string) {
	w.t.Helper()
	if !slices.Equal(got, want) {
		w.t.Errorf("%s\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// finishOpen ends the input while streams are open. Each ends gracefully, and nothing
// waits for the drain time (B155, B161).
func (w *wire) finishOpen(ids ...string) {
	w.t.Helper()
	before := time.Now()
	close(w.in.lines)
	if err := <-w.done; err != nil {
		w.t.Errorf("the connection ended with %v, want nil", err)
	}
	if took := time.Since(before); took > 100*time.Millisecond {
		w.t.Errorf("the end took %v", took)
	}
	left := w.out.take(w.t)
	for _, id := range ids {
		want := graceful(id)
		i := slices.Index(left, want[0])
		j := slices.Index(left, want[1])
		if i < 0 || j < i {
			w.t.Errorf("stream %s: want\n%s\nin\n%s", id, strings.Join(want, "\n"), strings.Join(left, "\n"))
		}
	}
	if len(left) != 2*len(ids) {
		w.t.Errorf("%d streams ended with %d messages, want 2 each:\n%s", len(ids), len(left), strings.Join(left, "\n"))
	}
}

// The filter is checked, and what of it is honoured is acknowledged (2026-07-28
// basic/patterns/subscriptions, Acknowledgment).
func TestListenFilter(t *testing.T) {
	const where = "params.notifications"
	refused := func(message string) string { return fmt.Sprintf(`-32602 %s`, message) }
	tests := []struct{ name, filter, want string }{
		{"nothing", `{}`, `{}`},
		{"all lists", `{"resourcesListChanged":true,"promptsListChanged":true,"toolsListChanged":true}`,
			`{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`},
		{"false is not asked for", `{"toolsListChanged":false,"promptsListChanged":true}`, `{"promptsListChanged":true}`},
		{"unknown kinds are left out", `{"tasks":[1],"toolslistchanged":true}`, `{}`},
		{"no uris", `{"resourceSubscriptions":[]}`, `{"resourceSubscriptions":[]}`},
		{"known uris, in order, once", `{"resourceSubscriptions":["r:2","d:x","r:1","r:2"]}`, `{"resourceSubscriptions":["r:2","d:x","r:1"]}`},
		{"unknown uris are left out", `{"resourceSubscriptions":["r:9","r:1","not a uri",""]}`, `{"resourceSubscriptions":["r:1"]}`},
		{"a uri in escapes", `{"resourceSubscriptions":["\u0072:1"]}`, `{"resourceSubscriptions":["r:1"]}`},
		{"a uri that is too long", `{"resourceSubscriptions":["d:` + strings.Repeat("x", 4095) + `"]}`, `{"resourceSubscriptions":[]}`},
		{"no object", `[]`, refused(where + " must be an object")},
		{"null", `null`, refused(where + " must be an object")},
		{"a list kind of another type", `{"toolsListChanged":1}`, refused(where + ".toolsListChanged must be true or false")},
		{"a list kind that is null", `{"promptsListChanged":null}`, refused(where + ".promptsListChanged must be true or false")},
		{"uris of another type", `{"resourceSubscriptions":"r:1"}`, refused(where + ".resourceSubscriptions must be an array")},
		{"a uri of another type", `{"resourceSubscriptions":["r:1",1]}`, refused(where + ".resourceSubscriptions[1] must be a string")},
		{"too many uris", `{"resourceSubscriptions":["r:1","r:1","r:1","r:1","r:1"]}`, refused(where + ".resourceSubscriptions must not hold more than 4 uris")},
		{"a member twice", `{"toolsListChanged":true,"toolsListChanged":true}`, refused(where)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, changing(mcp.ServerOptions{MaxSubscriptions: 4}))
				got := w.send(listen("1", tt.filter))
				if text, isError := strings.CutPrefix(tt.want, "-32602 "); isError {
					want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"` + text
					if len(got) != 1 || !strings.HasPrefix(got[0], want) {
						t.Errorf("got %s, want %s…", got, want)
					}
					w.finish()
					return
				}
				w.wantLines(tt.filter, got, acknowledged("1", tt.want))
				w.finishOpen("1")
			})
		})
	}
	t.Run("no filter", func(t *testing.T) {
		bubble(t, func() *mcp.Server { return changing(mcp.ServerOptions{}) }, func(w *wire) {
			got := w.send(modernAsk("1", "subscriptions/listen", ""))
			if want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params.notifications must be an object`; len(got) != 1 || !strings.HasPrefix(got[0], want) {
				t.Errorf("got %s, want %s…", got, want)
			}
		})
	})
}

// Where a fallback reads every uri, every uri can be subscribed to, and nothing else.
func TestListenUnknownResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer("test-server", "1.2.3", &mcp.ServerOptions{Logger: quiet()})
		s.HandleUnknownResource(noResource)
		w := dial(t, s)
		w.want("listen", listen("1", `{"resourceSubscriptions":["a:1","","no uri","a:\u0020"]}`), acknowledged("1", `{"resourceSubscriptions":["a:1"]}`))
		w.wantLines("all resources", w.changed(func() { s.ResourceUpdated("") }), note("1", "resources/updated", `"uri":"a:1"`))
		w.finishOpen("1")
	})
}

// Kinds that are not declared are not honoured: there is nothing of them.
func TestListenForWhatIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer("test-server", "1.2.3", &mcp.ServerOptions{Logger: quiet()})
		w := dial(t, s)
		all := `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["r:1"]}`
		w.want("an empty server", listen("1", all), acknowledged("1", `{}`))
		w.wantLines("a tool for a stream that was not promised any", w.changed(func() { s.AddTool(mcp.Tool{Name: "t"}, nothing) }))
		w.want("now there is a tool", listen("2", all), acknowledged("2", `{"toolsListChanged":true}`))
		w.finishOpen("1", "2")
	})
}

// Each change goes to the streams that asked for its kind, or its uri, and to no other
// (B154); each message says which stream it is of, in the type of the id (B152). The
// request holds up nothing (B151).
func TestListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := changing(mcp.ServerOptions{})
		w := dial(t, s)
		w.want("tools", listen(`"s-1"`, `{"toolsListChanged":true}`), acknowledged(`"s-1"`, `{"toolsListChanged":true}`))
		w.want("tools and a resource", listen(`1`, `{"toolsListChanged":true,"resourceSubscriptions":["r:1"]}`),
			acknowledged(`1`, `{"toolsListChanged":true,"resourceSubscriptions":["r:1"]}`))
		w.want("prompts", listen(`"1"`, `{"promptsListChanged":true}`), acknowledged(`"1"`, `{"promptsListChanged":true}`))
		w.want("resources", listen(`2`, `{"resourcesListChanged":true,"resourceSubscriptions":["d:x","r:2"]}`),
			acknowledged(`2`, `{"resourcesListChanged":true,"resourceSubscriptions":["d:x","r:2"]}`))
		if got := w.send(modernAsk("7", "tools/list", "")); len(got) != 1 || !strings.HasPrefix(got[0], `{"jsonrpc":"2.0","id":7,"result":{`) {
			t.Errorf("tools/list beside four streams: got %s", got)
		}
		tests := []struct {
			name string
			do   func()
			want []string
		}{
			{"a tool comes", func() { s.AddTool(mcp.Tool{Name: "new"}, nothing) }, []string{note(`"s-1"`, "tools/list_changed", ""), note(`1`, "tools/list_changed", "")}},
			{"a tool goes", func() { s.RemoveTool("new") }, []string{note(`"s-1"`, "tools/list_changed", ""), note(`1`, "tools/list_changed", "")}},
			{"no tool goes", func() { s.RemoveTool("new") }, nil},
			{"a prompt comes", func() { s.AddPrompt(mcp.Prompt{Name: "new"}, noPrompt) }, []string{note(`"1"`, "prompts/list_changed", "")}},
			{"a prompt goes", func() { s.RemovePrompt("new") }, []string{note(`"1"`, "prompts/list_changed", "")}},
			{"no prompt goes", func() { s.RemovePrompt("new") }, nil},
			{"a resource comes", func() { s.AddResource(mcp.Resource{URI: "r:3", Name: "r"}, noResource) }, []string{note(`2`, "resources/list_changed", "")}},
			{"a resource goes", func() { s.RemoveResource("r:3") }, []string{note(`2`, "resources/list_changed", "")}},
			{"no resource goes", func() { s.RemoveResource("r:3") }, nil},
			{"a template comes", func() {
				s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "e:{x}", Name: "e"}, noResource)
			}, []string{note(`2`, "resources/list_changed", "")}},
			{"a template goes", func() { s.RemoveResourceTemplate("e:{x}") }, []string{note(`2`, "resources/list_changed", "")}},
			{"no template goes", func() { s.RemoveResourceTemplate("e:{x}") }, nil},
			{"a resource", func() { s.ResourceUpdated("r:1") }, []string{note(`1`, "resources/updated", `"uri":"r:1"`)}},
			{"one of a template", func() { s.ResourceUpdated("d:x") }, []string{note(`2`, "resources/updated", `"uri":"d:x"`)}},
			{"one that nobody asked for", func() { s.ResourceUpdated("d:y") }, nil},
			{"one that does not exist", func() { s.ResourceUpdated("no uri at all") }, nil},
			{"several, many times", func() {
				for range 100 {
					s.ResourceUpdated("r:2")
					s.ResourceUpdated("d:x")
				}
			}, []string{note(`2`, "resources/updated", `"uri":"r:2"`), note(`2`, "resources/updated", `"uri":"d:x"`)}},
		}
		for _, tt := range tests {
			got := w.changed(tt.do)
			sorted := slices.Clone(got)
			slices.Sort(sorted)
			slices.Sort(tt.want)
			if tt.name == "several, many times" { // once at the least, twice at the most
				if len(got) > 4 {
					t.Errorf("100 changes of two resources were told %d times", len(got))
				}
				sorted = slices.Compact(sorted)
			}
			w.wantLines(tt.name, sorted, tt.want...)
		}
		w.finishOpen(`"s-1"`, `1`, `"1"`, `2`)
	})
}

// A stream that the client has cancelled is told nothing more, and its id is free.
func TestListenCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := changing(mcp.ServerOptions{})
		w := dial(t, s)
		w.want("listen", listen(`1`, `{"toolsListChanged":true}`), acknowledged(`1`, `{"toolsListChanged":true}`))
		w.want("the id is in use", listen(`1`, `{}`), `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"id is in use by a request that is not answered yet"}}`)
		w.want("another id", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}`)
		w.wantLines("still open", w.changed(func() { s.RemoveTool("t") }), note(`1`, "tools/list_changed", ""))
		w.wantLines("still open", w.changed(func() { s.AddTool(mcp.Tool{Name: "t"}, nothing) }), note(`1`, "tools/list_changed", ""))
		w.want("cancel", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		w.wantLines("cancelled", w.changed(func() { s.RemoveTool("t") }))
		s.AddTool(mcp.Tool{Name: "t"}, nothing)
		w.want("again", listen(`1`, `{"toolsListChanged":true}`), acknowledged(`1`, `{"toolsListChanged":true}`))
		w.finishOpen(`1`)
	})
}

// A burst becomes a few notifications, the last of them after the last change (B158).
func TestListenBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := changing(mcp.ServerOptions{})
		w := dial(t, s)
		ids := []string{"1", "2", "3"}
		for _, id := range ids {
			w.want("listen", listen(id, `{"toolsListChanged":true}`), acknowledged(id, `{"toolsListChanged":true}`))
		}
		got := w.changed(func() {
			for i := range 200 {
				s.AddTool(mcp.Tool{Name: fmt.Sprint("n", i)}, nothing)
				<-time.After(time.Millisecond)
			}
			synctest.Wait()
			w.out.Write([]byte("{\"jsonrpc\":\"2.0\",\"method\":\"last change\"}\n"))
			s.AddTool(mcp.Tool{Name: "last"}, nothing)
		})
		for _, id := range ids {
			var at []int
			for i, line := range got {
				if line == note(id, "tools/list_changed", "") {
					at = append(at, i)
				}
			}
			last := slices.Index(got, `{"jsonrpc":"2.0","method":"last change"}`)
			if len(at) < 2 || len(at) > 10 || at[len(at)-1] < last {
				t.Errorf("stream %s: %d notifications at %v, the last change at %d", id, len(at), at, last)
			}
		}
		w.finishOpen(ids...)
	})
}

// A static server has no subscriptions, and declares none.
func TestListenStatic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := changing(mcp.ServerOptions{Static: true})
		w := dial(t, s)
		w.want("listen", listen("1", `{"toolsListChanged":true}`), `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: subscriptions/listen"}}`)
		got := w.send(modernAsk("2", "server/discover", ""))
		if want := `"capabilities":{"prompts":{},"resources":{},"tools":{}}`; len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("got %s, want %s", got, want)
		}
		w.wantLines("a change", w.changed(func() { s.RemoveTool("t") }))
		w.finish()
	})
}

// In the legacy era the method does not exist.
func TestListenInALegacySession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, changing(mcp.ServerOptions{}))
		w.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`)
		w.want("listen", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{}}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: subscriptions/listen"}}`)
		w.finish()
	})
}

func nothing(context.Context, *mcp.Call) (*mcp.Result, error) { return &mcp.Result{}, nil }

func noPrompt(context.Context, *mcp.Call) (*mcp.PromptResult, error) {
	return &mcp.PromptResult{}, nil
}

func noResource(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) { return nil, nil }
