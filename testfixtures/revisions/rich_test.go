package revisions_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

func pointer[T any](v T) *T { return &v }

// richServer says all that the vocabulary can say, and more than most revisions can.
func richServer() *mcp.Server {
	hints := &mcp.Annotations{Audience: []string{"user", "assistant"}, Priority: pointer(0.5), LastModified: time.Unix(0, 0)}
	meta := mcp.Meta{"example.com/m": jsonrpc.Raw(`{"deep":[1,2.5,null]}`)}
	icons := []mcp.Icon{{Src: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48"}, Theme: "dark"}, {Src: "data:,"}}
	object := jsonrpc.Raw(`{"type":"object","properties":{"a":{"type":"integer"},"b":true},"required":["a"]}`)
	s := mcp.NewServer("rich", "1", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Title: "Rich", Description: "All of it.",
		WebsiteURL: "https://example.com", Icons: icons, Instructions: "Use it.", Logging: true, Cache: mcp.CacheHint{TTL: time.Minute, Public: true},
		Experimental: map[string]jsonrpc.Raw{"e": jsonrpc.Raw(`{"x":1}`)}, Extensions: map[string]jsonrpc.Raw{"example.com/x": jsonrpc.Raw(`{}`)}})
	text, blob := &mcp.TextResource{URI: "rich:text", MIMEType: "text/plain", Text: "", Meta: meta}, &mcp.BlobResource{URI: "rich:blob", MIMEType: "application/octet-stream", Blob: []byte{0xff}, Meta: meta}
	resource := mcp.Resource{URI: "rich:all", Name: "all", Title: "All", Description: "Is.", MIMEType: "text/plain",
		Size: pointer(int64(1)), Annotations: hints, Icons: icons, Meta: meta}
	contents := []mcp.Content{
		&mcp.TextContent{Text: "t", Annotations: hints, Meta: meta},
		&mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png", Annotations: hints, Meta: meta},
		&mcp.AudioContent{Data: []byte{1}, MIMEType: "audio/wav", Annotations: hints, Meta: meta},
		&mcp.ResourceLink{Resource: resource},
		&mcp.EmbeddedResource{Contents: text, Annotations: hints, Meta: meta},
		&mcp.EmbeddedResource{Contents: blob},
	}
	for name, structured := range map[string]string{"object": `{"a":1}`, "array": `[1]`, "number": `1.5`} {
		s.AddTool(mcp.Tool{Name: name, Title: "T", Description: "Does.", InputSchema: object, Icons: icons, Meta: meta,
			OutputSchema: jsonrpc.Raw(`{"type":"` + name + `"}`),
			Annotations:  &mcp.ToolAnnotations{Title: "T", ReadOnlyHint: pointer(true), DestructiveHint: pointer(false), IdempotentHint: pointer(true), OpenWorldHint: pointer(false)},
		}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			c.Progress(0.5, 1, "half")
			c.Log(mcp.LogWarning, "rich", map[string]any{"half": true})
			return &mcp.Result{Content: contents, Structured: jsonrpc.Raw(structured), IsError: name == "number", Meta: meta}, nil
		})
	}
	read := func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{text, blob}, nil
	}
	s.AddResource(resource, read)
	suggest := mcp.CompleteFrom("a", "ab")
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "rich:t/{x}", Name: "t", Title: "T", Description: "Are.",
		MIMEType: "text/plain", Annotations: hints, Icons: icons, Meta: meta, Complete: map[string]mcp.Completer{"x": suggest}}, read)
	s.AddPrompt(mcp.Prompt{Name: "p", Title: "P", Description: "Asks.", Icons: icons, Meta: meta, Arguments: []mcp.PromptArgument{
		{Name: "a", Title: "A", Description: "One.", Required: true, Complete: suggest}, {Name: "b"},
	}}, func(context.Context, *mcp.Call) (*mcp.PromptResult, error) {
		result := &mcp.PromptResult{Description: "Asked.", Meta: meta}
		for _, c := range contents {
			result.Messages = append(result.Messages, mcp.PromptMessage{Role: mcp.RoleAssistant, Content: c})
		}
		return result, nil
	})
	addAsking(s)
	return s
}

// addAsking registers tools that ask all that can be asked, each in the richest form.
func addAsking(s *mcp.Server) {
	schema := jsonrpc.Raw(`{"type":"object","properties":{
		"text":{"type":"string","title":"T","description":"D","minLength":1,"maxLength":9,"default":"x"},
		"mail":{"type":"string","format":"email"},
		"count":{"type":"integer","minimum":1,"maximum":3,"default":2},
		"sure":{"type":"boolean","default":true},
		"one":{"type":"string","enum":["a","b"],"default":"a"},
		"titled":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}},"required":["mail"]}`)
	several := jsonrpc.Raw(`{"type":"object","properties":{
		"many":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a","b"]},"default":["a"]},
		"titled":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}}}`)
	words := []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, "t"), {Role: mcp.RoleAssistant, Content: []mcp.SamplingContent{
		&mcp.TextContent{Text: "t"}, &mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png"}}}, mcp.SamplingText(mcp.RoleUser, "t")}
	withTools := []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, "t"),
		{Role: mcp.RoleAssistant, Content: []mcp.SamplingContent{&mcp.ToolUse{ID: "1", Name: "a"}}},
		{Role: mcp.RoleUser, Content: []mcp.SamplingContent{&mcp.ToolResult{ToolUseID: "1", Content: []mcp.Content{&mcp.TextContent{Text: "t"}}, Structured: jsonrpc.Raw(`{}`)}}}}
	preferences := &mcp.ModelPreferences{Hints: []string{"h"}, CostPriority: pointer(0.5), SpeedPriority: pointer(0.0), IntelligencePriority: pointer(1.0)}
	for name, question := range map[string]func() mcp.Question{
		"ask-form":    func() mcp.Question { return mcp.FormQuestion("k", &mcp.ElicitForm{Message: "m", Schema: schema}) },
		"ask-several": func() mcp.Question { return mcp.FormQuestion("k", &mcp.ElicitForm{Message: "m", Schema: several}) },
		"ask-url": func() mcp.Question {
			return mcp.URLQuestion("k", &mcp.ElicitURL{Message: "m", URL: "https://a.example"})
		},
		"ask-roots": func() mcp.Question { return mcp.RootsQuestion("k") },
		"ask-model": func() mcp.Question {
			return mcp.SampleQuestion("k", &mcp.SampleRequest{Messages: words, MaxTokens: 5, SystemPrompt: "s", Preferences: preferences,
				IncludeContext: "thisServer", Temperature: pointer(0.5), StopSequences: []string{"."}, Metadata: jsonrpc.Raw(`{"a":1}`)})
		},
		"ask-model-tools": func() mcp.Question {
			return mcp.SampleQuestion("k", &mcp.SampleRequest{Messages: withTools, MaxTokens: 5, ToolChoice: "auto", Tools: []mcp.Tool{{Name: "a"}}})
		},
	} {
		s.AddTool(mcp.Tool{Name: name}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			if err := c.AskAll(ctx, question()); err != nil {
				return nil, err
			}
			return mcp.TextResult("answered"), nil
		})
	}
}

// richRequests are what is asked of it.
var richRequests = []request{
	{"tools/list", `{}`}, {"resources/list", `{}`}, {"resources/templates/list", `{}`}, {"prompts/list", `{}`},
	{"resources/read", `{"uri":"rich:all"}`}, {"resources/read", `{"uri":"rich:t/1"}`}, {"resources/read", `{"uri":"rich:none"}`},
	{"nope", `{}`}, {"ping", `{}`}, {"server/discover", `{}`}, {"logging/setLevel", `{"level":"debug"}`},
	{"prompts/get", `{"name":"p","arguments":{"a":"1"}}`}, {"prompts/get", `{"name":"p"}`}, {"prompts/get", `{"name":"nope"}`},
	{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"a"}}`},
	{"completion/complete", `{"ref":{"type":"ref/resource","uri":"rich:t/{x}"},"argument":{"name":"x","value":""},"context":{"arguments":{"y":"1"}}}`},
	{"resources/subscribe", `{"uri":"rich:all"}`}, {"resources/unsubscribe", `{"uri":"rich:all"}`},
	{"subscriptions/listen", `{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["rich:all"]}}`},
	{"tools/call", `{"name":"nope"}`}, {"tools/call", `{"_meta":{"progressToken":"p","io.modelcontextprotocol/logLevel":"info"},"name":"object"}`},
	{"tools/call", `{"_meta":{"progressToken":7},"name":"array"}`}, {"tools/call", `{"name":"number"}`},
}

// richMessages are the exchanges of richServer with a client of each revision.
func richMessages(t *testing.T) []exchange {
	t.Helper()
	var all []exchange
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modern} {
		all = append(all, drive(t, "rich", richServer(), revision, richRequests)...)
	}
	return all
}
