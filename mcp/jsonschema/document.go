package jsonschema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"isthmus.internal/jsonrpc"
)

// document is one text with schemas in it: the one that is compiled, or one that it
// refers to.
type document struct {
	uri  string // where it came from; "" is the schema that was given to Compile
	tape tape
}

// spot is a value in a document.
type spot struct {
	doc  *document
	node int32
}

func (s spot) kind() jsonrpc.Kind { return s.doc.tape.nodes[s.node].kind }

// raw is the text of s. Like [tape.nameOf] it stands in many places.
//
//go:noinline
func (s spot) raw() jsonrpc.Raw { return s.doc.tape.raw(s.node) }

// text is the decoded string at s, and false when there is none.
func (s spot) text() (string, bool) { return s.raw().Text() }

// at is another value of the same document.
func (s spot) at(node int32) spot { return spot{s.doc, node} }

// member finds a member of the object at s.
func (s spot) member(name string) (spot, bool) {
	if s.kind() != jsonrpc.KindObject {
		return s, false
	}
	c := s.doc.tape.member(s.node, name)
	return s.at(c), c >= 0
}

// name is the name of the member s.
// It stands in many places: inlined it is more code in each than the call.
//
//go:noinline
func (s spot) name() string { return string(s.doc.tape.nameOf(s.node)) }

// inside yields the members or elements of the value at s.
func (s spot) inside(yield func(spot) bool) {
	nodes := s.doc.tape.nodes
	if kind := s.kind(); kind != jsonrpc.KindObject && kind != jsonrpc.KindArray {
		return
	}
	for c := s.node + 1; c < nodes[s.node].next; c = nodes[c].next {
		if !yield(s.at(c)) {
			return
		}
	}
}

// place is where s stands: URI, "#", JSON Pointer.
func (s spot) place() string { return s.doc.uri + "#" + s.doc.tape.pointer(s.node) }

// String is the place for a message, on one line and cut where it gets long.
func (s spot) String() string { return clipped(oneLine(s.place()), longestPath) }

// pointer is the JSON Pointer of the value i.
func (t *tape) pointer(i int32) string {
	var b strings.Builder
	for at := int32(0); at != i; {
		c, k := at+1, 0
		for t.nodes[c].next <= i {
			c, k = t.nodes[c].next, k+1
		}
		b.WriteByte('/')
		if t.nodes[at].kind == jsonrpc.KindObject {
			b.WriteString(escapePointer(string(t.nameOf(c))))
		} else {
			b.WriteString(strconv.Itoa(k))
		}
		at = c
	}
	return b.String()
}

// readDocument reads text under the bounds of o.
func readDocument(uri string, text jsonrpc.Raw, o *Options) (*document, error) {
	if len(text) > o.maxBytes() {
		return nil, fmt.Errorf("the schema has %d bytes; at most %d are allowed (Options.MaxBytes)", len(text), o.maxBytes())
	}
	d := &document{uri: uri}
	if err := d.tape.read(slices.Clone(text), o.maxDepth()); err != nil {
		return nil, fmt.Errorf("the schema cannot be read: %w", err)
	}
	return d, nil
}
