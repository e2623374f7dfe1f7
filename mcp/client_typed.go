package mcp

import (
	"context"

	"isthmus.internal/mcp/jsonschema"
)

// CallTool calls a tool and makes its result a Go value: the counterpart of [AddTool].
//
//	sum, err := mcp.CallTool[int](ctx, c, "add", map[string]any{"a": 1, "b": 2}, nil)
//
// in is as the arguments of [Client.CallTool]. Out says what of the result is wanted:
//
//	*Result              all of it
//	string               its blocks of text, or the structured content that is a string
//	[]Content            its blocks
//	struct{}             nothing of it
//	all others           the structured content, decoded; where there is none, that of the
//	                     one block of text that stands for it in revisions without
//
// A call that has failed is a [*ToolError]; the other errors are those of Client.CallTool.
func CallTool[Out any](ctx context.Context, c *Client, name string, in any, o *CallOptions) (Out, error) {
	var out Out
	result, err := c.CallTool(ctx, name, in, o)
	if err != nil {
		return out, err
	}
	if result.IsError {
		return out, &ToolError{Tool: name, Result: result}
	}
	decoder, err := jsonschema.DecoderFor[Out]()
	if err != nil {
		return out, err
	}
	return decoder.Decode(result.Structured)
}

// ToolError is a call of a tool that has failed in a way that the server tells of
// ([Result.IsError]).
type ToolError struct {
	// Tool is the name of the tool.
	Tool string
	// Result is what came, the content that says what has failed.
	Result *Result
}

// Error names the tool, and says what the text of the result does, up to a length.
func (e *ToolError) Error() string { return "mcp: tool " + e.Tool + " has failed" }

// InvalidResult is a result of a tool that does not fit the output schema which the server
// gives for it (2026-07-28 server/tools, Output Schema).
type InvalidResult struct {
	// Tool is the name of the tool.
	Tool string
	// Result is what came.
	Result *Result
	// Reason names the place in it, and what was expected there.
	Reason string
}

// Error is one line.
func (e *InvalidResult) Error() string { return "mcp: tool " + e.Tool + ": " + e.Reason }
