package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/testfixtures/load"
)

// want is how a value is held against a text. Tables of it are data and cost no code, as
// functions would.
type want int

const (
	// equal wants the same JSON value as the text: the order of an object's members and the
	// spelling of a string do not matter, the digits of a number do.
	equal want = iota
	// absent wants no value; absentOrEqual that, or else what equal wants.
	absent
	absentOrEqual
	// length wants an array of so many elements.
	length
	// natural wants an integer that is 0 or more.
	natural
	// filled wants a string that is not empty.
	filled
	// oneOf wants one of the strings that the text lists, with ", " between them.
	oneOf
	// mentions wants a string in which every part of such a list occurs.
	mentions
	// without wants an object in which no path of such a list leads anywhere.
	without
	// holdsJSON wants a string that is itself JSON text: space aside, this one byte for byte,
	// so that the order of its members counts.
	holdsJSON
	// reply wants a whole message: of the text "result 1" the answer to the request with the id 1,
	// with an object in the member result, and nothing else.
	reply
)

// words says for people what is wanted.
func (w want) words(text string) string {
	switch w {
	case absent:
		return "nothing"
	case absentOrEqual:
		return "nothing or " + text
	case length:
		return "an array of length " + text
	case natural:
		return "an integer from 0 on"
	case filled:
		return "a text"
	case oneOf:
		return strings.ReplaceAll(text, ", ", " or ")
	case mentions:
		return "a text with " + strings.ReplaceAll(text, ", ", " and ")
	case without:
		return "an object without " + text
	case holdsJSON:
		return "the text " + text
	case reply:
		kind, id, _ := strings.Cut(text, " ")
		return fmt.Sprintf("the members jsonrpc, id %s and %s alone", id, kind)
	}
	return text
}

// holds reports whether a value is what is wanted; it is nil when there is none.
func (w want) holds(text string, got jsonrpc.Raw) bool {
	switch w {
	case equal:
		return got != nil && load.Same(got, []byte(text))
	case absent:
		return got == nil
	case absentOrEqual:
		return got == nil || equal.holds(text, got)
	case length:
		elements, ok := elementsOf(got)
		return ok && strconv.Itoa(len(elements)) == text
	case natural:
		n, ok := got.Int()
		return ok && n >= 0
	case without:
		_, ok := membersOf(got)
		for path := range strings.SplitSeq(text, ", ") {
			ok = ok && at(got, path) == nil
		}
		return ok
	case reply:
		kind, id, _ := strings.Cut(text, " ")
		members, ok := membersOf(got)
		return ok && len(members) == 3 && members["jsonrpc"].Is("2.0") &&
			string(members["id"]) == id && members[kind].Kind() == jsonrpc.KindObject
	}
	inside, ok := got.Text()
	return ok && w.holdsText(text, inside)
}

// holdsText is holds for what wants a string.
func (w want) holdsText(text, got string) bool {
	list := strings.Split(text, ", ")
	switch w {
	case filled:
		return got != ""
	case oneOf:
		return slices.Contains(list, got)
	case mentions:
		return !slices.ContainsFunc(list, func(word string) bool { return !strings.Contains(got, word) })
	case holdsJSON:
		compact, err := jsonrpc.AppendCompact(nil, []byte(got))
		return err == nil && string(compact) == text
	}
	return false
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
