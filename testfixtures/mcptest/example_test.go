package mcptest_test

import (
	"context"
	"log/slog"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// newGreeter is a server as a test makes it: one for each client.
func newGreeter(testing.TB) *mcp.Server {
	type person struct {
		Name string `json:"name"`
	}
	s := mcp.NewServer("greeter", "1.0.0", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
	mcp.AddTool(s, mcp.Tool{Name: "greet", Description: "Greets somebody, whose name it asks for."},
		func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
			who, err := mcp.Ask[person](ctx, c, "name", "Who is to be greeted?")
			return "hello " + who.Name, err
		})
	return s
}

// One call in a test of yours puts your server through every revision.
func ExampleConform() {
	_ = func(t *testing.T) { // func TestConform(t *testing.T)
		mcptest.Conform(t, newGreeter, nil)
	}
}

// One test of a behaviour, in every revision that has it and over every transport. The
// client answers what the tool asks, in the way of its revision.
func ExampleMatrix() {
	_ = func(t *testing.T) { // func TestGreet(t *testing.T)
		m := &mcptest.Matrix{Except: map[string]string{
			"2024-11-05": "it has no elicitation",
			"2025-03-26": "it has no elicitation",
		}}
		m.Options.Answer = func(mcptest.Ask) (string, *jsonrpc.Error) {
			return `{"action":"accept","content":{"name":"Ada"}}`, nil
		}
		m.Each(t, newGreeter, func(t *testing.T, c *mcptest.Client) {
			if got := c.Call("greet", "").Text(); got != "hello Ada" {
				t.Errorf("got %q, want hello Ada", got)
			}
		})
	}
}

// TestExamples runs what the examples show.
func TestExamples(t *testing.T) {
	mcptest.Conform(t, newGreeter, nil)
	m := &mcptest.Matrix{Except: map[string]string{"2024-11-05": "it has no elicitation", "2025-03-26": "it has no elicitation"}}
	m.Options.Answer = func(mcptest.Ask) (string, *jsonrpc.Error) {
		return `{"action":"accept","content":{"name":"Ada"}}`, nil
	}
	m.Each(t, newGreeter, func(t *testing.T, c *mcptest.Client) {
		if got := c.Call("greet", "").Text(); got != "hello Ada" {
			t.Errorf("got %q, want hello Ada", got)
		}
	})
}
