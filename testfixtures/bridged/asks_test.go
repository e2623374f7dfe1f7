package bridged_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"isthmus.internal/discover/bridge"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// who is a form.
type who struct {
	Name string `json:"name" mcp:"your name"`
}

// asking is a server whose tools ask.
func asking() *mcp.Server {
	s := newServer()
	ask := func(ctx context.Context, c *mcp.Call, key string) string {
		in, err := mcp.Ask[who](ctx, c, key, "What is your "+key+"?")
		if err != nil {
			return err.Error()
		}
		return in.Name
	}
	mcp.AddTool(s, mcp.Tool{Name: "one"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) { return ask(ctx, c, "name"), nil })
	mcp.AddTool(s, mcp.Tool{Name: "three"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
		return ask(ctx, c, "a") + ask(ctx, c, "b") + ask(ctx, c, "c"), nil
	})
	mcp.AddTool(s, mcp.Tool{Name: "two"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
		roots, said := mcp.RootsQuestion("roots"), mcp.SampleQuestion("said", &mcp.SampleRequest{Messages: []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, "hi")}, MaxTokens: 1})
		if err := c.AskAll(ctx, roots, said); err != nil {
			return "", err
		}
		all, _ := roots.Answer()
		text, err := said.Answer()
		if err != nil {
			return "", err
		}
		return all[0].URI + " " + text.Text(), nil
	})
	s.AddPrompt(mcp.Prompt{Name: "greet"}, func(ctx context.Context, c *mcp.Call) (*mcp.PromptResult, error) {
		return &mcp.PromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: ask(ctx, c, "name")}}}}, nil
	})
	return s
}

// answers is a client that answers everything.
func answers(a mcptest.Ask) (string, *jsonrpc.Error) {
	switch a.Method {
	case "elicitation/create":
		text, _ := a.At("message").Text()
		return fmt.Sprintf(`{"action":"accept","content":{"name":%q}}`, strings.TrimSuffix(strings.TrimPrefix(text, "What is your "), "?")), nil
	case "sampling/createMessage":
		return `{"role":"assistant","content":{"type":"text","text":"hello"},"model":"m"}`, nil
	}
	return `{"roots":[{"uri":"file:///work"}]}`, nil
}

// TestAsks: what the server asks reaches the client, and its answers the server, whatever era
// each side speaks.
func TestAsks(t *testing.T) {
	eachPair(t, mcptest.Options{Answer: answers}, asking, func(t *testing.T, p *pair) {
		same(t, "roots and a model at once", p.Call("two", `{}`).Text(), "file:///work hello")
		if !p.both("2025-06-18") {
			if got := p.Call("one", `{}`).Text(); !strings.Contains(got, "elicitation") {
				t.Errorf("without elicitation: got %q", got)
			}
			return
		}
		same(t, "one question", p.Call("one", `{}`).Text(), "name")
		same(t, "three questions", p.Call("three", `{}`).Text(), "abc")
		same(t, "a question of a prompt", string(p.Prompt("greet", `{}`).At("messages", 0, "content", "text")), `"name"`)
	})
}

// TestAsksRefused: what the client does not answer the server is told, each in the words of its
// era.
func TestAsksRefused(t *testing.T) {
	for _, action := range []string{"decline", "cancel"} {
		answer := func(mcptest.Ask) (string, *jsonrpc.Error) { return `{"action":"` + action + `"}`, nil }
		eachPair(t, mcptest.Options{Answer: answer}, asking, func(t *testing.T, p *pair) {
			if p.both("2025-06-18") {
				want := map[string]error{"decline": mcp.ErrDeclined, "cancel": mcp.ErrCancelled}[action].Error()
				same(t, action, p.Call("one", `{}`).Text(), want)
			}
		})
	}
}

// TestTakenOver: a question that was put for the newest call, and was another one's, is put for that
// when the newest has its answer. The client that still answers the first time gets that call's answer.
func TestTakenOver(t *testing.T) {
	s, runs, ask, end := mcp.NewServer("s", "1", nil), make(chan string), make(chan struct{}), make(chan struct{})
	mcp.AddTool(s, mcp.Tool{Name: "older"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
		runs <- "older"
		<-ask
		in, err := mcp.Ask[who](ctx, c, "name", "Who?")
		return in.Name, err
	})
	mcp.AddTool(s, mcp.Tool{Name: "newest"}, func(context.Context, *mcp.Call, struct{}) (string, error) {
		runs <- "newest"
		<-end
		return "done", nil
	})
	var times atomic.Int32
	again := make(chan struct{})
	answer := func(a mcptest.Ask) (string, *jsonrpc.Error) {
		if times.Add(1) == 1 {
			close(end)
			<-again
		} else {
			close(again)
		}
		return `{"action":"accept","content":{"name":"Ada"}}`, nil
	}
	b, _ := bridging(t, s, bridge.Options{Version: "2025-11-25", Single: true})
	c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: "2026-07-28", Answer: answer})
	var all sync.WaitGroup
	for _, call := range []struct{ tool, want string }{{"older", "Ada"}, {"newest", "done"}} {
		all.Go(func() {
			if r := c.Call(call.tool, `{}`); r.Text() != call.want {
				t.Errorf("%s: got %s, want %s", call.tool, r, call.want)
			}
		})
		same(t, "the tool that runs", <-runs, call.tool)
	}
	close(ask)
	all.Wait()
	c.Close()
}

// TestRootsChanged: a legacy server hears from a legacy client that there are other roots; nobody
// else has such a notification (2025-11-25 client/roots, Root List Changes; 2026-07-28 changelog,
// Major changes, 5).
func TestRootsChanged(t *testing.T) {
	const method, last = "notifications/roots/list_changed", "notifications/com.example/last"
	heard := make(chan string, 10)
	build := func() *mcp.Server {
		s := asking()
		hear := func(_ context.Context, n *mcp.Notice) { heard <- n.Method() }
		s.HandleNotification(method, mcp.Both, hear)
		s.HandleNotification(last, mcp.Both, hear)
		mcp.AddTool(s, mcp.Tool{Name: "where"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
			all, err := c.Roots(ctx, "roots")
			if err != nil {
				return "", err
			}
			return fmt.Sprint(all[0].URI, " ", c.ClientCapabilities().Roots.ListChanged), nil
		})
		return s
	}
	eachPair(t, mcptest.Options{Answer: answers}, build, func(t *testing.T, p *pair) {
		told := p.Revision() < "2026-07-28" && p.upstream < "2026-07-28"
		same(t, "the roots, and whether they may change", p.Call("where", `{}`).Text(), fmt.Sprint("file:///work ", told))
		p.Notify(method, "")
		p.Notify(last, "")
		want := []string{method, last}
		if !told {
			want = want[1:]
		}
		for _, want := range want {
			same(t, "the server hears", <-heard, want)
		}
	})
}

// TestSingleLearnsMore: a single client of the modern era whose first request says that it cannot be
// asked is asked by a later one that says it can, as each request speaks for itself (2026-07-28
// basic/index, Per-request protocol fields).
func TestSingleLearnsMore(t *testing.T) {
	b, _ := bridging(t, waiting(nil), bridge.Options{Version: "2025-11-25", Single: true})
	for _, can := range []bool{false, true, false, true} {
		o := &mcptest.Options{Transport: mcptest.Stdio()}
		if !can {
			o.Capabilities = `{}`
		}
		c := mcptest.Dial(t, b.Server(), o)
		same(t, "quick", c.Call("quick", `{}`).Text(), "done")
		if r := c.Call("ask", `{}`); r.InputRequired() != can {
			t.Errorf("a client that can be asked %t gets %s", can, r)
		}
		c.Close()
	}
}
