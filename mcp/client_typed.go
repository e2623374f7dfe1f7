package mcp

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// CallTool calls a tool and makes its result a Go value: the counterpart of [AddTool].
//
//	sum, err := mcp.CallTool[int](ctx, c, "add", map[string]any{"a": 1, "b": 2}, nil)
//
// in is as the arguments of [Client.CallTool]. Out says what of the result is wanted:
//
//	*Result              all of it
//	[]Content            its blocks
//	struct{}             nothing of it
//	string               the structured content if it is a string, else the blocks of text,
//	                     joined by line ends
//	any                  the structured content, with numbers as json.Number, or where there
//	                     is none the text
//	all others           the structured content; where there is none, that in the one block
//	                     of text which stands for it in revisions that have none
//
// Values are decoded as [jsonschema.Decoder] does it: integers are exact. A call that has
// failed is a [*ToolError], a result that does not fit Out an [*InvalidResult]; the other
// errors are those of Client.CallTool.
func CallTool[Out any](ctx context.Context, c *Client, name string, in any, o *CallOptions) (Out, error) {
	var none Out
	take, err := takerOf[Out](c)
	if err != nil {
		return none, fmt.Errorf("mcp: what comes of tool %q: %w", name, err)
	}
	result, err := c.CallTool(ctx, name, in, o)
	if err != nil {
		return none, err
	}
	if result.IsError {
		return none, &ToolError{name, result}
	}
	out, err := take(result)
	var e *jsonschema.Error
	switch {
	case errors.As(err, &e):
		return none, &InvalidResult{name, result, e.In("structuredContent")}
	case err != nil:
		return none, &InvalidResult{name, result, err.Error()}
	}
	return out, nil
}

// taker makes a Go value of a result.
type taker[Out any] func(r *Result) (Out, error)

// takerOf decides what an Out is made of, once for a client. The error is about the type.
func takerOf[Out any](c *Client) (taker[Out], error) {
	key := reflect.TypeFor[Out]()
	if known, ok := c.takers.Load(key); ok {
		return known.(taker[Out]), nil
	}
	take, err := newTaker[Out]()
	if err == nil {
		c.takers.Store(key, take)
	}
	return take, err
}

// newTaker is takerOf for a type that the client has not met yet. For some types the result is
// taken as it is; all others need a decoder.
func newTaker[Out any]() (taker[Out], error) {
	var out Out
	var plain func(r *Result) any
	switch any(&out).(type) {
	case **Result:
		plain = func(r *Result) any { return r }
	case *[]Content:
		plain = func(r *Result) any { return r.Content }
	case *struct{}:
		plain = func(*Result) any { return struct{}{} }
	}
	if plain != nil {
		return func(r *Result) (Out, error) { return plain(r).(Out), nil }, nil
	}
	decoder, err := jsonschema.DecoderFor[Out]()
	return func(r *Result) (out Out, err error) {
		if r.takeText(&out) {
			return out, nil
		}
		structured := r.Structured
		if structured == nil {
			if structured, err = r.structuredText(); err != nil {
				return out, err
			}
		}
		if raw, ok := any(&out).(*jsonrpc.Raw); ok {
			*raw = structured
			return out, nil
		}
		return decoder.Decode(structured)
	}, err
}

// takeText fills a string, or an any, with the text of a result that has no structured
// content for it, and reports whether it has.
func (r *Result) takeText(to any) bool {
	switch to := to.(type) {
	case *string:
		if r.Structured.Kind() != jsonrpc.KindString {
			*to = r.text()
			return true
		}
	case *any:
		if r.Structured == nil {
			*to = r.text()
			return true
		}
	}
	return false
}

// text is what the blocks of text say.
func (r *Result) text() string {
	var all []string
	for _, block := range r.Content {
		if t, ok := block.(*TextContent); ok {
			all = append(all, t.Text)
		}
	}
	return strings.Join(all, "\n")
}

// structuredText is the structured content that stands in the one block of text, as it does
// where a revision has no other place for it (2026-07-28 server/tools, Structured Content).
func (r *Result) structuredText() (jsonrpc.Raw, error) {
	if len(r.Content) == 1 {
		if t, ok := r.Content[0].(*TextContent); ok {
			if text, err := jsonrpc.AppendCompact(nil, []byte(t.Text)); err == nil {
				return text, nil
			}
		}
	}
	return nil, errors.New("there is no structuredContent, and no block of text that stands for it")
}

// ToolError is a call of a tool that has failed in a way that the server tells of
// ([Result.IsError]).
type ToolError struct {
	// Tool is the name of the tool.
	Tool string
	// Result is what came; its content says what has failed.
	Result *Result
}

// Error names the tool and has the text of the result, clipped where it is long.
func (e *ToolError) Error() string {
	return fmt.Sprintf("mcp: tool %q has failed: %s", e.Tool, jsonrpc.Clip([]byte(e.Result.text())))
}

// InvalidResult is a result of a tool that does not fit the output schema which the server
// gives for it (2026-07-28 server/tools, Output Schema), or what the caller wants to make of
// it ([CallTool]).
type InvalidResult struct {
	// Tool is the name of the tool.
	Tool string
	// Result is what came.
	Result *Result
	// Reason names the place in it, and what was expected there.
	Reason string
}

// Error is one line.
func (e *InvalidResult) Error() string {
	return fmt.Sprintf("mcp: the result of tool %q is not as it must be: %s", e.Tool, e.Reason)
}
