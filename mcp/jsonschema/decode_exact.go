package jsonschema

import (
	"reflect"
	"slices"
)

// isExact reports whether the decoder of t, when it lets nothing pass, takes exactly
// what the schema of [Infer] does, or less. It takes more where tags say what a decoded
// value does not show, where a type gives a schema itself, where text is taken as it is,
// so that a member can stand twice in it, and where integers are names or stand in
// strings. The types in known are being looked at.
func isExact(t reflect.Type, known map[reflect.Type]bool) bool {
	t = deref(t)
	if known[t] {
		return true
	}
	known[t] = true
	if hasMethods(t, describedType) {
		return false
	}
	switch formOf(t, reading) {
	case formAny, formDigits, formBytes, formText:
		return true
	case formJSON:
		return isTime(t)
	case formRaw, formNone:
		return false
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return isExact(t.Elem(), known)
	case reflect.Map:
		return t.Key().Kind() == reflect.String && !isTextKey(t.Key(), reading) && isExact(t.Elem(), known)
	case reflect.Struct:
		fields, err := fieldsOf(t, reading)
		return err == nil && !slices.ContainsFunc(fields, func(f *field) bool {
			_, ok := f.bounds()
			return f.quoted || !ok || !isExact(f.typ, known)
		})
	}
	return true
}

// bound reports whether a tag says which values there are, formats aside: they bind what is
// read and not what is written.
func (t *tags) bound() bool {
	return slices.ContainsFunc(t.list, func(t tag) bool {
		switch t.key {
		case "mcp", "title", "default", "format":
			return false
		}
		return true
	})
}
