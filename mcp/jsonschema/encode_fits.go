package jsonschema

import (
	"reflect"
	"slices"
)

// AlwaysFits reports whether all that the encoder writes fits the schema of
// [InferResult], so that there is no need to validate it. It does not where a nil can
// stand for a value, where tags bound values, and where a type gives a schema itself.
func (e *Encoder[T]) AlwaysFits() bool {
	return alwaysFits(reflect.TypeFor[T](), map[reflect.Type]bool{})
}

// alwaysFits takes the types in known for granted: they are being looked at.
func alwaysFits(t reflect.Type, known map[reflect.Type]bool) bool {
	if known[t] {
		return true
	}
	known[t] = true
	switch {
	case t.Kind() == reflect.Pointer, hasMethods(t, describedType):
		return false
	case formOf(t, writing) == formJSON:
		return !isBigInt(t)
	case formOf(t, writing) != formKind:
		return true
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return alwaysFits(t.Elem(), known)
	case reflect.Struct:
		fields, err := fieldsOf(t, writing)
		return err == nil && !slices.ContainsFunc(fields, func(f *field) bool { return !f.alwaysFits(known) })
	}
	return true
}

func (f *field) alwaysFits(known map[reflect.Type]bool) bool {
	if f.tags.bound() {
		return false
	}
	t := f.typ
	if t.Kind() == reflect.Pointer && f.optional() {
		t = t.Elem() // a nil is left out
	}
	// What is left out must not be required.
	left := f.absent || f.omitEmpty || f.omitZero
	return !(left && !f.optional()) && alwaysFits(t, known)
}
