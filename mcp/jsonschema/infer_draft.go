package jsonschema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"isthmus.internal/jsonrpc"
)

// draft is a schema while it is put together.
type draft struct {
	ref        string // of a type that contains itself
	kind       string // type: "" for any
	keywords   []keyword
	properties []draftProperty // of a struct
	required   []string
	closed     bool // no other members
	items      *draft
	values     *draft // of a map
}

type keyword struct {
	name  string
	value jsonrpc.Raw
}

type draftProperty struct {
	key  []byte // with its colon
	node *draft
}

//go:noinline
func (n *draft) keyword(name string) jsonrpc.Raw {
	for _, k := range n.keywords {
		if k.name == name {
			return k.value
		}
	}
	return nil
}

// set gives a keyword a value.
func (n *draft) set(name string, value jsonrpc.Raw) {
	i := slices.IndexFunc(n.keywords, func(k keyword) bool { return k.name == name })
	if i >= 0 {
		n.keywords[i].value = value
		return
	}
	n.keywords = append(n.keywords, keyword{name, value})
}

// with is set for a value that the code spells out, on a draft that is being made.
func (n *draft) with(name, value string) *draft {
	n.set(name, jsonrpc.Raw(value))
	return n
}

// what names the draft's type for error messages.
func (n *draft) what() string {
	switch {
	case n.ref != "":
		return "a type that contains itself"
	case n.kind == "":
		return "any value"
	}
	return n.kind
}

// describedNode is the schema that a type gives itself.
func describedNode(t reflect.Type) (*draft, error) {
	d, ok := reflect.New(t).Interface().(Described)
	if !ok {
		return nil, fmt.Errorf("%v is an interface, which has no value that could be asked", t)
	}
	n := &draft{}
	o := jsonrpc.ReadObject(d.JSONSchema())
	for o.Next() {
		if name := string(o.Name()); name == "type" {
			n.kind, _ = o.Value().Text()
		}
		n.set(string(o.Name()), o.Value())
	}
	if o.Err() != nil {
		return nil, fmt.Errorf("its method JSONSchema must give a JSON object: %w", o.Err())
	}
	return n, nil
}

// append writes the schema: the type first, then what is said of it, then its parts.
func (n *draft) append(dst []byte) []byte {
	w := members{dst: append(dst, '{')}
	if n.ref != "" {
		w.value("$ref", jsonrpc.AppendString(nil, n.ref))
	}
	if n.kind != "" && n.keyword("type") == nil {
		w.value("type", jsonrpc.AppendString(nil, n.kind))
	}
	for _, k := range n.keywords {
		w.value(k.name, k.value)
	}
	if len(n.properties) > 0 {
		w.name("properties")
		w.dst = append(w.dst, '{')
		for i, p := range n.properties {
			if i > 0 {
				w.dst = append(w.dst, ',')
			}
			w.dst = p.node.append(append(w.dst, p.key...))
		}
		w.dst = append(w.dst, '}')
	}
	if len(n.required) > 0 {
		w.name("required")
		w.dst = append(w.dst, '[')
		for i, name := range n.required {
			if i > 0 {
				w.dst = append(w.dst, ',')
			}
			w.dst = jsonrpc.AppendString(w.dst, name)
		}
		w.dst = append(w.dst, ']')
	}
	if n.closed {
		w.value("additionalProperties", jsonrpc.Raw("false"))
	}
	w.node("items", n.items)
	w.node("additionalProperties", n.values)
	return append(w.dst, '}')
}

// members writes the members of an object.
type members struct {
	dst []byte
	any bool
}

func (w *members) name(name string) {
	if w.any {
		w.dst = append(w.dst, ',')
	}
	w.any = true
	w.dst = append(jsonrpc.AppendString(w.dst, name), ':')
}

func (w *members) value(name string, value jsonrpc.Raw) {
	w.name(name)
	dst, err := jsonrpc.AppendCompact(w.dst, value)
	if err != nil {
		dst = append(dst, value...) // what is inferred is JSON; Compile says so if not
	}
	w.dst = dst
}

func (w *members) node(name string, n *draft) {
	if n != nil {
		w.name(name)
		w.dst = n.append(w.dst)
	}
}

// definitionName makes a type's name one that can stand in a reference.
func definitionName(t reflect.Type) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '_'
	}, t.Name())
}
