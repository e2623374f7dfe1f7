package jsonschema

import (
	"fmt"
	"math"
	"unicode/utf8"

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

func (t *tape) fail(fault string) bool {
	if t.fault == "" {
		t.fault = fault
	}
	return false
}

func (t *tape) failTwice(name []byte) bool {
	t.twice = quoted(string(name))
	return t.fail("an object has two members " + t.twice + ", in front of what stands")
}

func (t *tape) space() {
	for t.pos < len(t.text) {
		switch t.text[t.pos] {
		case ' ', '\t', '\n', '\r':
			t.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end: no JSON begins or goes on with a zero.
func (t *tape) peek() byte {
	if t.pos < len(t.text) {
		return t.text[t.pos]
	}
	return 0
}

// value reads the value at pos; n has its name, if it is a member.
func (t *tape) value(n node) bool {
	n.start = int32(t.pos)
	i := len(t.nodes)
	t.nodes = append(t.nodes, n)
	ok := false
	switch b := t.peek(); {
	case b == '"':
		n.kind = jsonrpc.KindString
		n.escaped, ok = t.string()
	case b == '-' || b >= '0' && b <= '9':
		n.kind = jsonrpc.KindNumber
		n.whole, ok = t.number()
	case b == '{':
		n.kind = jsonrpc.KindObject
		n.count, ok = t.members(i)
	case b == '[':
		n.kind = jsonrpc.KindArray
		n.count, ok = t.elements()
	case b == 't':
		n.kind = jsonrpc.KindBool
		ok = t.literal("true")
	case b == 'f':
		n.kind = jsonrpc.KindBool
		ok = t.literal("false")
	case b == 'n':
		n.kind = jsonrpc.KindNull
		ok = t.literal("null")
	default:
		ok = t.unexpected()
	}
	n.end, n.next = int32(t.pos), int32(len(t.nodes))
	t.nodes[i] = n
	return ok
}

func (t *tape) unexpected() bool {
	if t.pos >= len(t.text) {
		return t.fail("unexpected end")
	}
	return t.fail("unexpected character")
}

func (t *tape) literal(word string) bool {
	if len(t.text)-t.pos < len(word) || string(t.text[t.pos:t.pos+len(word)]) != word {
		return t.unexpected()
	}
	t.pos += len(word)
	return true
}

// number reads -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?, and reports whether there
// is neither fraction nor exponent.
func (t *tape) number() (whole, ok bool) {
	if t.peek() == '-' {
		t.pos++
	}
	if t.peek() == '0' {
		t.pos++
	} else if !t.digits() {
		return false, false
	}
	whole = true
	if t.peek() == '.' {
		whole = false
		t.pos++
		if !t.digits() {
			return false, false
		}
	}
	if b := t.peek(); b == 'e' || b == 'E' {
		whole = false
		t.pos++
		if b := t.peek(); b == '+' || b == '-' {
			t.pos++
		}
		return false, t.digits()
	}
	return whole, true
}

// digits reads one digit or more.
func (t *tape) digits() bool {
	from := t.pos
	for t.pos < len(t.text) && t.text[t.pos] >= '0' && t.text[t.pos] <= '9' {
		t.pos++
	}
	return t.pos > from || t.unexpected()
}

// string reads the string at pos and reports whether it has escapes.
func (t *tape) string() (escaped, ok bool) {
	t.pos++
	from, wide := t.pos, false
	for t.pos < len(t.text) {
		switch b := t.text[t.pos]; {
		case b == '"':
			if wide && !utf8.Valid(t.text[from:t.pos]) {
				return false, t.fail("a string that is not UTF-8")
			}
			t.pos++
			return escaped, true
		case b == '\\':
			escaped = true
			if !t.escape() {
				return false, false
			}
		case b < ' ':
			return false, t.unexpected()
		default:
			wide = wide || b >= utf8.RuneSelf
			t.pos++
		}
	}
	return false, t.unexpected()
}

// escape reads the escape at pos.
func (t *tape) escape() bool {
	t.pos++
	switch t.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		t.pos++
		return true
	case 'u':
		t.pos++
		for range 4 {
			if b := t.peek() | 0x20; (b < '0' || b > '9') && (b < 'a' || b > 'f') {
				return t.unexpected()
			}
			t.pos++
		}
		return true
	}
	return t.unexpected()
}

// enter goes one level deeper, behind the bracket at pos.
func (t *tape) enter() bool {
	if t.left == 0 {
		return t.fail("too many levels of nesting")
	}
	t.left--
	t.pos++
	t.space()
	return true
}

// more moves behind the comma to the next member or element. At closer it moves
// behind it, and returns false.
func (t *tape) more(first bool, closer byte) bool {
	b := t.peek()
	if b == closer {
		t.pos++
		t.left++
		return false
	}
	if first {
		return true
	}
	if b != ',' {
		return t.unexpected()
	}
	t.pos++
	t.space()
	if t.peek() == closer {
		return t.unexpected()
	}
	return true
}

func (t *tape) elements() (count int32, ok bool) {
	if !t.enter() {
		return 0, false
	}
	for t.more(count == 0, ']') {
		if !t.value(node{}) {
			return 0, false
		}
		t.space()
		count++
	}
	return count, t.fault == ""
}

func (t *tape) members(object int) (count int32, ok bool) {
	if !t.enter() {
		return 0, false
	}
	for t.more(count == 0, '}') {
		n, ok := t.memberName()
		if !ok || !t.value(n) {
			return 0, false
		}
		t.space()
		count++
	}
	return count, t.fault == "" && t.unique(int32(object)+1, count)
}

// memberName reads a name and its colon, and moves to the value.
func (t *tape) memberName() (n node, ok bool) {
	if t.peek() != '"' {
		return n, t.unexpected()
	}
	quote := t.pos
	if n.nameEscaped, ok = t.string(); !ok {
		return n, false
	}
	n.name, n.nameTo = int32(quote+1), int32(t.pos-1)
	if n.nameEscaped {
		n.name = int32(len(t.names))
		t.names, _ = jsonrpc.Raw(t.text[quote:t.pos]).AppendText(t.names)
		n.nameTo = int32(len(t.names))
	}
	t.space()
	if t.peek() != ':' {
		return n, t.unexpected()
	}
	t.pos++
	t.space()
	return n, true
}

// manyMembers is from where on a map finds members that stand twice.
const manyMembers = 32

// unique reports whether the count members from node first on have different names.
// Their nodes are complete but for the last one's next.
func (t *tape) unique(first, count int32) bool {
	if count < 2 {
		return true
	}
	var seen map[string]struct{}
	if count > manyMembers {
		seen = make(map[string]struct{}, count)
	}
	for i, k := first, int32(0); k < count; i, k = t.nodes[i].next, k+1 {
		name := t.nameOf(i)
		if seen != nil {
			if _, twice := seen[string(name)]; twice {
				return t.failTwice(name)
			}
			seen[string(name)] = struct{}{}
			continue
		}
		for j, l := first, int32(0); l < k; j, l = t.nodes[j].next, l+1 {
			if string(t.nameOf(j)) == string(name) {
				return t.failTwice(name)
			}
		}
	}
	return true
}

// nameOf is the decoded name of the member i.
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
