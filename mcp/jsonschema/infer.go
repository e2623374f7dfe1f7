package jsonschema

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"isthmus.internal/jsonrpc"
)

// Infer writes the schema, draft 2020-12, of values that are read into the Go type t:
// the arguments of a tool, or an answer. It is one line, and always the same for a
// type.
//
//	bool                            boolean
//	int, int64                      integer
//	smaller and unsigned integers   integer, with the bounds that they have below 64 bits
//	float32, float64, json.Number   number
//	string                          string
//	[]byte                          string, base64
//	slice, array                    array; an array of its one length
//	map                             object whose values are of the map's element type
//	struct                          object without other members than its fields
//	time.Time, a type that embeds it  string, date-time
//	any, jsonrpc.Raw, json.RawMessage {}: any value
//	a pointer                       what it points to
//	with an UnmarshalText           string
//	with an UnmarshalJSON           {}, as nothing tells what it reads
//	with a JSONSchema ([Described]) what that says
//
// Fields have the names and promotion of [encoding/json], of whose options omitempty,
// omitzero and string count. A field is in required unless it is a pointer, has
// omitempty, omitzero or a default, or says required:"false"; an optional one has the
// plain schema of its type, and null is none of its values. A type that contains itself
// stands in $defs.
//
// Tags of a field say more. Keys that stand for a keyword are spelt as it is:
//
//	mcp:"what it is"                    description
//	title:"…" default:"10" enum:"a,b"   a default is a text for strings, else JSON
//	minimum:"0" maximum:"" exclusiveMinimum:"" exclusiveMaximum:"" multipleOf:""
//	minLength:"1" maxLength:"" pattern:"^a"
//	format:"uri"                        enforced on arguments and answers, not on results
//	minItems:"1" maxItems:"" uniqueItems:"true" minProperties:"" maxProperties:""
//	required:"true"                     or "false", whatever else would follow
//	x-mcp-header:"Region"               2026-07-28 server/tools, x-mcp-header
//
// On a list, those that speak of one value stand for each item. An enum is split at
// commas; values that have some are written as a JSON array of strings. A tag that does
// not fit the field, does not parse, is a known one in another spelling (minLen, desc, jsonschema),
// or makes the struct tag malformed is an error that names type and field. Keys of other
// packages are left alone.
func Infer(t reflect.Type) (jsonrpc.Raw, error) { return infer(t, reading) }

// For is [Infer] for the type T.
func For[T any]() (jsonrpc.Raw, error) { return Infer(reflect.TypeFor[T]()) }

// InferResult writes the schema of what [Encoder] makes of values of t: the results of a
// tool. It is as [Infer] has it, but for types whose methods write (MarshalText,
// MarshalJSON) instead of those that read, and for objects, which are open: a client may
// have kept the schema of an earlier version of the server.
func InferResult(t reflect.Type) (jsonrpc.Raw, error) { return infer(t, writing) }

func infer(t reflect.Type, d direction) (jsonrpc.Raw, error) {
	if t == nil {
		return nil, errors.New("jsonschema: no type")
	}
	w := newWalk(t, d)
	n, err := w.node(t)
	if err != nil {
		return nil, fmt.Errorf("jsonschema: %w", err)
	}
	if len(w.definitions) > 0 {
		var defs members
		defs.dst = []byte{'{'}
		for _, d := range w.definitions {
			defs.node(d.name, d.node)
		}
		n.set("$defs", append(defs.dst, '}'))
	}
	return n.append(nil), nil
}

// walk is one inference.
type walk struct {
	direction   direction
	root        reflect.Type
	open        map[reflect.Type]bool   // named types around the present one
	refs        map[reflect.Type]string // of those that contain themselves
	taken       map[string]bool         // names of definitions
	definitions []definition
	nodes       int // so far
}

// mostNodes bounds a schema: a type that does not contain itself stands in full wherever
// it is used, so types that use each other twice and more grow without end.
const mostNodes = 50_000

type definition struct {
	name string
	node *draft
}

func newWalk(t reflect.Type, d direction) *walk {
	return &walk{direction: d, root: deref(t), open: map[reflect.Type]bool{}, refs: map[reflect.Type]string{}, taken: map[string]bool{}}
}

// node infers the schema of t.
func (w *walk) node(t reflect.Type) (*draft, error) {
	t = deref(t)
	if w.nodes++; w.nodes > mostNodes {
		return nil, fmt.Errorf("type %v: the schema of %v has more than %d parts; use fewer types, or a type with the method JSONSchema", t, w.root, mostNodes)
	}
	if t.Name() == "" {
		return w.fresh(t)
	}
	if w.open[t] {
		return &draft{ref: w.refer(t)}, nil
	}
	if ref, known := w.refs[t]; known && t != w.root {
		return &draft{ref: ref}, nil
	}
	w.open[t] = true
	n, err := w.fresh(t)
	delete(w.open, t)
	ref, recursive := w.refs[t]
	if err != nil || !recursive || t == w.root {
		return n, err
	}
	w.definitions = append(w.definitions, definition{ref[len("#/$defs/"):], n})
	return &draft{ref: ref}, nil
}

// refer returns the reference to t, which contains itself.
func (w *walk) refer(t reflect.Type) string {
	if ref, known := w.refs[t]; known {
		return ref
	}
	ref := "#"
	if t != w.root {
		name := definitionName(t)
		for n := 2; w.taken[name]; n++ {
			name = definitionName(t) + strconv.Itoa(n)
		}
		w.taken[name] = true
		ref = "#/$defs/" + name
	}
	w.refs[t] = ref
	return ref
}

// fresh infers the schema of t, which is no pointer, from its form.
func (w *walk) fresh(t reflect.Type) (*draft, error) {
	if hasMethods(t, describedType) {
		n, err := describedNode(t)
		if err != nil {
			return nil, fmt.Errorf("type %v: %w", t, err)
		}
		return n, nil
	}
	if isTime(t) {
		return (&draft{kind: "string"}).with("format", `"date-time"`), nil
	}
	switch formOf(t, w.direction) {
	case formRaw, formAny:
		return &draft{}, nil
	case formJSON:
		if isBigInt(t) {
			return &draft{kind: "integer"}, nil
		}
		return &draft{}, nil
	case formDigits:
		return &draft{kind: "number"}, nil
	case formText:
		return &draft{kind: "string"}, nil
	case formBytes:
		return (&draft{kind: "string"}).with("contentEncoding", `"base64"`), nil
	case formNone:
		return nil, unreadable(t)
	}
	return w.byKind(t)
}

// unreadable says why a value of t cannot be read.
func unreadable(t reflect.Type) error {
	if t.Kind() == reflect.Interface {
		return fmt.Errorf("type %v: nothing tells which type to make for an interface with methods", t)
	}
	return fmt.Errorf("type %v: it has methods that write it and none that read it; give it UnmarshalText or UnmarshalJSON", t)
}
