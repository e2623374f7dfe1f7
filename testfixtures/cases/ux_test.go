package cases_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/everything"
	"isthmus.internal/testfixtures/mcptest"
)

// B196: an unknown name is -32602 with the name in the text.
func TestB196UnknownNames(t *testing.T) {
	mcptest.Each(t, all, func(t *testing.T, c *mcptest.Client) {
		for what, r := range map[string]*mcptest.Response{"tool": c.Call("nope", ""), "prompt": c.Prompt("nope", "")} {
			if r.Code() != jsonrpc.InvalidParams || !strings.Contains(r.Error.Message, "nope") {
				t.Errorf("%s: %s, want -32602 that names it", what, r)
			}
		}
	})
}

// B197, B199: a uri that names nothing is told in the code of the revision, with the uri;
// one that is none is no crash.
func TestB197UnknownURIs(t *testing.T) {
	mcptest.Each(t, all, func(t *testing.T, c *mcptest.Client) {
		want := jsonrpc.Code(-32002)
		if c.Revision() == mcptest.Modern {
			want = -32602
		}
		for _, uri := range []string{"file://docs/none", "nowhere:x", "", "::::", "file://docs/%zz", "file://docs/..%2freadme"} {
			r := c.Read(uri)
			if r.Code() != want {
				t.Errorf("%q: %s, want %d", uri, r, want)
				continue
			}
			same(t, "the data of "+uri, string(mcptest.At(r.Error.Data, "uri")), string(jsonrpc.AppendString(nil, uri)))
		}
		if r := c.Read(strings.Repeat("a", 1<<20)); r.Code() != want || len(r.Line) > 10_000 {
			t.Errorf("a megabyte: %.100s…, want %d and not the megabyte back", r.Line, want)
		}
	})
}

// B200: a bad cursor is -32602; what is removed between two pages makes nothing else
// appear twice or be left out.
func TestB200Cursors(t *testing.T) {
	paged := func(testing.TB) *mcp.Server {
		return everything.NewServer(&everything.Options{Logger: slog.New(slog.DiscardHandler), Page: 3})
	}
	mcptest.Each(t, paged, func(t *testing.T, c *mcptest.Client) {
		first := c.Request("tools/list", "")
		cursor := string(first.At("nextCursor"))
		for _, row := range []struct{ method, cursor string }{
			{"tools/list", `"garbage"`}, {"tools/list", `""`}, {"tools/list", `7`}, {"tools/list", `null`},
			{"prompts/list", cursor}, {"resources/list", cursor}, {"tools/list", strings.ToLower(cursor)},
		} {
			if r := c.Request(row.method, `{"cursor":`+row.cursor+`}`); r.Code() != jsonrpc.InvalidParams {
				t.Errorf("%s with %s: %.200s, want -32602", row.method, row.cursor, r)
			}
		}
		before := mcptest.Names(c.List("tools/list"), "name")
		c.Server().RemoveTool(before[1]) // of the first page, which the client has
		c.Server().RemoveTool(before[4]) // of the second, which it has not
		names := mcptest.Names(mcptest.Elements(first.At("tools")), "name")
		for cursor != "" {
			page := c.Request("tools/list", `{"cursor":`+cursor+`}`)
			names = append(names, mcptest.Names(mcptest.Elements(page.At("tools")), "name")...)
			cursor = string(page.At("nextCursor"))
		}
		same(t, "all pages", strings.Join(names, " "), strings.Join(append(before[:4:4], before[5:]...), " "))
	})
}

// B202: a level is that of one session; a level that is none is -32602 in both eras.
func TestB202Levels(t *testing.T) {
	m := &mcptest.Matrix{Options: mcptest.Options{LogLevel: "warning"}}
	m.Each(t, all, func(t *testing.T, a *mcptest.Client) {
		b := mcptest.Dial(t, a.Server(), &mcptest.Options{Revision: a.Revision()})
		levels := func(c *mcptest.Client) string {
			var all []string
			for _, n := range c.Call("log", "").Of("notifications/message") {
				level, _ := n.At("level").Text()
				all = append(all, level)
			}
			return strings.Join(all, " ")
		}
		same(t, "a", levels(a), "warning error critical alert emergency")
		same(t, "b, which did not ask", levels(b), "")
		same(t, "a again", levels(a), "warning error critical alert emergency")
		for _, level := range []string{`"loud"`, `"Warning"`, `""`, `7`, `null`} {
			r := a.Request("logging/setLevel", `{"level":`+level+`}`)
			if a.Revision() == mcptest.Modern {
				r = a.Request("tools/call", `{"name":"log","_meta":{"io.modelcontextprotocol/logLevel":`+level+`}}`)
			}
			if r.Code() != jsonrpc.InvalidParams {
				t.Errorf("the level %s: %s, want -32602", level, r)
			}
		}
	})
}

// B205: no error has the code 0 or one that is not for it, and each says its own in words
// for people. The client holds the codes and looks for words of Go.
func TestB205Errors(t *testing.T) {
	mcptest.Each(t, all, func(t *testing.T, c *mcptest.Client) {
		for _, r := range []*mcptest.Response{
			c.Call("nope", ""), c.Call("boom", ""), c.Prompt("greet", `{"name":7}`), c.Prompt("greet", ""), c.Read("x:y"),
			c.Request("tools/call", `{"name":7}`), c.Request("tools/call", `{"name":"add","arguments":[]}`), c.Request("nope/nope", ""),
			c.Request("completion/complete", `{"ref":{"type":"ref/other"},"argument":{"name":"a","value":"b"}}`),
			c.Request("completion/complete", `{"ref":7}`), c.Request("tools/list", `{"cursor":[]}`), c.Request("resources/read", `{}`),
			c.Request("subscriptions/listen", `{"notifications":7}`), c.Request("resources/subscribe", `{"uri":7}`),
		} {
			if r.Error == nil || r.Error.Message == "" || len(r.Error.Message) > 1000 {
				t.Errorf("no error, or one without words: %s", r.Line)
			}
		}
	})
}

// B206: unknown notifications are passed over. The client fails when something comes.
func TestB206Notifications(t *testing.T) {
	mcptest.Each(t, all, func(t *testing.T, c *mcptest.Client) {
		for _, line := range []string{
			`{"jsonrpc":"2.0","method":"window/logMessage","params":{"x":1}}`, `{"jsonrpc":"2.0","method":"notifications/unknown"}`,
			`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"boom"}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
			`{"jsonrpc":"2.0","id":99,"result":{}}`, `{"jsonrpc":"2.0","id":99,"error":{"code":-1,"message":"x"}}`,
		} {
			c.Send(line)
		}
		c.Settle()
		same(t, "afterwards", c.Call("echo", `{}`).Text(), `{}`)
		if notes := c.Notes(); len(notes) > 0 {
			t.Errorf("answered with %s", notes[0].Line)
		}
	})
}

// B134: what is hidden from a caller is unknown to it, in lists and when it is called.
func TestB134Hidden(t *testing.T) {
	ada := func(p *mcp.Principal) bool { return p != nil && p.ID == "ada" }
	server := with(func(s *mcp.Server) {
		add(s, "open")
		s.AddTool(mcp.Tool{Name: "secret", Visible: ada}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("x"), nil })
		s.AddResource(mcp.Resource{URI: "x:secret", Name: "secret", Visible: ada}, func(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI(), Text: "x"}}, nil
		})
		s.AddPrompt(mcp.Prompt{Name: "open"}, func(context.Context, *mcp.Call) (*mcp.PromptResult, error) { return mcp.PromptText("x"), nil })
		s.AddPrompt(mcp.Prompt{Name: "secret", Visible: ada}, func(context.Context, *mcp.Call) (*mcp.PromptResult, error) { return mcp.PromptText("x"), nil })
	})
	seen := func(c *mcptest.Client) string {
		return fmt.Sprint(mcptest.Names(c.List("tools/list"), "name"), mcptest.Names(c.List("resources/list"), "name"), mcptest.Names(c.List("prompts/list"), "name"))
	}
	mcptest.Each(t, server, func(t *testing.T, bob *mcptest.Client) {
		c := mcptest.Dial(t, bob.Server(), &mcptest.Options{Revision: bob.Revision(), Principal: &mcp.Principal{ID: "ada"}})
		same(t, "seen by ada", seen(c), "[open secret] [secret] [open secret]")
		same(t, "seen by bob", seen(bob), "[open] [] [open]")
		for what, ask := range map[string]func(c *mcptest.Client, name string) *mcptest.Response{
			"tool":     func(c *mcptest.Client, name string) *mcptest.Response { return c.Call(name, "") },
			"resource": func(c *mcptest.Client, name string) *mcptest.Response { return c.Read("x:" + name) },
			"prompt":   func(c *mcptest.Client, name string) *mcptest.Response { return c.Prompt(name, "") },
		} {
			if r := ask(c, "secret"); r.Error != nil {
				t.Errorf("%s for ada: %s", what, r)
			}
			hidden, unknown := ask(bob, "secret"), ask(bob, "absent")
			same(t, what+" for bob", hidden.String(), strings.ReplaceAll(unknown.String(), "absent", "secret"))
		}
	})
}
