package jsonschema

import (
	"unicode/utf8"

	"isthmus.internal/jsonrpc"
)

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
	b := t.peek()
	if b == '{' || b == '[' {
		return t.container(n, b)
	}
	ok := false
	switch {
	case b == '"':
		n.kind = jsonrpc.KindString
		n.escaped, ok = t.string()
	case b == '-' || b >= '0' && b <= '9':
		n.kind = jsonrpc.KindNumber
		n.whole, ok = t.number()
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
	n.end, n.next = int32(t.pos), int32(len(t.nodes)+1)
	t.nodes = append(t.nodes, n)
	return ok
}

// container reads an array or an object. What is inside stands behind its node.
func (t *tape) container(n node, opener byte) (ok bool) {
	i := len(t.nodes)
	t.nodes = append(t.nodes, n)
	if opener == '{' {
		n.kind = jsonrpc.KindObject
		n.count, ok = t.members(i)
	} else {
		n.kind = jsonrpc.KindArray
		n.count, ok = t.elements()
	}
	n.end, n.next = int32(t.pos), int32(len(t.nodes))
	t.nodes[i] = n
	return ok
}

// unexpected is the fault of what cannot stand here. Like [tape.nameOf] it stands in many
// places.
//
//go:noinline
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
