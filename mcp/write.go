package mcp

import (
	"encoding/base64"
	"errors"
	"maps"
	"math"
	"slices"

	"isthmus.internal/jsonrpc"
)

// writer appends the members of JSON objects and takes care of the commas. The
// first fault, such as a value that is not JSON, sticks in err.
type writer struct {
	dst []byte
	err error
}

// open begins an object or array, as the value of a member when name is not "".
func (w *writer) open(name string, bracket byte) {
	if name != "" {
		w.key(name)
	} else {
		w.comma()
	}
	w.dst = append(w.dst, bracket)
}

// close ends it. It stands in a hundred places, in each of which it would take more
// code than the call.
//
//go:noinline
func (w *writer) close(bracket byte) { w.dst = append(w.dst, bracket) }

// comma separates from what stands before, unless that only opens.
func (w *writer) comma() {
	if n := len(w.dst); n > 0 {
		switch w.dst[n-1] {
		case '{', '[', ':', ',':
		default:
			w.dst = append(w.dst, ',')
		}
	}
}

// key begins a member. The names are the protocol's own and need no escapes.
// Like close it stands in many places.
//
//go:noinline
func (w *writer) key(name string) {
	w.comma()
	w.dst = append(w.dst, '"')
	w.dst = append(w.dst, name...)
	w.dst = append(w.dst, '"', ':')
}

// text writes a string member, also an empty one.
func (w *writer) text(name, value string) {
	w.key(name)
	w.dst = jsonrpc.AppendString(w.dst, value)
}

// optional writes a string member unless it is empty.
func (w *writer) optional(name, value string) {
	if value != "" {
		w.text(name, value)
	}
}

func (w *writer) integer(name string, value int64) {
	w.key(name)
	w.dst = jsonrpc.AppendInt(w.dst, value)
}

func (w *writer) boolean(name string, value bool) {
	w.key(name)
	w.dst = jsonrpc.AppendBool(w.dst, value)
}

// number writes a number, which JSON can only do for one that is finite.
func (w *writer) number(name string, value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		w.fail(name + " is not a finite number")
	}
	w.key(name)
	w.dst = jsonrpc.AppendFloat(w.dst, value)
}

// ifTrue writes a boolean that is absent when it is false.
func (w *writer) ifTrue(name string, value bool) {
	if value {
		w.boolean(name, true)
	}
}

// hint writes a boolean of three states: left out when it is nil.
func (w *writer) hint(name string, value *bool) {
	if value != nil {
		w.boolean(name, *value)
	}
}

// flag writes an object whose being there is all that matters.
func (w *writer) flag(name string, set bool) {
	if set {
		w.open(name, '{')
		w.close('}')
	}
}

// texts writes an array of strings, unless it is empty.
func (w *writer) texts(name string, values []string) {
	if len(values) > 0 {
		w.list(name, values)
	}
}

// list writes an array of strings, also an empty one.
func (w *writer) list(name string, values []string) {
	w.open(name, '[')
	for _, v := range values {
		w.comma()
		w.dst = jsonrpc.AppendString(w.dst, v)
	}
	w.close(']')
}

// base64 writes bytes in the standard alphabet with padding (RFC 4648, section 4).
func (w *writer) base64(name string, value []byte) {
	w.key(name)
	w.dst = append(w.dst, '"')
	w.dst = base64.StdEncoding.AppendEncode(w.dst, value)
	w.dst = append(w.dst, '"')
}

// raw writes a JSON value of the user's, on one line, unless it is absent.
func (w *writer) raw(name string, value jsonrpc.Raw) {
	if value == nil {
		return
	}
	w.key(name)
	w.value(value)
}

// member writes a member that is the user's, name and value.
func (w *writer) member(name string, value jsonrpc.Raw) {
	w.comma()
	w.dst = jsonrpc.AppendString(w.dst, name)
	w.dst = append(w.dst, ':')
	w.value(value)
}

// value writes a JSON value of the user's behind a key.
func (w *writer) value(value jsonrpc.Raw) {
	dst, err := jsonrpc.AppendCompact(w.dst, value)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.dst = dst
}

// rawMap writes an object of the user's values, its names sorted so that equal
// maps give equal bytes, unless the map is empty.
func (w *writer) rawMap(name string, m map[string]jsonrpc.Raw) {
	if len(m) == 0 {
		return
	}
	w.open(name, '{')
	w.rawMembers(m)
	w.close('}')
}

func (w *writer) rawMembers(m map[string]jsonrpc.Raw) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if m[name] != nil {
			w.member(name, m[name])
		}
	}
}

// textMap writes an object of strings, its names sorted, unless it is empty.
func (w *writer) textMap(name string, m map[string]string) {
	if len(m) == 0 {
		return
	}
	w.open(name, '{')
	for _, key := range slices.Sorted(maps.Keys(m)) {
		w.member(key, jsonrpc.AppendString(nil, m[key]))
	}
	w.close('}')
}

// fail notes a fault of the user's. Like [writer.close] it
// stands in many places.
//
//go:noinline
func (w *writer) fail(what string) {
	if w.err == nil {
		w.err = errors.New(what)
	}
}
