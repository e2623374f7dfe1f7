package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// outcome makes results of what a typed handler gives.
type outcome[Out any] struct {
	tool    string
	schema  *jsonschema.Schema // nil when the tool has none
	fits    bool               // what the encoder writes needs no validation
	encoder *jsonschema.Encoder[Out]
	result  func(v Out) (*Result, error)
}

var (
	contentType = reflect.TypeFor[Content]()
	anyType     = reflect.TypeFor[any]()
)

// outcomeOf decides once what is made of an Out, and gives the tool its output schema.
func outcomeOf[Out any](t *Tool) (*outcome[Out], error) {
	o := &outcome[Out]{tool: t.Name}
	var zero Out
	out := reflect.TypeFor[Out]()
	blocks, inferred := false, t.OutputSchema == nil
	switch any(zero).(type) {
	case *Result:
		o.result = o.full
	case []Content:
		o.result, blocks = o.blocks, true
	case struct{}:
		o.result = o.nothing
	case string:
		o.result = o.text
	default:
		switch {
		case out == anyType:
			o.result = o.any
		case out.Implements(contentType):
			o.result, blocks = o.block, true
		default:
			o.result = o.structured
			if err := inferOutput(t, out); err != nil {
				return nil, err
			}
		}
	}
	if blocks && t.OutputSchema != nil {
		return nil, fmt.Errorf("%v is content without structure; return a *mcp.Result", out)
	}
	var err error
	if t.OutputSchema != nil {
		if o.schema, err = jsonschema.Compile(t.OutputSchema, nil); err != nil {
			return nil, err
		}
	}
	if out != reflect.TypeFor[*Result]() && !blocks {
		if o.encoder, err = jsonschema.EncoderFor[Out](); err != nil {
			return nil, err
		}
		o.fits = inferred && o.encoder.AlwaysFits()
	}
	return o, nil
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

func (o *outcome[Out]) full(v Out) (*Result, error) {
	r := any(v).(*Result)
	if r == nil || r.IsError || r.Structured == nil {
		return r, nil // what is missing, callTool finds
	}
	return r, o.check(r.Structured)
}

func (o *outcome[Out]) blocks(v Out) (*Result, error) {
	return &Result{Content: any(v).([]Content)}, nil
}

func (o *outcome[Out]) block(v Out) (*Result, error) {
	block := any(v).(Content)
	if reflect.ValueOf(block).IsNil() {
		block = nil // which cannot be sent, and is told as such
	}
	return &Result{Content: []Content{block}}, nil
}

func (o *outcome[Out]) nothing(v Out) (*Result, error) {
	if o.schema != nil {
		return o.structured(v)
	}
	return &Result{}, nil
}

func (o *outcome[Out]) text(v Out) (*Result, error) {
	if o.schema != nil {
		return o.structured(v)
	}
	return TextResult(any(v).(string)), nil
}

// any makes of a value what its type says.
func (o *outcome[Out]) any(v Out) (*Result, error) {
	switch v := any(v).(type) {
	case *Result:
		if v == nil || v.IsError || v.Structured == nil {
			return v, nil
		}
		return v, o.check(v.Structured)
	case []Content:
		return &Result{Content: v}, nil
	case Content:
		return &Result{Content: []Content{v}}, nil
	}
	if o.schema == nil {
		switch v := any(v).(type) {
		case nil, struct{}:
			return &Result{}, nil
		case string:
			return TextResult(v), nil
		}
	}
	return o.structured(v)
}

// structured makes structured content of a value; the text of the same comes with it
// ([Result.write]).
func (o *outcome[Out]) structured(v Out) (*Result, error) {
	switch raw := any(v).(type) {
	case jsonrpc.Raw:
		if raw == nil && o.schema == nil {
			return &Result{}, nil
		}
	case json.RawMessage:
		if raw == nil && o.schema == nil {
			return &Result{}, nil
		}
	}
	text, err := o.encoder.Append(make([]byte, 0, 128), v)
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
func (o *outcome[Out]) check(structured jsonrpc.Raw) error {
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
