package mcp

import (
	"context"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// CallTool calls a tool (2026-07-28 server/tools, Calling Tools). arguments is nil for
// none, a [jsonrpc.Raw] that is an object, or a Go value that encodes to one; integers stay
// exact. A result that says that the call has failed ([Result.IsError]) is no Go error.
//
// What a list has told of the tool before counts: the arguments that it wants to see in
// headers are repeated there, and a structured result is held against its output schema
// ([*InvalidResult]). A call that is refused because its headers are not those of the tool
// has the tools listed anew, and is sent once more (2026-07-28
// basic/transports/streamable-http, Custom Headers from Tool Parameters).
func (c *Client) CallTool(ctx context.Context, name string, arguments any, o *CallOptions) (*Result, error) {
	params, err := callParams(name, arguments)
	if err != nil {
		return nil, err
	}
	raw, err := c.do(ctx, &ClientRequest{Method: "tools/call", Params: params}, o)
	if err != nil {
		return nil, err
	}
	result, err := Read[Result](raw, "result")
	if err != nil {
		return nil, err
	}
	return &result, nil
}

func callParams(name string, arguments any) (jsonrpc.Raw, error) {
	w := writer{}
	w.open("", '{')
	w.text("name", name)
	if arguments != nil {
		encoder, err := jsonschema.EncoderFor[any]()
		if err != nil {
			return nil, err
		}
		given, err := encoder.Append(nil, arguments)
		if err != nil {
			return nil, err
		}
		w.raw("arguments", given)
	}
	w.close('}')
	return w.dst, w.err
}

// ReadResource reads a resource (2026-07-28 server/resources, Reading Resources).
func (c *Client) ReadResource(ctx context.Context, uri string, o *CallOptions) (*ReadResourceResult, error) {
	w := writer{}
	w.open("", '{')
	w.text("uri", uri)
	w.close('}')
	return get[ReadResourceResult](ctx, c, "resources/read", &w, o)
}

// GetPrompt has a prompt filled in with its arguments; nil for none (2026-07-28
// server/prompts, Getting a Prompt).
func (c *Client) GetPrompt(ctx context.Context, name string, arguments map[string]string, o *CallOptions) (*PromptResult, error) {
	w := writer{}
	w.open("", '{')
	w.text("name", name)
	w.textMap("arguments", arguments)
	w.close('}')
	return get[PromptResult](ctx, c, "prompts/get", &w, o)
}

// Complete asks for suggestions for an argument of a prompt or a variable of a resource
// template (2026-07-28 server/utilities/completion). The _meta of in is sent with that of o.
func (c *Client) Complete(ctx context.Context, in *CompleteParams, o *CallOptions) (*Completion, error) {
	w := writer{}
	plain := *in
	plain.Meta = nil
	plain.writeJSON(&w, c.form())
	r, err := get[CompleteResult](ctx, c, "completion/complete", &w, o)
	if err != nil {
		return nil, err
	}
	return &r.Completion, nil
}

// get sends a request whose params are written, and reads its result.
func get[T any, P interface {
	*T
	Value
}](ctx context.Context, c *Client, method string, params *writer, o *CallOptions) (*T, error) {
	if params.err != nil {
		return nil, params.err
	}
	raw, err := c.do(ctx, &ClientRequest{Method: method, Params: params.dst}, o)
	if err != nil {
		return nil, err
	}
	result := new(T)
	if m := P(result).readJSON(raw); m != nil {
		return nil, m.at("result")
	}
	return result, nil
}
