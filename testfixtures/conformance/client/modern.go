package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/mcp/jsonschema"
)

// callInRounds calls tools that ask before they answer, and another one while the first
// question is open.
func callInRounds(ctx context.Context, s *session) error {
	asked := 0
	s.fillIn = func(ctx context.Context, _ *mcp.ElicitForm) (jsonrpc.Raw, error) {
		asked++
		yes := jsonrpc.Raw(`{"confirmed":true}`)
		if asked > 1 {
			return yes, nil
		}
		return yes, s.call(ctx, "test_mrtr_unrelated", nil, "unrelated-ok")
	}
	err := s.tools(ctx, nil, "test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type")
	if err != nil {
		return err
	}
	for _, step := range []struct{ tool, answer string }{
		{"test_mrtr_echo_state", "echo-state-ok"},
		{"test_mrtr_no_state", "no-state-ok"},
		{"test_mrtr_no_result_type", "no-result-type-test-ok"},
	} {
		if err := s.call(ctx, step.tool, nil, step.answer); err != nil {
			return err
		}
	}
	if asked != 2 {
		return fmt.Errorf("%d questions came, want 2", asked)
	}
	return nil
}

// callEverything lists and uses all that a server has.
func callEverything(ctx context.Context, s *session) error {
	if err := s.tools(ctx, nil, "test_headers", "my-hyphenated-tool"); err != nil {
		return err
	}
	for _, name := range []string{"test_headers", "my-hyphenated-tool"} {
		if err := s.call(ctx, name, nil, "Headers test completed"); err != nil {
			return err
		}
	}
	read := 0
	for resource, err := range s.Resources(ctx) {
		if err == nil {
			_, err = s.ReadResource(ctx, resource.URI, nil)
		}
		if err != nil {
			return err
		}
		read++
	}
	filled := 0
	for prompt, err := range s.Prompts(ctx) {
		if err == nil {
			_, err = s.GetPrompt(ctx, prompt.Name, nil, nil)
		}
		if err != nil {
			return err
		}
		filled++
	}
	if read != 2 || filled != 1 {
		return fmt.Errorf("%d resources and %d prompts, want 2 and 1", read, filled)
	}
	return nil
}

// callWithHeaders makes the calls that the suite tells of, of tools that want to see
// arguments in headers.
func callWithHeaders(ctx context.Context, s *session) error {
	var about struct {
		ToolCalls []struct {
			Name      string
			Arguments json.RawMessage
		}
	}
	if err := json.Unmarshal(s.about, &about); err != nil {
		return fmt.Errorf("%w: -context: %w", errUsage, err)
	}
	if err := s.tools(ctx, nil, "test_custom_headers", "test_custom_headers_null"); err != nil {
		return err
	}
	for _, call := range about.ToolCalls {
		if _, err := s.CallTool(ctx, call.Name, jsonrpc.Raw(call.Arguments), nil); err != nil {
			return err
		}
	}
	return nil
}

// callWhatIsSound calls what is left of a list in which nearly all tools mark their arguments
// against the rules.
func callWhatIsSound(ctx context.Context, s *session) error {
	var names []string
	wrong := s.tools(ctx, func(tool *mcp.Tool) { names = append(names, tool.Name) }, "valid_tool")
	for _, name := range names {
		if _, err := s.CallTool(ctx, name, map[string]any{"region": "us-east1"}, nil); err != nil {
			return errors.Join(wrong, err)
		}
	}
	return wrong
}

// compileForeignSchema compiles a schema that refers to a document of the server, which must
// not be fetched.
func compileForeignSchema(ctx context.Context, s *session) error {
	var schema jsonrpc.Raw
	if err := s.tools(ctx, func(tool *mcp.Tool) { schema = tool.InputSchema }, "lookup_user"); err != nil {
		return err
	}
	if _, err := jsonschema.Compile(schema, nil); err == nil {
		return fmt.Errorf("the schema was compiled, though it refers to what is not there: %s", schema)
	}
	return nil
}
