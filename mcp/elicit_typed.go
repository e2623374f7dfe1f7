package mcp

import (
	"context"
	"fmt"
	"reflect"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// Ask has the user of the client fill in a form, and returns it as a T, a struct:
//
//	type contact struct {
//		Name  string  `json:"name" mcp:"your full name"`
//		Email string  `json:"email" format:"email"`
//		Age   *int    `json:"age" minimum:"18"`
//		Plan  string  `json:"plan" enum:"free,paid" default:"free"`
//	}
//	in, err := mcp.Ask[contact](ctx, c, "contact", "How can we reach you?")
//
// The form is inferred from T as [jsonschema.Infer] has it, tags included. A form is
// flat: strings, numbers, booleans, times, and choices of one or several strings; give
// a type of strings its titles with [Choices]. Ask panics, naming type and field, when T
// has anything else: the client hears of an internal error, and
// the log has the rest. [CheckForm] finds such a T when the program starts.
//
// In the legacy era the client is asked, and Ask waits. In the modern one Ask returns
// [ErrInputRequired] the first time; the handler returns that, and runs again from its
// top when the client has the answer, which Ask then returns at once (2026-07-28
// basic/patterns/mrtr). So what a handler does before its last question it does more than
// once: do it behind, or in [Once]. An answer is for the very question that the client was
// asked: when message or form has changed by then, it is asked again. key names the
// question within the request, see [Call.AskAll].
//
// The errors: [ErrDeclined] and [ErrCancelled], a [*MissingCapability], an
// [*InvalidAnswer], [*Refused], [ErrInputRequired], [ErrNoAnswer], that of ctx, and one for a
// message that is empty. A handler with nothing better to do returns them as they are.
func Ask[T any](ctx context.Context, c *Call, key, message string) (T, error) {
	return askOne(ctx, c, QuestionFor[T](key, message))
}

// CheckForm reports whether a T can be asked for: nil, or an error that names type and
// field. Call it where the server is made, or in a test, for each type that its handlers
// ask for; a fault would show in the call only, when [Ask] panics:
//
//	if err := mcp.CheckForm[contact](); err != nil {
//		return nil, err
//	}
func CheckForm[T any]() error {
	_, err := newTypedForm[T]()
	return err
}

// QuestionFor is the question of [Ask], for [Call.AskAll] and [Call.RequireInput]. It
// panics when it is put for a T that [CheckForm] refuses.
func QuestionFor[T any](key, message string) *Asked[T] {
	var form *typedForm[T]
	return &Asked[T]{
		ask: func(c *Call) (Inquiry, error) {
			form = typedFormOf[T](c.server)
			return askForm(c, key, message, form.schema)
		},
		read: func(answer jsonrpc.Raw) (T, error, badAnswer) { return form.read(answer) },
	}
}

// typedForm is the form of a Go type. What does not depend on the type is apart: it is
// compiled once, and not once for each.
type typedForm[T any] struct {
	formRules
	decoder *jsonschema.Decoder[T]
}

// formRules is what an answer has to be.
type formRules struct {
	schema  *formSchema
	checker *jsonschema.Schema
}

// typedFormOf makes the form of T, once for each server.
func typedFormOf[T any](s *Server) *typedForm[T] {
	t := reflect.TypeFor[T]()
	if known, ok := s.forms.Load(t); ok {
		return known.(*typedForm[T])
	}
	form, err := newTypedForm[T]()
	if err != nil {
		panic(err.Error())
	}
	s.forms.Store(t, form)
	return form
}

// newTypedForm makes the form of T. Its error says which type that is.
func newTypedForm[T any]() (*typedForm[T], error) {
	t := reflect.TypeFor[T]()
	form := &typedForm[T]{}
	err := form.infer(t)
	if err == nil {
		form.decoder, err = jsonschema.DecoderFor[T]()
	}
	if err != nil {
		return nil, unaskable(t, err)
	}
	return form, nil
}

func unaskable(t reflect.Type, err error) error {
	return fmt.Errorf("mcp: %v cannot be asked for: %w", t, err)
}

func (f *formRules) infer(t reflect.Type) error {
	if t.Kind() != reflect.Struct {
		return fmt.Errorf("a form is a struct, and not a %v", t.Kind())
	}
	inferred, err := jsonschema.Infer(t)
	if err != nil {
		return err
	}
	text := asForm(inferred)
	if f.schema, err = readFormSchema(text); err != nil {
		return err
	}
	f.checker, err = compileForm(text)
	return err
}

// asForm writes an inferred schema as forms have it: members that it does not know are
// passed over, and choices of several with titles stand in anyOf.
func asForm(inferred jsonrpc.Raw) jsonrpc.Raw {
	w := writer{}
	w.open("", '{')
	for o := jsonrpc.ReadObject(inferred); o.Next(); {
		switch string(o.Name()) {
		case "additionalProperties":
		case "properties":
			w.open("properties", '{')
			for p := jsonrpc.ReadObject(o.Value()); p.Next(); {
				w.member(string(p.Name()), withAnyOf(p.Value()))
			}
			w.close('}')
		default:
			w.member(string(o.Name()), o.Value())
		}
	}
	w.close('}')
	return w.dst
}

func withAnyOf(property jsonrpc.Raw) jsonrpc.Raw {
	w := writer{}
	w.open("", '{')
	for o := jsonrpc.ReadObject(property); o.Next(); {
		value := o.Value()
		if string(o.Name()) == "items" {
			items := rawsOf(value)
			if choices := items["oneOf"]; choices != nil && items["type"].Is("string") && len(items) == 2 {
				value = append(append(jsonrpc.Raw(`{"anyOf":`), choices...), '}')
			}
		}
		w.member(string(o.Name()), value)
	}
	w.close('}')
	return w.dst
}

// read reads the answer.
func (f *typedForm[T]) read(answer jsonrpc.Raw) (value T, err error, bad badAnswer) {
	content, err, bad := f.check(answer, f.decoder.WithoutNulls)
	if err != nil || bad != nil {
		return value, err, bad
	}
	value, err = f.decoder.Decode(content)
	return value, nil, badContent(err)
}

// check returns the content of the answer, with defaults. A null stands for what was left
// out: some clients send one for an empty field.
func (f *formRules) check(answer jsonrpc.Raw, withoutNulls func(jsonrpc.Raw) jsonrpc.Raw) (content jsonrpc.Raw, err error, bad badAnswer) {
	content, err, bad = readElicitResult(answer)
	if err != nil || bad != nil {
		return nil, err, bad
	}
	content = withoutNulls(content)
	if bad := badContent(f.checker.Validate(content)); bad != nil {
		return nil, nil, bad
	}
	content, err = f.checker.ApplyDefaults(content)
	return content, nil, badContent(err)
}

// Choice is one of the values of a choice, and its title for people.
type Choice struct{ Value, Title string }

// Choices is the schema of a type of strings whose values have titles:
//
//	type Color string
//
//	func (Color) JSONSchema() jsonrpc.Raw {
//		return mcp.Choices(mcp.Choice{"#f00", "Red"}, mcp.Choice{"#0f0", "Green"})
//	}
//
// A field of this type in a struct for [Ask] is a choice of one, a slice of it a choice
// of several.
func Choices(choices ...Choice) jsonrpc.Raw {
	w := writer{}
	w.open("", '{')
	w.text("type", "string")
	w.open("oneOf", '[')
	for _, c := range choices {
		w.open("", '{')
		w.text("const", c.Value)
		w.text("title", c.Title)
		w.close('}')
	}
	w.close(']')
	w.close('}')
	return w.dst
}
