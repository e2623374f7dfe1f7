package discover_test

import (
	"context"
	"log/slog"
	"testing"

	"isthmus.internal/mcp"
)

// prompting is a server with a prompt whose argument is completed by what else is
// filled in.
func prompting() *mcp.Server {
	s := mcp.NewServer("test-server", "1.2.3", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Static: true})
	s.AddPrompt(mcp.Prompt{Name: "greet", Title: "Greet", Arguments: []mcp.PromptArgument{
		{Name: "name", Required: true, Complete: func(_ context.Context, _ *mcp.Call, in mcp.Completing) (*mcp.Completion, error) {
			return &mcp.Completion{Values: []string{in.Value + in.Context["rest"]}}, nil
		}}}}, func(_ context.Context, c *mcp.Call) (*mcp.PromptResult, error) {
		name, _ := c.PromptArgument("name")
		return mcp.PromptText("Hello " + name), nil
	})
	return s
}

// TestPromptsInEras: prompts and completion through the tables that are served.
func TestPromptsInEras(t *testing.T) {
	for _, e := range eras {
		t.Run(e.version, func(t *testing.T) {
			bubble(t, prompting, func(w *wire) {
				if !e.modern {
					w.send(initialize(e.version), initialized)
				}
				title, rest := `"title":"Greet",`, "da"
				if e.version < "2025-06-18" {
					title, rest = "", ""
				}
				w.want("list", e.request("1", "prompts/list", ``),
					e.cached("1", `"prompts":[{"name":"greet",`+title+`"arguments":[{"name":"name","required":true}]}]`))
				w.want("get", e.request("1", "prompts/get", `"name":"greet","arguments":{"name":"Ada"}`),
					e.result("1", `"messages":[{"role":"user","content":{"type":"text","text":"Hello Ada"}}]`))
				w.want("get without an argument", e.request("1", "prompts/get", `"name":"greet"`),
					failure("1", -32602, "Missing arguments of prompt greet: name", ""))
				w.want("B196 unknown", e.request("1", "prompts/get", `"name":"nope"`), failure("1", -32602, "Unknown prompt: nope", ""))
				w.want("complete", e.request("1", "completion/complete",
					`"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":"A"},"context":{"arguments":{"rest":"da"}}`),
					e.result("1", `"completion":{"values":["A`+rest+`"]}`))
				w.want("B89 no tools", e.request("1", "tools/list", ``), failure("1", -32601, "Method not found: tools/list", ""))
			})
		})
	}
}
