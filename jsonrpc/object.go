package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
)

// fewMembers is how many members of one object are kept without allocation. The
// objects of MCP have fewer.
const fewMembers = 16

// nameSet holds the names of one object's members, decoded, to find duplicates.
type nameSet struct {
	n    int // how many there are in all
	few  [fewMembers][]byte
	rest map[string]struct{} // those beyond few
}

// add reports whether name is new to the set.
func (s *nameSet) add(name []byte) bool {
	for _, known := range s.few[:min(s.n, fewMembers)] {
		if string(known) == string(name) {
			return false
		}
	}
	if s.n < fewMembers {
		s.few[s.n] = name
	} else {
		if _, known := s.rest[string(name)]; known {
			return false
		}
		if s.rest == nil {
			s.rest = make(map[string]struct{})
		}
		s.rest[string(name)] = struct{}{}
	}
	s.n++
	return true
}

// nameSpans is a nameSet for a text that is at hand: it holds where the names are, which takes
// little room, since an Object is made anew for each object that is read.
type nameSpans struct {
	n    int // how many there are in few
	few  [fewMembers]span
	rest map[string]struct{} // those beyond few, and those with escapes
}

// span is a part of a text, which is less than 4 GiB.
type span struct{ start, end uint32 }

// add reports whether name is new to the set. Unless it has escapes it stands in text at start.
func (s *nameSpans) add(text []byte, start int, name []byte, escaped bool) bool {
	for _, known := range s.few[:s.n] {
		if string(text[known.start:known.end]) == string(name) {
			return false
		}
	}
	if !escaped && s.n < fewMembers && uint64(start+len(name)) <= math.MaxUint32 {
		s.few[s.n] = span{uint32(start), uint32(start + len(name))}
		s.n++
		if s.rest == nil {
			return true
		}
	}
	if _, known := s.rest[string(name)]; known {
		return false
	}
	if s.rest == nil {
		s.rest = make(map[string]struct{})
	}
	s.rest[string(name)] = struct{}{}
	return true
}

// duplicateText says which member stands twice. The name is the peer's own, cut
// where it gets long.
func duplicateText(name []byte) string {
	const longest = 64
	shown, cut := name, ""
	if len(name) > longest {
		shown, cut = name[:longest], "..."
	}
	return `duplicate member "` + strings.ToValidUTF8(string(shown), "") + cut + `"`
}

// Object reads the members of a JSON object one after the other, with exact names.
// It refuses what protocol objects must not be: anything but an object, malformed
// text, nesting beyond [MaxDepth], and two members of the same name, where names
// count as decoded. Up to 16 members are read without allocation, escaped names
// aside.
//
//	for o := jsonrpc.ReadObject(raw); o.Next(); {
//		switch string(o.Name()) { … }
//	}
//
// Look at [Object.Err] after the loop.
type Object struct {
	cursor cursor
	names  nameSpans
	name   []byte
	value  Raw
	err    error
}

// ReadObject begins to read r. Faults show up in [Object.Err].
//
//go:noinline
func ReadObject(r Raw) Object {
	// This stands in many places: inlined it is more code in each than the call.
	return Object{cursor: newCursor(r, MaxDepth)}
}

// Next moves to the next member. It returns false after the last one and at the
// first fault.
func (o *Object) Next() bool {
	ok := o.err == nil && advance(&o.cursor, '{', &o.err)
	if !ok {
		o.name, o.value = nil, nil
		return false
	}
	start := o.cursor.pos + len(`"`)
	name, escaped := o.cursor.skipName()
	if escaped {
		name = appendUnescaped(make([]byte, 0, len(name)), name)
	}
	o.name = name
	o.value = o.cursor.value()
	switch {
	case o.cursor.fault != faultNone:
		o.err = o.cursor.err()
	case !o.names.add(o.cursor.data, start, name, escaped):
		o.err = errors.New("jsonrpc: " + duplicateText(o.name))
	}
	if o.err != nil {
		o.name, o.value = nil, nil
	}
	return o.err == nil
}

// Name returns the name of the member that Next moved to, decoded.
func (o *Object) Name() []byte { return o.name }

// Value returns the value of the member that Next moved to.
func (o *Object) Value() Raw { return o.value }

// Text is [Raw.Text] of the value that Next moved to. That has been found good, so a long
// text is not looked through again.
func (o *Object) Text() (string, bool) {
	if len(o.value) == 0 || o.value[0] != '"' {
		return "", false
	}
	body := o.value[1 : len(o.value)-1]
	return textOf(body, bytes.IndexByte(body, '\\') >= 0), true
}

// Array begins to read the value that Next moved to, as [ReadArray] does. That has been
// found good, so long texts in it are not looked through again.
func (o *Object) Array() Array {
	a := ReadArray(o.value)
	a.cursor.good = true
	return a
}

// Err returns why reading stopped early, nil when all members were read. It is
// for the caller; what the peer is told is the caller's to choose.
func (o *Object) Err() error { return o.err }

// Array reads the elements of a JSON array one after the other, as [Object] does
// with members. It allocates nothing.
type Array struct {
	cursor cursor
	value  Raw
	err    error
}

// ReadArray begins to read r. Faults show up in [Array.Err].
//
//go:noinline
func ReadArray(r Raw) Array {
	return Array{cursor: newCursor(r, MaxDepth)}
}

// Next moves to the next element. It returns false after the last one and at the
// first fault.
func (a *Array) Next() bool {
	ok := a.err == nil && advance(&a.cursor, '[', &a.err)
	if !ok {
		a.value = nil
		return false
	}
	a.value = a.cursor.value()
	if a.err = a.cursor.err(); a.err != nil {
		a.value = nil
	}
	return a.err == nil
}

// Value returns the element that Next moved to.
func (a *Array) Value() Raw { return a.value }

// Err returns why reading stopped early, nil when all elements were read.
func (a *Array) Err() error { return a.err }

var (
	errNotObject = errors.New("jsonrpc: the value is not an object")
	errNotArray  = errors.New("jsonrpc: the value is not an array")
)

// advance moves c, which is at the start, behind a member or at the end of an array
// or object that opener begins, to the next member. It sets err when it cannot.
func advance(c *cursor, opener byte, err *error) bool {
	var ok bool
	switch {
	case c.level > 0:
		ok = c.more(closerOf(opener))
	case c.pos > 0: // closed before
		return false
	default:
		c.space()
		if c.peek() != opener {
			*err = errNotArray
			if opener == '{' {
				*err = errNotObject
			}
			return false
		}
		ok = c.open(closerOf(opener))
	}
	if !ok {
		c.end()
		*err = c.err()
	}
	return ok
}

// err returns the fault for the caller's side, nil when there is none.
func (c *cursor) err() error {
	if c.fault == faultNone {
		return nil
	}
	return fmt.Errorf("jsonrpc: not a JSON value: %s at byte %d", faultText[c.fault], c.pos)
}
