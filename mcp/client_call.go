package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

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
	c.encodes.Do(func() {
		c.encoder, _ = jsonschema.EncoderFor[any]() // any has a form in JSON
	})
	return c.callTool(ctx, name, arguments, c.encoder, o)
}

// CallToolRaw is [Client.CallTool] with arguments that are JSON, nil for none. A program that
// has no others need not have in it what makes JSON of Go values.
func (c *Client) CallToolRaw(ctx context.Context, name string, arguments jsonrpc.Raw, o *CallOptions) (*Result, error) {
	return c.callTool(ctx, name, arguments, nil, o)
}

// encoder writes Go values. It is an interface so that only who writes some has one.
type encoder interface {
	Append(dst []byte, v any) ([]byte, error)
}

// callTool calls a tool. Arguments that are no [jsonrpc.Raw] are for e to write.
func (c *Client) callTool(ctx context.Context, name string, arguments any, e encoder, o *CallOptions) (*Result, error) {
	s, _ := c.scratch.Get().(*scratch)
	if s == nil {
		s = &scratch{}
	}
	defer c.keepScratch(s)
	if err := s.writeCall(name, arguments, e); err != nil {
		return nil, err
	}
	raw, tool, err := c.withMarks(ctx, name, func(marks []HeaderParam) (jsonrpc.Raw, error) {
		return c.do(ctx, &clientCall{ClientRequest: ClientRequest{Method: "tools/call", Params: s.params, Room: &s.result, Marks: marks}}, o)
	})
	if err != nil {
		return nil, err
	}
	// Servers that have no content to give leave it out, or send null, though it is to be
	// there always (2026-07-28 schema, CallToolResult).
	result := newResult()
	if m := result.readLenient(raw); m != nil {
		return nil, m.at("result")
	}
	if err := c.checkOutput(name, tool, result); err != nil {
		return nil, err
	}
	return result, nil
}

// scratch is room for what a call of a tool has written and read. The [Result] shares none
// of it.
type scratch struct{ params, result []byte }

// keepScratch keeps it for another call, but not the memory of a large one.
func (c *Client) keepScratch(s *scratch) {
	if cap(s.params)+cap(s.result) <= 1<<20 {
		c.scratch.Put(s)
	}
}

// newResult is a result with room for one block, as most have, in one allocation.
func newResult() *Result {
	r := &struct {
		Result
		blocks [1]Content
	}{}
	r.Content = r.blocks[:0]
	return &r.Result
}

// withMarks has send call a tool with the marks that a list has told of it. Where the server
// refuses them the tools are listed anew, and send is called once more. It also returns what
// was known of the tool for the last call.
func (c *Client) withMarks(ctx context.Context, name string, send func([]HeaderParam) (jsonrpc.Raw, error)) (jsonrpc.Raw, *knownTool, error) {
	tool := c.tools.of(name)
	raw, err := send(tool.headers())
	if !isHeaderMismatch(err) {
		return raw, tool, err
	}
	switch found, listErr := c.listAnew(ctx, name); {
	case listErr != nil:
		return nil, tool, fmt.Errorf("%w; and the tools could not be listed anew: %w", err, listErr)
	case !found:
		return nil, tool, err
	}
	tool = c.tools.of(name)
	raw, err = send(tool.headers())
	return raw, tool, err
}

// isHeaderMismatch reports whether a server has refused a request for its headers.
func isHeaderMismatch(err error) bool {
	return err != nil && errors.Is(err, errHeaderMismatch)
}

// listAnew asks for the tools until it sees the one of this name, and reports whether it
// has.
func (c *Client) listAnew(ctx context.Context, name string) (bool, error) {
	for tool, err := range pages(ctx, c.ListTools, &CallOptions{Fresh: true}) {
		if err != nil {
			return false, err
		}
		if tool.Name == name {
			return true, nil
		}
	}
	return false, nil
}

// writeCall writes the params of tools/call.
func (s *scratch) writeCall(name string, arguments any, e encoder) error {
	given, _ := arguments.(jsonrpc.Raw)
	w := writer{dst: slices.Grow(s.params[:0], 64+len(name)+min(len(given), 1<<20))}
	w.open("", '{')
	w.text("name", name)
	if !isNoArguments(arguments) {
		w.key("arguments")
		at := len(w.dst)
		switch given := arguments.(type) {
		case jsonrpc.Raw:
			w.value(given)
		default:
			w.dst, w.err = e.Append(w.dst, arguments)
		}
		if w.err == nil && w.dst[at] != '{' {
			w.err = fmt.Errorf("they must be an object, and not %s", jsonrpc.Clip(w.dst[at:]))
		}
	}
	w.close('}')
	if w.err != nil {
		return fmt.Errorf("mcp: the arguments for tool %q: %w", name, w.err)
	}
	s.params = w.dst
	return nil
}

// isNoArguments reports whether there are none.
func isNoArguments(arguments any) bool {
	switch given := arguments.(type) {
	case nil:
		return true
	case jsonrpc.Raw:
		return given == nil
	case json.RawMessage:
		return given == nil
	}
	return false
}

// ReadResource reads a resource (2026-07-28 server/resources, Reading Resources). The error of
// a server that has none of this uri matches [ErrResourceNotFound], whichever of the codes for
// that it has.
func (c *Client) ReadResource(ctx context.Context, uri string, o *CallOptions) (*ReadResourceResult, error) {
	w := writer{}
	w.open("", '{')
	w.text("uri", uri)
	w.close('}')
	r, err := get[ReadResourceResult](ctx, c, "resources/read", &w, o)
	if err != nil && c.isNotFound(err) {
		err = &notFound{err}
	}
	return r, err
}

// resourceNotFound is the code up to 2025-11-25, which servers of later revisions may have kept
// (2026-07-28 server/resources, Error Handling).
var resourceNotFound = &jsonrpc.Error{Code: -32002}

// isNotFound reports whether an error of resources/read says that there is no such resource.
func (c *Client) isNotFound(err error) bool {
	f := c.form()
	return errors.Is(err, resourceNotFound) || f != nil && errors.Is(err, &jsonrpc.Error{Code: f.ResourceNotFound})
}

// notFound is the error of a server that has no such resource.
type notFound struct{ error }

// Unwrap gives the server's error, and that it is about a resource.
func (e *notFound) Unwrap() []error { return []error{e.error, ErrResourceNotFound} }

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
// template (2026-07-28 server/utilities/completion). The Meta of in is not looked at: o has
// one. Its Context goes only to servers of revisions that know it, since 2025-06-18.
func (c *Client) Complete(ctx context.Context, in *CompleteParams, o *CallOptions) (*Completion, error) {
	f := c.form()
	if f == nil {
		return nil, errUnattached
	}
	w, plain := writer{}, *in
	plain.Meta = nil
	plain.writeJSON(&w, f)
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
	raw, err := c.do(ctx, &clientCall{ClientRequest: ClientRequest{Method: method, Params: params.dst}}, o)
	if err != nil {
		return nil, err
	}
	result := new(T)
	if m := P(result).readJSON(raw); m != nil {
		return nil, m.at("result")
	}
	return result, nil
}
