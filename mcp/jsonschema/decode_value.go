package jsonschema

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"reflect"

	"isthmus.internal/jsonrpc"
)

// unless is the error about the value that stands here, or none when all is well.
func (r *reader) unless(well bool, expected string) *Error {
	if well {
		return nil
	}
	return r.wrong(expected)
}

func readBoolean(r *reader, v reflect.Value) *Error {
	r.peek()
	start := *r
	value, ok := r.scalar().Bool()
	if ok {
		v.SetBool(value)
		return nil
	}
	*r = start
	return r.unless(r.null(), "true or false")
}

func readString(r *reader, v reflect.Value) *Error {
	if r.peek() != '"' {
		return r.unless(r.null(), "a string")
	}
	v.SetString(r.strText())
	return nil
}

func readBytes(r *reader, v reflect.Value) *Error {
	if r.peek() != '"' {
		return r.toNil(v, "a string of base64")
	}
	start := *r
	text, _ := r.str().AppendText([]byte{})
	n, err := base64.StdEncoding.Decode(text, text)
	if err != nil {
		return start.wrong("a string of base64")
	}
	v.SetBytes(text[:n:n])
	return nil
}

// toNil makes v, which can be nil, nil when a null stands here; all else is wrong.
func (r *reader) toNil(v reflect.Value, expected string) *Error {
	if !r.null() {
		return r.wrong(expected)
	}
	v.SetZero()
	return nil
}

func (d *decoder) readPointer(r *reader, v reflect.Value) *Error {
	if r.peek() == 'n' {
		return r.toNil(v, "null")
	}
	if v.IsNil() {
		v.Set(reflect.New(v.Type().Elem()))
	}
	return d.elem.read(r, v.Elem())
}

func readRaw(r *reader, v reflect.Value) *Error {
	v.SetBytes(bytes.Clone(r.value()))
	return nil
}

func readDigits(r *reader, v reflect.Value) *Error {
	r.peek()
	start := *r
	text := r.scalar()
	if text.Kind() == jsonrpc.KindNumber {
		v.SetString(string(text))
		return nil
	}
	*r = start
	return r.unless(r.null(), "a number")
}

// readOwn has the value read by its UnmarshalJSON, whose errors mostly speak of Go, and
// are not for peers.
func readOwn(expected string) func(r *reader, v reflect.Value) *Error {
	return func(r *reader, v reflect.Value) *Error {
		text := r.value()
		if err := v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(text); err != nil {
			return &Error{Expected: expected, Got: gotText(text)}
		}
		return nil
	}
}

// readText has the value read by its UnmarshalText, whose errors are for peers.
func readText(r *reader, v reflect.Value) *Error {
	if r.peek() != '"' {
		return r.unless(r.null(), "a string")
	}
	quoted := r.str()
	text, _ := quoted.AppendText(nil)
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(text); err != nil {
		return &Error{Expected: "a text that can be read (" + clipped(oneLine(err.Error()), longestPath) + ")", Got: gotText(quoted)}
	}
	return nil
}

// readTime reads a time, which is never null. The schema says date-time, so that is what is
// read: Go takes more (a comma before fractions, an offset of 24 hours), and of small
// letters less.
func readTime(r *reader, v reflect.Value) *Error {
	const expected = `a date-time as in "2006-01-02T15:04:05Z"`
	if r.peek() != '"' {
		return r.unless(r.null(), expected)
	}
	quoted := r.str()
	var buf [48]byte
	text, _ := quoted.AppendText(append(buf[:0], '"'))
	if isDateTime(string(text[1:])) {
		text = append(bytes.ToUpper(text), '"')
		if err := v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(text); err == nil {
			return nil
		}
	}
	return &Error{Expected: expected, Got: gotText(quoted)}
}

// readInterface reads into an any, by what stands there.
func readInterface(r *reader, v reflect.Value) *Error {
	value, err := r.any()
	switch {
	case err != nil:
		return err
	case value == nil:
		v.SetZero()
	default:
		v.Set(reflect.ValueOf(value))
	}
	return nil
}

// any reads a value as nil, bool, [json.Number], string, []any or map[string]any.
func (r *reader) any() (any, *Error) {
	switch r.peek() {
	case '"':
		return r.strText(), nil
	case '[':
		list := []any{}
		for err, more := r.open(']'); more || err != nil; more = r.more(']') {
			var item any
			if err == nil {
				item, err = r.any()
			}
			if err != nil {
				return nil, err.inItem(len(list))
			}
			list = append(list, item)
		}
		return list, nil
	case '{':
		object, err := r.anyObject()
		return object, err
	}
	start := *r
	text := r.scalar()
	if text.Kind() == jsonrpc.KindNumber {
		return json.Number(text), nil
	}
	if b, ok := text.Bool(); ok {
		return b, nil
	}
	*r = start
	if r.peek() != 'n' {
		return nil, r.wrong("a value")
	}
	r.scalar() // a null, which an any can be
	return nil, nil
}

func (r *reader) anyObject() (map[string]any, *Error) {
	object := map[string]any{}
	for err, more := r.open('}'); more || err != nil; more = r.more('}') {
		if err != nil {
			return nil, err
		}
		name := string(r.name())
		if _, known := object[name]; known {
			return nil, twice(name)
		}
		value, err := r.any()
		if err != nil {
			return nil, err.inMember(name)
		}
		object[name] = value
	}
	return object, nil
}
