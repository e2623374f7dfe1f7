package bridged_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

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
