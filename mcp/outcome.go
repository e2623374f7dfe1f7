package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// outcome makes results of what a typed handler gives. What does not depend on Out is
// apart: it is compiled once, and not once for each type.
type outcome[Out any] struct {
	outcomeRules
	encoder *jsonschema.Encoder[Out] // nil where nothing is encoded
}

// outcomeRules is what becomes of the values of one tool.
type outcomeRules struct {
	tool   string
	schema *jsonschema.Schema // nil when the tool has none
	fits   bool               // what the encoder writes needs no validation
	form   outcomeForm
}

// outcomeForm is what a Go type is to a result.
type outcomeForm int

const (
	asStructured outcomeForm = iota
	asRaw                    // structured content; nil is none
	asText
	asNothing
	asAny // what the value in it is
	asResult
	asBlocks
	asBlock
)

var (
	contentType = reflect.TypeFor[Content]()
	anyType     = reflect.TypeFor[any]()
)

// outcomeOf decides once what is made of an Out, and gives the tool its output schema.
func outcomeOf[Out any](t *Tool) (*outcome[Out], error) {
	inferred := t.OutputSchema == nil
	rules, err := outcomeRulesOf(t, reflect.TypeFor[Out]())
	o := &outcome[Out]{outcomeRules: rules}
	if err != nil || o.form >= asResult {
		return o, err
	}
	if o.encoder, err = jsonschema.EncoderFor[Out](); err != nil {
		return nil, err
	}
	o.fits = inferred && o.encoder.AlwaysFits()
	return o, nil
}

func outcomeRulesOf(t *Tool, out reflect.Type) (o outcomeRules, err error) {
	o = outcomeRules{tool: t.Name, form: outcomeFormOf(out)}
	if o.form <= asRaw {
		if err = inferOutput(t, out); err != nil {
			return o, err
		}
	}
	if t.OutputSchema == nil {
		return o, nil
	}
	if o.form >= asBlocks {
		return o, fmt.Errorf("%v is content without structure; return a *mcp.Result", out)
	}
	o.schema, err = jsonschema.Compile(t.OutputSchema, nil)
	return o, err
}

func outcomeFormOf(out reflect.Type) outcomeForm {
	switch {
	case out == reflect.TypeFor[*Result]():
		return asResult
	case out == reflect.TypeFor[[]Content]():
		return asBlocks
	case out == reflect.TypeFor[struct{}]():
		return asNothing
	case out == reflect.TypeFor[string]():
		return asText
	case out == anyType:
		return asAny
	case out.Implements(contentType):
		return asBlock
	case out == reflect.TypeFor[jsonrpc.Raw]() || out == reflect.TypeFor[json.RawMessage]():
		return asRaw
	}
	return asStructured
}

// inferOutput gives the tool the output schema of its type, where that says anything.
func inferOutput(t *Tool, out reflect.Type) error {
	if t.OutputSchema != nil {
		return nil
	}
	text, err := jsonschema.InferResult(out)
	if err == nil && string(text) != `{}` {
		t.OutputSchema = text
	}
	return err
}

// result makes the result of one call.
func (o *outcome[Out]) result(v Out) (*Result, error) {
	switch o.form {
	case asStructured:
	case asRaw:
		if o.schema == nil && isNilRaw(v) {
			return &Result{}, nil
		}
	case asText:
		if o.schema == nil {
			return TextResult(any(v).(string)), nil
		}
	default:
		if r, done, err := o.whole(v); done {
			return r, err
		}
	}
	text, err := o.encoder.Append(make([]byte, 0, 128), v)
	return o.structured(text, err)
}

// whole makes the result of a value that says itself what it is to be; it reports false of
// one that is structured content.
func (o *outcomeRules) whole(v any) (r *Result, done bool, err error) {
	switch o.form {
	case asAny:
		return o.any(v)
	case asResult:
		r, err = o.full(v.(*Result))
		return r, true, err
	case asBlocks:
		return &Result{Content: v.([]Content)}, true, nil
	case asBlock:
		block := v.(Content)
		if reflect.ValueOf(block).IsNil() {
			block = nil // which cannot be sent, and is told as such
		}
		return &Result{Content: []Content{block}}, true, nil
	}
	return &Result{}, o.schema == nil, nil
}

// any makes of a value what its type says.
func (o *outcomeRules) any(v any) (r *Result, done bool, err error) {
	switch v := v.(type) {
	case *Result:
		r, err = o.full(v)
		return r, true, err
	case []Content:
		return &Result{Content: v}, true, nil
	case Content:
		return &Result{Content: []Content{v}}, true, nil
	}
	if o.schema == nil {
		switch v := v.(type) {
		case nil, struct{}:
			return &Result{}, true, nil
		case string:
			return TextResult(v), true, nil
		}
		return &Result{}, isNilRaw(v), nil
	}
	return nil, false, nil
}

func (o *outcomeRules) full(r *Result) (*Result, error) {
	if r == nil || r.IsError || r.Structured == nil {
		return r, nil // what is missing, callTool finds
	}
	return r, o.check(r.Structured)
}

// isNilRaw reports whether v is JSON text that is not there.
func isNilRaw(v any) bool {
	switch raw := v.(type) {
	case jsonrpc.Raw:
		return raw == nil
	case json.RawMessage:
		return raw == nil
	}
	return false
}

// structured makes structured content of the text of a value, unless there was none to be
// had; the text of the same comes with it ([Result.write]).
func (o *outcomeRules) structured(text jsonrpc.Raw, err error) (*Result, error) {
	if err != nil {
		return nil, unsent{fmt.Errorf("mcp: tool %q: the result cannot be written: %w", o.tool, err)}
	}
	if !o.fits {
		if err := o.check(text); err != nil {
			return nil, err
		}
	}
	return &Result{Structured: text, encoded: true}, nil
}

// check holds structured content to the output schema.
func (o *outcomeRules) check(structured jsonrpc.Raw) error {
	if o.schema == nil {
		return nil
	}
	err := o.schema.Validate(structured)
	if err == nil {
		return nil
	}
	var e *jsonschema.Error
	if errors.As(err, &e) {
		err = errors.New(e.In("result"))
	}
	return unsent{fmt.Errorf("mcp: tool %q: the result does not fit the output schema: %w", o.tool, err)}
}
