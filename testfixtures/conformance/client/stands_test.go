package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
)

// newServer is a server with tools that answer with a text, as in "add_numbers=7.5".
func newServer(tools ...string) *mcp.Server {
	s := mcp.NewServer("scenario", "1.0.0", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Keys: seal.RandomKeys()})
	answering(s, tools...)
	return s
}

// answering adds such tools.
func answering(s *mcp.Server, tools ...string) {
	for _, tool := range tools {
		name, text, _ := strings.Cut(tool, "=")
		s.AddTool(mcp.Tool{Name: name}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult(text), nil })
	}
}

// asking adds a tool that has a form filled in before it answers.
func asking(s *mcp.Server, name, properties string, answer func(content jsonrpc.Raw) string) {
	form := &mcp.ElicitForm{Message: "M", Schema: jsonrpc.Raw(`{"type":"object","properties":{` + properties + `}}`)}
	s.AddTool(mcp.Tool{Name: name}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		content, err := c.Elicit(ctx, "form", form)
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(answer(content)), nil
	})
}

// as answers a form with a text.
func as(text string) func(jsonrpc.Raw) string { return func(jsonrpc.Raw) string { return text } }

// headed adds a tool that wants to see its argument region in a header.
func headed(s *mcp.Server, name string) {
	s.AddTool(mcp.Tool{Name: name, InputSchema: jsonrpc.Raw(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)},
		func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			return mcp.TextResult(string(c.Arguments())), nil
		})
}

// stand is a server for a scenario, like that of the suite.
type stand struct {
	revisions []string
	context   string
	fill      func() *mcp.Server
	spoil     string // the tool without which the client is not content, "" for none
}

func stands() map[string]stand {
	legacy, modern := revisions[:1], revisions[1:]
	return map[string]stand{
		"initialize":                          {revisions, "", bare, ""},
		"request-metadata":                    {revisions, "", bare, ""},
		"tools_call":                          {revisions, "", sums, "add_numbers"},
		"elicitation-sep1034-client-defaults": {revisions, "", defaults, "test_client_elicitation_defaults"},
		"sse-retry":                           {legacy, "", detaching, "test_reconnection"},
		"json-schema-2020-12-preservation":    {revisions, "", echoing, "json_schema_2020_12_tool"},
		"sep-2322-client-request-state":       {modern, "", inRounds, "test_mrtr_unrelated"},
		"http-standard-headers":               {revisions, "", everything, "test_headers"},
		"http-custom-headers":                 {revisions, `{"toolCalls":[{"name":"test_custom_headers","arguments":{"region":"Hello, 世界"}}]}`, marked("test_custom_headers", "test_custom_headers_null"), "test_custom_headers_null"},
		"http-invalid-tool-headers":           {revisions, "", marked("valid_tool"), "valid_tool"},
	}
}

func nothing(context.Context, *mcp.Call) (*mcp.Result, error) { return &mcp.Result{}, nil }

// bare has no tool, but could have.
func bare() *mcp.Server {
	s := newServer("tool=")
	s.RemoveTool("tool")
	return s
}

func sums() *mcp.Server {
	s := newServer()
	s.AddTool(mcp.Tool{Name: "add_numbers"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		var in struct{ A, B float64 }
		err := json.Unmarshal(c.Arguments(), &in)
		text, _ := json.Marshal(in.A + in.B)
		return mcp.TextResult("The sum of 5 and 2.5 is " + string(text)), err
	})
	return s
}

func marked(names ...string) func() *mcp.Server {
	return func() *mcp.Server {
		s := newServer()
		for _, name := range names {
			headed(s, name)
		}
		return s
	}
}

func everything() *mcp.Server {
	s := newServer("test_headers=Headers test completed", "my-hyphenated-tool=Headers test completed")
	for _, uri := range []string{"file:///path/to/file%20name.txt", "https://example.com/resource?id=123"} {
		s.AddResource(mcp.Resource{URI: uri, Name: uri}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{&mcp.TextResource{Text: "text"}}, nil
		})
	}
	s.AddPrompt(mcp.Prompt{Name: "test_prompt"}, func(context.Context, *mcp.Call) (*mcp.PromptResult, error) {
		return &mcp.PromptResult{}, nil
	})
	return s
}

func defaults() *mcp.Server {
	s := newServer()
	asking(s, "test_client_elicitation_defaults",
		`"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},`+
			`"status":{"type":"string","enum":["active","inactive"],"default":"active"},"verified":{"type":"boolean","default":true}`,
		func(content jsonrpc.Raw) string { return "Elicitation completed: " + string(content) })
	return s
}

// detaching ends the stream of a call before it answers.
func detaching() *mcp.Server {
	s := newServer()
	s.AddTool(mcp.Tool{Name: "test_reconnection"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		if !c.Detach(100 * time.Millisecond) {
			return mcp.ErrorResult("there is no stream to end"), nil
		}
		return mcp.TextResult("Reconnection test completed successfully"), nil
	})
	return s
}

// echoing wants the schema of one tool sent back to the other.
func echoing() *mcp.Server {
	const schema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"a":{"$anchor":"x"}},"allOf":[{"anyOf":[{"required":["a"]}]}]}`
	s := newServer()
	s.AddTool(mcp.Tool{Name: "json_schema_2020_12_tool", InputSchema: jsonrpc.Raw(schema)}, nothing)
	s.AddTool(mcp.Tool{Name: "json_schema_echo"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		if got := string(c.Argument("schema")); got != schema {
			return mcp.ErrorResult("another schema: " + got), nil
		}
		return mcp.TextResult("echoed"), nil
	})
	return s
}

func inRounds() *mcp.Server {
	s := newServer()
	asking(s, "test_mrtr_echo_state", `"confirmed":{"type":"boolean"}`, as("echo-state-ok"))
	asking(s, "test_mrtr_no_state", `"confirmed":{"type":"boolean"}`, as("no-state-ok"))
	answering(s, "test_mrtr_unrelated=unrelated-ok", "test_mrtr_no_result_type=no-result-type-test-ok")
	return s
}
