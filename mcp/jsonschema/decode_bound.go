package jsonschema

import (
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"isthmus.internal/jsonrpc"
)

// bound is a test of a decoded value.
type bound func(v reflect.Value) bool

// bounds returns a test that a value keeps what the field's tags say; nil when they say
// nothing. ok is false for what is only known from the text: a float has been rounded,
// and patterns are the validator's.
func (f *field) bounds() (test bound, ok bool) {
	if !f.tags.bound() && !f.tags.has("format") {
		return nil, true
	}
	n, err := newWalk(f.typ, reading).fieldNode(f)
	if err != nil {
		return nil, false
	}
	return n.bounds(f.typ)
}

// bounds is the test for values of t, whose schema is n.
func (n *draft) bounds(t reflect.Type) (test bound, ok bool) {
	pointer := t.Kind() == reflect.Pointer
	t = deref(t)
	var tests []bound
	for _, k := range n.keywords {
		test, ok := k.bound(t)
		if !ok {
			return nil, false
		}
		if test != nil {
			tests = append(tests, test)
		}
	}
	if n.items != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		test, ok := n.items.bounds(t.Elem())
		if !ok {
			return nil, false
		}
		if test != nil {
			tests = append(tests, eachItem(test))
		}
	}
	switch {
	case len(tests) == 0:
		return nil, true
	case formOf(t, reading) != formKind:
		return nil, false
	}
	return func(v reflect.Value) bool {
		for pointer && v.Kind() == reflect.Pointer {
			v = v.Elem() // the zero Value behind nil, which a null made: not vouched for anyway
		}
		return v.IsValid() && !slices.ContainsFunc(tests, func(test bound) bool { return !test(v) })
	}, true
}

func eachItem(test bound) bound {
	return func(v reflect.Value) bool {
		for i := range v.Len() {
			if !test(v.Index(i)) {
				return false
			}
		}
		return true
	}
}

// bound is the test that a keyword stands for with values of t; nil for a keyword that
// bounds nothing.
func (k keyword) bound(t reflect.Type) (test bound, ok bool) {
	kind := t.Kind()
	count, isCount := k.value.Int()
	switch k.name {
	case "title", "description", "default", "contentEncoding", headerKeyword:
		return nil, true
	case "format":
		return formatBound(k.value), true
	case "enum":
		return enumBound(k.value), kind == reflect.String
	case "minLength":
		return func(v reflect.Value) bool { return int64(utf8.RuneCountInString(v.String())) >= count }, kind == reflect.String && isCount
	case "maxLength":
		return func(v reflect.Value) bool { return int64(utf8.RuneCountInString(v.String())) <= count }, kind == reflect.String && isCount
	case "minItems":
		return func(v reflect.Value) bool { return int64(v.Len()) >= count }, isCount
	case "maxItems":
		return func(v reflect.Value) bool { return int64(v.Len()) <= count }, isCount
	case "minimum", "maximum":
		return integerBound(k, kind)
	}
	return nil, false
}

func enumBound(values jsonrpc.Raw) bound {
	var texts []string
	for a := jsonrpc.ReadArray(values); a.Next(); {
		text, _ := a.Value().Text()
		texts = append(texts, text)
	}
	return func(v reflect.Value) bool { return slices.Contains(texts, v.String()) }
}

// formatBound is nil for a format that is not known, which bounds nothing.
func formatBound(name jsonrpc.Raw) bound {
	text, _ := name.Text()
	f := formatOf(text)
	if f == nil {
		return nil
	}
	return func(v reflect.Value) bool { return f.valid(v.String()) }
}

// integerBound is the test of a minimum or maximum that an integer keeps.
func integerBound(k keyword, kind reflect.Kind) (test bound, ok bool) {
	least := k.name == "minimum"
	switch {
	case kind >= reflect.Int && kind <= reflect.Int64:
		limit, ok := k.value.Int()
		return func(v reflect.Value) bool {
			n := v.Int()
			return least && n >= limit || !least && n <= limit
		}, ok
	case kind >= reflect.Uint && kind <= reflect.Uintptr:
		limit, err := strconv.ParseUint(string(k.value), 10, 64)
		return func(v reflect.Value) bool {
			n := v.Uint()
			return least && n >= limit || !least && n <= limit
		}, err == nil
	}
	return nil, false
}

const headerKeyword = "x-mcp-header"
