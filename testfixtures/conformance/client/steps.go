package main

import (
	"context"
	"fmt"
	"slices"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// scenarios are what is done in each scenario, once the connection is there.
var scenarios = map[string]func(context.Context, *session) error{
	"initialize":                          nothingListed,
	"tools_call":                          addNumbers,
	"elicitation-sep1034-client-defaults": leaveDefaults,
	"sse-retry":                           callOverTwoStreams,
	"json-schema-2020-12-preservation":    echoSchema,
	"request-metadata":                    nothingListed,
	"sep-2322-client-request-state":       callInRounds,
	"http-standard-headers":               callEverything,
	"http-custom-headers":                 callWithHeaders,
	"http-invalid-tool-headers":           callWhatIsSound,
	"json-schema-ref-no-deref":            compileForeignSchema,
}

// nothingListed asks for the tools of a server that has none.
func nothingListed(ctx context.Context, s *session) error { return s.tools(ctx, nil) }

// addNumbers calls a tool whose arguments are numbers.
func addNumbers(ctx context.Context, s *session) error {
	if err := s.tools(ctx, nil, "add_numbers"); err != nil {
		return err
	}
	return s.call(ctx, "add_numbers", map[string]any{"a": 5, "b": 2.5}, "The sum of 5 and 2.5 is 7.5")
}

// echoSchema sends back the schema of a tool as it came.
func echoSchema(ctx context.Context, s *session) error {
	var schema jsonrpc.Raw
	keep := func(tool *mcp.Tool) {
		if tool.Name == "json_schema_2020_12_tool" {
			schema = tool.InputSchema
		}
	}
	if err := s.tools(ctx, keep, "json_schema_2020_12_tool", "json_schema_echo"); err != nil {
		return err
	}
	return s.call(ctx, "json_schema_echo", map[string]any{"schema": schema}, "echoed")
}

// tools lists the tools, which must be those that are named, and shows each to look, unless
// that is nil.
func (s *session) tools(ctx context.Context, look func(*mcp.Tool), want ...string) error {
	var got []string
	for tool, err := range s.Tools(ctx) {
		if err != nil {
			return fmt.Errorf("listing the tools: %w", err)
		}
		got = append(got, tool.Name)
		if look != nil {
			look(tool)
		}
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the tools are %q, want %q", got, want)
	}
	return nil
}

// call calls a tool, whose answer must be the text.
func (s *session) call(ctx context.Context, name string, arguments any, want string) error {
	got, err := mcp.CallTool[string](ctx, s.Client, name, arguments, nil)
	if err != nil {
		return fmt.Errorf("calling %s: %w", name, err)
	}
	if got != want {
		return fmt.Errorf("%s answered %q, want %q", name, got, want)
	}
	return nil
}
