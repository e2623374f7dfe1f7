package legacy_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/mcp"
)

// prompting is a server with a prompt that has all that a prompt can have.
func prompting() *mcp.Server {
	s := mcp.NewServer("prompts", "1", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
	tell := func(_ context.Context, _ *mcp.Call, in mcp.Completing) (*mcp.Completion, error) {
		return &mcp.Completion{Values: []string{in.Context["b"]}}, nil
	}
	s.AddPrompt(mcp.Prompt{Name: "p", Title: "P", Icons: []mcp.Icon{{Src: "data:,"}}, Meta: mcp.Meta{"m": []byte(`1`)},
		Arguments: []mcp.PromptArgument{{Name: "a", Title: "A", Complete: tell}}},
		func(context.Context, *mcp.Call) (*mcp.PromptResult, error) {
			return &mcp.PromptResult{Messages: []mcp.PromptMessage{
				{Role: mcp.RoleUser, Content: &mcp.AudioContent{MIMEType: "audio/wav"}},
				{Role: mcp.RoleUser, Content: &mcp.ResourceLink{Resource: mcp.Resource{URI: "a:l", Name: "l"}}},
			}}, nil
		})
	return s
}

// TestPromptsOfRevisions is the table of what each revision had of prompts and
// completion: a mark in an answer, and the first revision that has it.
func TestPromptsOfRevisions(t *testing.T) {
	const list, get = `prompts/list`, `prompts/get,"params":{"name":"p"}`
	const complete = `completion/complete,"params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""},"context":{"arguments":{"b":"filled"}}}`
	tests := []struct{ name, request, mark, since string }{
		{"prompts", list, `{"prompts":[{"name":"p",`, "2024-11-05"},
		{"title", list, `"title":"P"`, "2025-06-18"},
		{"title of an argument", list, `"title":"A"`, "2025-06-18"},
		{"_meta of a definition", list, `"_meta":{"m":1}`, "2025-06-18"},
		{"icons", list, `"icons":[`, "2025-11-25"},
		{"messages", get, `{"messages":[{"role":"user"`, "2024-11-05"},
		{"audio", get, `{"type":"audio"`, "2025-03-26"},
		{"links", get, `{"type":"resource_link"`, "2025-06-18"},
		{"completion", complete, `{"completion":{"values":["`, "2024-11-05"},
		{"context of completion", complete, `["filled"]`, "2025-06-18"},
		{"unknown prompt", `prompts/get,"params":{"name":"nope"}`, `-32602 Unknown prompt: nope`, "2024-11-05"},
		{"resultType", get, "resultType", "never"},
		{"caching hints", list, "ttlMs", "never"},
		{"identity in _meta", get, "serverInfo", "never"},
	}
	for _, version := range versions {
		c := dial(t, prompting())
		opened := c.open(version)
		if !strings.Contains(opened, `"prompts":{`) {
			t.Errorf("%s: prompts are not declared in %s", version, opened)
		}
		if got, want := strings.Contains(opened, `"completions":{}`), version != "2024-11-05"; got != want {
			t.Errorf("%s: completions declared: %t, want %t", version, got, want)
		}
		for _, test := range tests {
			method, rest, hasParams := strings.Cut(test.request, ",")
			if hasParams {
				rest = "," + rest
			}
			got := c.ask(method, rest)
			if want := slices.Contains(versionsFrom(test.since), version); strings.Contains(got, test.mark) != want {
				t.Errorf("%s: %s: has %s = %t, want %t, in\n%s", version, test.name, test.mark, !want, want, got)
			}
		}
	}
}
