package jsonschema

import (
	"fmt"
	"reflect"

	"isthmus.internal/jsonrpc"
)

// memberEncoder writes one field of a struct.
type memberEncoder struct {
	*encoder
	key   []byte
	at    int   // of a field of the struct's own
	index []int // of a promoted one; nil otherwise
	skip  func(v reflect.Value) bool
}

func (es *encoders) structs(e *encoder, t reflect.Type) error {
	fields, err := fieldsOf(t, writing)
	if err != nil {
		return err
	}
	e.write = e.writeStruct
	e.fields = make([]memberEncoder, 0, len(fields))
	for _, f := range fields {
		m := memberEncoder{key: f.key, at: f.index[0], skip: f.skipped()}
		if len(f.index) > 1 {
			m.index = f.index
		}
		if m.encoder, err = es.of(f.typ); err != nil {
			return fmt.Errorf("type %v, field %s: %w", t, t.FieldByIndex(f.index).Name, err)
		}
		if f.quoted {
			m.encoder = &encoder{write: quotedWriter(m.encoder)}
		}
		e.fields = append(e.fields, m)
	}
	return nil
}

func (e *encoder) writeStruct(w *output, v reflect.Value) error {
	if err := w.enter(); err != nil {
		return err
	}
	w.dst = append(w.dst, '{')
	first := true
	for i := range e.fields {
		f := &e.fields[i]
		value, there := f.of(v)
		if !there || f.skip != nil && f.skip(value) {
			continue
		}
		if !first {
			w.dst = append(w.dst, ',')
		}
		first = false
		w.dst = append(w.dst, f.key...)
		if err := f.write(w, value); err != nil {
			return err
		}
	}
	w.dst = append(w.dst, '}')
	w.depth--
	return nil
}

// of returns the field in the struct v; there is none behind an embedded nil pointer.
func (f *memberEncoder) of(v reflect.Value) (value reflect.Value, there bool) {
	if f.index == nil {
		return v.Field(f.at), true
	}
	for i, at := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(at)
	}
	return v, true
}

// skipped returns what tells that a field's value is left out, nil when it never is.
func (f *field) skipped() func(v reflect.Value) bool {
	var tests []func(v reflect.Value) bool
	if f.typ.Kind() == reflect.Pointer && f.optional() {
		tests = append(tests, reflect.Value.IsNil)
	}
	if f.omitEmpty {
		tests = append(tests, isEmpty)
	}
	if f.omitZero {
		tests = append(tests, isZero)
	}
	if len(tests) < 2 {
		if len(tests) == 0 {
			return nil
		}
		return tests[0]
	}
	return func(v reflect.Value) bool {
		for _, test := range tests {
			if test(v) {
				return true
			}
		}
		return false
	}
}

// isEmpty is what omitempty leaves out: false, 0, nil, and what has no length.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// isZero is what omitzero leaves out: the zero value, or what the type's own method
// IsZero says is one.
func isZero(v reflect.Value) bool {
	type zeroer interface{ IsZero() bool }
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return true
		}
	}
	if z, ok := v.Interface().(zeroer); ok {
		return z.IsZero()
	}
	if v.CanAddr() {
		if z, ok := v.Addr().Interface().(zeroer); ok {
			return z.IsZero()
		}
	}
	return v.IsZero()
}

// quotedWriter writes a value into a string, for the option string.
func quotedWriter(inner *encoder) func(w *output, v reflect.Value) error {
	return func(w *output, v reflect.Value) error {
		start := len(w.dst)
		if err := inner.write(w, v); err != nil {
			return err
		}
		if text := string(w.dst[start:]); text != "null" {
			w.dst = jsonrpc.AppendString(w.dst[:start], text)
		}
		return nil
	}
}
