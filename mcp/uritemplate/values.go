package uritemplate

import (
	"maps"
	"slices"
)

// Values are the values of variables by name. One that is not there is undefined.
type Values map[string]Value

// Value is what a variable stands for: text, a list or a map. The zero Value is
// undefined, and so are a list and a map of nothing (RFC 6570, section 2.3).
type Value struct {
	kind  kind
	items []string // one text, the members of a list, or keys and values in turn
}

type kind uint8

const (
	undefined kind = iota
	text
	list
	pairs
)

// Text is a value that is text; it may be empty.
func Text(s string) Value { return Value{text, []string{s}} }

// List is a value that is a list.
func List(members ...string) Value {
	if len(members) == 0 {
		return Value{}
	}
	return Value{list, slices.Clone(members)}
}

// Map is a value that is a map. It expands in the order of its keys.
func Map(m map[string]string) Value {
	if len(m) == 0 {
		return Value{}
	}
	v := Value{kind: pairs}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		v.items = append(v.items, key, m[key])
	}
	return v
}

// Defined reports whether there is a value.
func (v Value) Defined() bool { return v.kind != undefined }

// IsList reports whether v is a list.
func (v Value) IsList() bool { return v.kind == list }

// Text is the text of v, the first member when v is a list, and "" otherwise.
func (v Value) Text() string {
	if v.kind != text && v.kind != list {
		return ""
	}
	return v.items[0]
}

// List is the members of v, a text as the only one, and nil when v is a map or
// undefined. The caller must not change it.
func (v Value) List() []string {
	if v.kind == pairs {
		return nil
	}
	return v.items
}
