package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"isthmus.internal/jsonrpc"
)

// want is what a value has to be: in words, for the line of a failure, and as a
// test. The test is given nil when there is no value.
type want struct {
	words string
	holds func(got jsonrpc.Raw) bool
}

// equal wants the same JSON value as text: the order of an object's members and
// the spelling of a string do not matter, the digits of a number do.
// Inlined, it would be a closure more in each place.
//
//go:noinline
func equal(text string) want {
	return want{text, func(got jsonrpc.Raw) bool {
		return got != nil && same(got, jsonrpc.Raw(text))
	}}
}

// holdsJSON wants a string that is itself JSON text: space aside, this one byte
// for byte, so that the order of its members counts.
func holdsJSON(text string) want {
	return want{"the text " + text, func(got jsonrpc.Raw) bool {
		inside, ok := got.Text()
		if !ok {
			return false
		}
		compact, err := jsonrpc.AppendCompact(nil, []byte(inside))
		return err == nil && string(compact) == text
	}}
}

// mentions wants a string in which every one of the words occurs.
func mentions(words ...string) want {
	return want{"a text with " + strings.Join(words, " and "), func(got jsonrpc.Raw) bool {
		text, ok := got.Text()
		for _, word := range words {
			ok = ok && strings.Contains(text, word)
		}
		return ok
	}}
}

// length wants an array of n elements.
func length(n int) want {
	return want{fmt.Sprintf("an array of length %d", n), func(got jsonrpc.Raw) bool {
		elements, ok := elementsOf(got)
		return ok && len(elements) == n
	}}
}

// natural wants an integer that is 0 or more.
func natural() want {
	return want{"an integer from 0 on", func(got jsonrpc.Raw) bool {
		n, ok := got.Int()
		return ok && n >= 0
	}}
}

// text wants a string that is not empty.
func text() want {
	return want{"a text", func(got jsonrpc.Raw) bool {
		text, ok := got.Text()
		return ok && text != ""
	}}
}

// oneOf wants one of these strings.
func oneOf(texts ...string) want {
	return want{strings.Join(texts, " or "), func(got jsonrpc.Raw) bool {
		for _, text := range texts {
			if got.Is(text) {
				return true
			}
		}
		return false
	}}
}

// absentOr wants no value, or else what w wants.
func absentOr(w want) want {
	return want{"nothing or " + w.words, func(got jsonrpc.Raw) bool {
		return got == nil || w.holds(got)
	}}
}

// absent wants no value.
// Inlined, it would be a closure more in each place.
//
//go:noinline
func absent() want {
	return want{"nothing", func(got jsonrpc.Raw) bool { return got == nil }}
}

// without wants an object in which none of these paths leads anywhere.
func without(paths ...string) want {
	return want{"an object without " + strings.Join(paths, ", "), func(got jsonrpc.Raw) bool {
		_, ok := membersOf(got)
		for _, path := range paths {
			ok = ok && at(got, path) == nil
		}
		return ok
	}}
}

// reply wants a whole message: the answer to the request with this id, with a
// result or an error in the member named by kind, and nothing else.
func reply(id jsonrpc.Raw, kind string) want {
	words := fmt.Sprintf("the members jsonrpc, id %s and %s alone", id, kind)
	return want{words, func(got jsonrpc.Raw) bool {
		members, ok := membersOf(got)
		return ok && len(members) == 3 && members["jsonrpc"].Is("2.0") &&
			bytes.Equal(members["id"], id) && members[kind].Kind() == jsonrpc.KindObject
	}}
}

// at walks from raw along path, names of members and indexes of elements with
// spaces between them: "result tools 0 name". It returns nil where the path
// leads nowhere. An empty path is raw itself.
func at(raw jsonrpc.Raw, path string) jsonrpc.Raw {
	for _, name := range strings.Fields(path) {
		if elements, ok := elementsOf(raw); ok {
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(elements) {
				return nil
			}
			raw = elements[i]
			continue
		}
		members, _ := membersOf(raw)
		raw = members[name]
	}
	return raw
}

// same reports whether a and b are the same JSON value.
func same(a, b jsonrpc.Raw) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case jsonrpc.KindString:
		x, okX := a.Text()
		y, okY := b.Text()
		return okX && okY && x == y
	case jsonrpc.KindArray:
		x, okX := elementsOf(a)
		y, okY := elementsOf(b)
		if !okX || !okY || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	case jsonrpc.KindObject:
		x, okX := membersOf(a)
		y, okY := membersOf(b)
		if !okX || !okY || len(x) != len(y) {
			return false
		}
		for name, value := range x {
			if y[name] == nil || !same(value, y[name]) {
				return false
			}
		}
		return true
	}
	return bytes.Equal(a, b)
}

// membersOf returns the members of an object; ok is false for anything else.
func membersOf(raw jsonrpc.Raw) (members map[string]jsonrpc.Raw, ok bool) {
	members = make(map[string]jsonrpc.Raw)
	o := jsonrpc.ReadObject(raw)
	for o.Next() {
		members[string(o.Name())] = o.Value()
	}
	return members, o.Err() == nil
}

// elementsOf returns the elements of an array; ok is false for anything else.
func elementsOf(raw jsonrpc.Raw) (elements []jsonrpc.Raw, ok bool) {
	a := jsonrpc.ReadArray(raw)
	for a.Next() {
		elements = append(elements, a.Value())
	}
	return elements, a.Err() == nil
}

// orNull is a value, or null in place of none, so that what is made of it is JSON.
func orNull(value jsonrpc.Raw) string {
	if value == nil {
		return "null"
	}
	return string(value)
}

// quote spells text as a JSON string.
func quote(text string) string {
	return string(jsonrpc.AppendString(nil, text))
}
