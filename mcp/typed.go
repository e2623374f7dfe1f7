package mcp

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// AddTool registers a tool whose handler takes and gives Go values.
//
// In is a struct or a map; its schema is inferred ([jsonschema.Infer] tells how, and
// which tags say more) unless t has an InputSchema, which is then kept byte for byte.
// [jsonrpc.Raw], json.RawMessage and any take every object; struct{} takes none but the
// empty one. Before h runs, the arguments are completed with the defaults of the schema,
// validated, formats included, and decoded. Nulls of optional fields count as absent.
// Arguments that do not fit make a result with isError that names each of them, what was
// expected and what came, for the model to try again (2026-07-28 server/tools, Error
// Handling); h does not run. What h is given is its own to keep.
//
// Out says what becomes of a value:
//
//	string                       a block of text
//	*Result                      sent as it is
//	[]Content, or one Content    the blocks
//	struct{}                     nothing: no content
//	any, jsonrpc.Raw             structured content, without a schema; an any can also
//	                             hold each of the above, and nil is no content
//	all others                   structured content, and the same as text
//
// The output schema is inferred from Out where it says something, unless t has an
// OutputSchema. Structured content is validated, formats aside, also that of a *Result,
// unless it is an error's: one that does not fit is a fault of the server, and is logged
// and not sent. With an OutputSchema a string, too, is structured content.
//
// The errors of h are those of a [ToolHandler]. AddTool panics as [Server.AddTool] does,
// and where a type or a schema cannot be used.
func AddTool[In, Out any](s *Server, t Tool, h func(ctx context.Context, c *Call, in In) (Out, error)) {
	handler, err := typed(&t, h)
	s.addTyped(t, handler, err)
}

func (s *Server) addTyped(t Tool, h ToolHandler, err error) {
	if err != nil {
		panic(fmt.Sprintf("mcp: tool %q: %v", t.Name, err))
	}
	s.AddTool(t, h)
}

// typed makes a tool's handler of a typed one, and gives the tool its schemas.
func typed[In, Out any](t *Tool, h func(ctx context.Context, c *Call, in In) (Out, error)) (ToolHandler, error) {
	if h == nil {
		return nil, errors.New("no handler")
	}
	in, err := argumentsOf[In](t)
	if err != nil {
		return nil, inSchema("input", err)
	}
	out, err := outcomeOf[Out](t)
	if err != nil {
		return nil, inSchema("output", err)
	}
	return func(ctx context.Context, c *Call) (*Result, error) {
		given, err := in.read(c)
		if err != nil {
			return nil, err
		}
		value, err := h(ctx, c, given)
		if err != nil {
			return nil, err
		}
		return out.result(value)
	}, nil
}

// inSchema says which of the schemas of a tool cannot be had.
//
//go:noinline
func inSchema(which string, err error) error { return fmt.Errorf("%s schema: %w", which, err) }

// arguments reads those of one tool. What does not depend on In is apart: it is compiled
// once, and not once for each type.
type arguments[In any] struct {
	argumentRules
	decoder *jsonschema.Decoder[In]
}

// argumentRules is what the arguments of one tool have to be.
type argumentRules struct {
	tool     string
	schema   *jsonschema.Schema
	inferred bool // from the Go type
}

func argumentsOf[In any](t *Tool) (*arguments[In], error) {
	rules, err := argumentRulesOf(t, reflect.TypeFor[In]())
	if err != nil {
		return nil, err
	}
	decoder, err := jsonschema.DecoderFor[In]()
	return &arguments[In]{rules, decoder}, err
}

func argumentRulesOf(t *Tool, in reflect.Type) (a argumentRules, err error) {
	a = argumentRules{tool: t.Name, inferred: t.InputSchema == nil}
	if a.inferred {
		if t.InputSchema, err = inputSchema(in); err != nil {
			return a, err
		}
	}
	a.schema, err = jsonschema.Compile(t.InputSchema, &jsonschema.Options{AssertFormat: true})
	return a, err
}

// inputSchema infers the schema of arguments, which are an object.
func inputSchema(in reflect.Type) (jsonrpc.Raw, error) {
	text, err := jsonschema.Infer(in)
	if err != nil {
		return nil, err
	}
	if string(text) == `{}` {
		return anyArguments, nil
	}
	s, err := readSchema(text)
	if err == nil && !s.object {
		err = fmt.Errorf("the arguments of a tool are an object; %v is none: use a struct or a map", in)
	}
	return text, err
}

// read checks and decodes the arguments of a call. Most are found good by decoding
// them.
func (a *arguments[In]) read(c *Call) (In, error) {
	sent := c.Arguments()
	if a.inferred {
		if in, ok := a.decoder.DecodeValid(sent); ok {
			return in, nil
		}
	}
	given, err := a.check(sent, a.decoder.WithoutNulls)
	if err == nil {
		var in In
		if in, err = a.decoder.Decode(given); err == nil {
			return in, nil
		}
	}
	var none In
	return none, a.refusal(err)
}

// refusal is what the caller of the tool is told of arguments that do not fit.
func (a *argumentRules) refusal(err error) error {
	var e *jsonschema.Error
	if !errors.As(err, &e) {
		return unsent{err}
	}
	return errors.New("Invalid arguments for tool " + a.tool + ": " + e.In("arguments"))
}

// check returns the arguments with defaults. Nulls are looked at only when they are in
// the way: a schema written by hand may well take them.
func (a *argumentRules) check(given jsonrpc.Raw, withoutNulls func(jsonrpc.Raw) jsonrpc.Raw) (jsonrpc.Raw, error) {
	whole, err := a.complete(given)
	if err == nil {
		return whole, nil
	}
	less := withoutNulls(given)
	if len(less) == len(given) {
		return nil, err
	}
	return a.complete(less)
}

// complete adds the defaults, and validates what is then there.
func (a *argumentRules) complete(given jsonrpc.Raw) (jsonrpc.Raw, error) {
	whole, err := a.schema.ApplyDefaults(given)
	if err != nil {
		return nil, err
	}
	return whole, a.schema.Validate(whole)
}

// unsent is an error of a tool that no peer is told: a fault of the server.
type unsent struct{ error }

func (e unsent) Unwrap() error { return e.error }
