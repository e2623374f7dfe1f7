package jsonschema

import (
	"fmt"
	"math"

	"isthmus.internal/jsonrpc"
)

// node is one JSON value of a text. The nodes of a text stand in the order in which
// the values begin, so what is inside a value follows it.
type node struct {
	start, end   int32 // the value's bytes in the text
	name, nameTo int32 // the member's name: between its quotes in the text, or in the tape's names
	next         int32 // the node behind this value and all that is inside it
	count        int32 // members or elements
	kind         jsonrpc.Kind
	escaped      bool // it is a string with escapes
	whole        bool // it is a number without fraction and exponent
	nameEscaped  bool // the name is decoded, and stands in the tape's names
}

// tape is one JSON text, read once: every value by its span, so that it can be looked
// at any number of times without being scanned again. A tape can be used again for
// another text, and then allocates nothing once it is large enough.
type tape struct {
	text  []byte
	nodes []node
	names []byte // the names that had escapes, decoded
	pos   int
	left  int // levels of nesting that are left
	fault string
	twice string // the name, where the fault is a member that stands twice
}

// read reads text, which must be one JSON value to the letter of RFC 8259 in UTF-8,
// nested at most depth levels, in which no object has two members of one name: a
// reader behind the validator could take the other one.
func (t *tape) read(text []byte, depth int) error {
	t.text, t.nodes, t.names = text, t.nodes[:0], t.names[:0]
	t.pos, t.left, t.fault, t.twice = 0, depth, "", ""
	if len(text) > math.MaxInt32 {
		return fmt.Errorf("the text has %d bytes; at most %d can be read", len(text), math.MaxInt32)
	}
	t.space()
	if t.value(node{}) {
		if t.space(); t.pos < len(text) {
			t.fail("text after the value")
		}
	}
	if t.fault != "" {
		return fmt.Errorf("%s at byte %d", t.fault, t.pos)
	}
	return nil
}

// drop lets go of the text, so that a tape that is kept does not keep the text too.
func (t *tape) drop() { t.text = nil }

// nameOf is the decoded name of the member i. It stands in many places: inlined it is more
// code in each than the call.
//
//go:noinline
func (t *tape) nameOf(i int32) []byte {
	n := &t.nodes[i]
	if n.nameEscaped {
		return t.names[n.name:n.nameTo]
	}
	return t.text[n.name:n.nameTo]
}

// raw is the text of the value i.
func (t *tape) raw(i int32) jsonrpc.Raw {
	return jsonrpc.Raw(t.text[t.nodes[i].start:t.nodes[i].end])
}

// appendText appends the decoded string i to dst.
func (t *tape) appendText(dst []byte, i int32) []byte {
	dst, _ = t.raw(i).AppendText(dst)
	return dst
}

// textOf is the decoded string i. It aliases the text when there are no escapes.
func (t *tape) textOf(i int32) []byte {
	n := &t.nodes[i]
	if n.escaped {
		return t.appendText(nil, i)
	}
	return t.text[n.start+1 : n.end-1]
}

// member finds a member of the object i by its decoded name; -1 when it has none.
func (t *tape) member(i int32, name string) int32 {
	for c, end := i+1, t.nodes[i].next; c < end; c = t.nodes[c].next {
		if string(t.nameOf(c)) == name {
			return c
		}
	}
	return -1
}
