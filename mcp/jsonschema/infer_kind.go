package jsonschema

import (
	"fmt"
	"reflect"
	"strconv"
)

// byKind infers the schema of a type without methods that matter.
func (w *walk) byKind(t reflect.Type) (*draft, error) {
	switch kind := t.Kind(); kind {
	case reflect.Bool:
		return &draft{kind: "boolean"}, nil
	case reflect.String:
		return &draft{kind: "string"}, nil
	case reflect.Float32, reflect.Float64:
		return &draft{kind: "number"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return integerNode(t), nil
	case reflect.Slice, reflect.Array:
		items, err := w.node(t.Elem())
		if err != nil {
			return nil, err
		}
		n := &draft{kind: "array", items: items}
		if kind == reflect.Array {
			length := strconv.Itoa(t.Len())
			n.with("minItems", length).with("maxItems", length)
		}
		return n, nil
	case reflect.Map:
		return w.mapNode(t)
	case reflect.Struct:
		return w.structNode(t)
	}
	return nil, fmt.Errorf("type %v: a %v has no form in JSON", t, t.Kind())
}

// integerNode gives the bounds of an integer type where they say something: those of
// 64 bits are beyond what many clients can write down, and the decoder minds them.
func integerNode(t reflect.Type) *draft {
	n := &draft{kind: "integer"}
	bits := t.Bits()
	if t.Kind() >= reflect.Uint {
		n.with("minimum", "0")
		if bits < 64 {
			n.with("maximum", strconv.FormatUint(1<<bits-1, 10))
		}
	} else if bits < 64 {
		n.with("minimum", strconv.FormatInt(-1<<(bits-1), 10))
		n.with("maximum", strconv.FormatInt(1<<(bits-1)-1, 10))
	}
	return n
}

// mapNode: the members are of the element type, whatever their names; integers as
// names are spelt in one way.
func (w *walk) mapNode(t reflect.Type) (*draft, error) {
	n := &draft{kind: "object"}
	if err := checkKey(t, w.direction); err != nil {
		return nil, err
	}
	if !isTextKey(t.Key(), w.direction) && t.Key().Kind() != reflect.String {
		pattern := `{"pattern":"^-?(0|[1-9][0-9]*)$"}`
		if t.Key().Kind() >= reflect.Uint {
			pattern = `{"pattern":"^(0|[1-9][0-9]*)$"}`
		}
		n.with("propertyNames", pattern)
	}
	values, err := w.node(t.Elem())
	if err != nil {
		return nil, err
	}
	if values.kind != "" || values.ref != "" || len(values.keywords) > 0 {
		n.values = values
	}
	return n, nil
}

// isTextKey reports whether keys of type t become names by methods of their own.
func isTextKey(t reflect.Type, d direction) bool {
	if d == reading {
		return hasMethods(t, textUnmarshalerType)
	}
	return t.Kind() != reflect.String && hasMethods(t, textMarshalerType)
}

// checkKey reports an error when the keys of the map t cannot be names.
func checkKey(t reflect.Type, d direction) error {
	key := t.Key()
	switch key.Kind() {
	case reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return nil
	}
	if isTextKey(key, d) {
		return nil
	}
	return fmt.Errorf("type %v: a key of type %v is no name for a member: use strings, integers, or a type with text methods", t, key)
}

// structNode: an object with a property for each field.
func (w *walk) structNode(t reflect.Type) (*draft, error) {
	fields, err := fieldsOf(t, w.direction)
	if err != nil {
		return nil, err
	}
	n := &draft{kind: "object", closed: w.direction == reading}
	for _, f := range fields {
		member, err := w.fieldNode(f)
		if err != nil {
			return nil, fmt.Errorf("type %v, field %s: %w", t, t.FieldByIndex(f.index).Name, err)
		}
		n.properties = append(n.properties, draftProperty{f.key, member})
		if !f.optional() {
			n.required = append(n.required, f.name)
		}
	}
	return n, nil
}

func (w *walk) fieldNode(f *field) (*draft, error) {
	n, err := w.node(f.typ)
	if err != nil {
		return nil, err
	}
	if f.quoted {
		if n, err = quotedNode(deref(f.typ), w.direction); err != nil {
			return nil, err
		}
	}
	if err := f.tags.apply(n); err != nil {
		return nil, err
	}
	return n, n.checkValues()
}

// quotedNode is the schema of a field with the option string: its value stands in a
// string.
func quotedNode(t reflect.Type, d direction) (*draft, error) {
	if formOf(t, d) != formKind {
		return nil, fmt.Errorf("tag json: the option string is not for %v, which has a form of its own", t)
	}
	n := &draft{kind: "string"}
	switch kind := t.Kind(); {
	case kind == reflect.Bool:
		n.with("enum", `["true","false"]`)
	case kind >= reflect.Uint && kind <= reflect.Uintptr:
		n.with("pattern", `"^(0|[1-9][0-9]*)$"`)
	case kind >= reflect.Int && kind <= reflect.Int64:
		n.with("pattern", `"^-?(0|[1-9][0-9]*)$"`)
	}
	return n, nil
}
