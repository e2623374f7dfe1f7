package jsonschema

import (
	"encoding"
	"encoding/json"
	"reflect"
	"time"

	"isthmus.internal/jsonrpc"
)

// Described is implemented by types that know their own schema, a JSON object: enums,
// and types with a JSON form of their own. It is asked of the zero value.
//
//	func (Color) JSONSchema() jsonrpc.Raw {
//		return jsonrpc.Raw(`{"type":"string","enum":["red","green"]}`)
//	}
type Described interface {
	JSONSchema() jsonrpc.Raw
}

// direction is what is done with values of a type. The form of a type can differ:
// methods that read text say nothing of how it is written.
type direction uint8

const (
	reading direction = iota // arguments, answers
	writing                  // results
)

// form is how the values of a type stand in JSON.
type form uint8

const (
	formKind   form = iota // as its kind has it
	formRaw                // [jsonrpc.Raw], [json.RawMessage]: any value, as text
	formAny                // an interface: any value
	formDigits             // [json.Number]: a number with all its digits
	formBytes              // a slice of bytes: base64 in a string
	formJSON               // methods of its own, for any value
	formText               // methods of its own, for a string
	formNone               // none that this direction can use
)

var (
	rawType     = reflect.TypeFor[jsonrpc.Raw]()
	messageType = reflect.TypeFor[json.RawMessage]()
	numberType  = reflect.TypeFor[json.Number]()
	timeType    = reflect.TypeFor[time.Time]()

	describedType       = reflect.TypeFor[Described]()
	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
	marshalerType       = reflect.TypeFor[json.Marshaler]()
	textMarshalerType   = reflect.TypeFor[encoding.TextMarshaler]()
)

// formOf tells the form of t, which is no pointer. Methods count whether they have a
// pointer for a receiver or not, as all values are handled where they have an address.
func formOf(t reflect.Type, d direction) form {
	switch {
	case t == rawType, t == messageType:
		return formRaw
	case t == numberType:
		return formDigits
	case t.Kind() == reflect.Interface:
		if d == reading && t.NumMethod() > 0 {
			return formNone // nothing says what to make of a value
		}
		return formAny
	}
	own, text := unmarshalerType, textUnmarshalerType
	if d == writing {
		own, text = marshalerType, textMarshalerType
	}
	switch {
	case hasMethods(t, own):
		return formJSON
	case hasMethods(t, text):
		return formText
	case d == reading && (hasMethods(t, marshalerType) || hasMethods(t, textMarshalerType)):
		return formNone // what it writes it could not read
	case t.Kind() == reflect.Slice && isBytes(t.Elem(), d):
		return formBytes
	}
	return formKind
}

// hasMethods reports whether t or a pointer to t has the methods of the interface i.
func hasMethods(t, i reflect.Type) bool { return t.Implements(i) || reflect.PointerTo(t).Implements(i) }

// isBytes reports whether a slice of t is a string of bytes.
func isBytes(t reflect.Type, d direction) bool {
	return t.Kind() == reflect.Uint8 && formOf(t, d) == formKind
}

// isTime reports whether t stands in JSON as a time: it is [time.Time], or embeds it
// and has its methods from there. Which methods those are is asked of a value, since a
// type can bring methods of its own, with another form.
func isTime(t reflect.Type) bool {
	if t == timeType {
		return true
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if f := t.Field(i); !f.Anonymous || f.Type != timeType || !f.IsExported() {
			continue
		}
		v := reflect.New(t)
		when := time.Date(2006, 1, 2, 3, 4, 5, 0, time.UTC)
		v.Elem().Field(i).Set(reflect.ValueOf(when))
		m, ok := v.Interface().(json.Marshaler)
		if !ok {
			return false
		}
		text, err := m.MarshalJSON()
		return err == nil && string(text) == `"2006-01-02T03:04:05Z"`
	}
	return false
}

// isBigInt reports whether t is the integer without bounds of the standard library. It
// is known by name, so as not to link it.
func isBigInt(t reflect.Type) bool { return t.PkgPath() == "math/big" && t.Name() == "Int" }

// deref returns the type behind all pointers.
func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
