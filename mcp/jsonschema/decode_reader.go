package jsonschema

import (
	"bytes"

	"isthmus.internal/jsonrpc"
)

// reader goes through JSON text once. The text has been checked before: what is no
// JSON is not always found, but never makes it fail in another way than by an error.
type reader struct {
	text  []byte
	pos   int
	depth int // of arrays and objects

	// lenient is set when something was let pass that the schema of [Infer] does not:
	// a null, a member that no field has, or the lack of one.
	lenient bool
	// complete asks for the defaults in tags where members are absent.
	complete bool
}

// peek returns the first byte behind space, 0 at the end. Most texts have no space, and it
// stands in many places, so what steps over it is apart.
func (r *reader) peek() byte {
	if r.pos < len(r.text) && r.text[r.pos] > ' ' {
		return r.text[r.pos]
	}
	return r.pastSpace()
}

// pastSpace steps over space and returns what stands behind, 0 at the end.
//
//go:noinline
func (r *reader) pastSpace() byte {
	for r.pos < len(r.text) {
		switch b := r.text[r.pos]; b {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return b
		}
	}
	return 0
}

// null steps over a null and reports whether there was one.
func (r *reader) null() bool {
	if r.peek() != 'n' {
		return false
	}
	r.lenient = true
	r.pos = min(r.pos+len("null"), len(r.text))
	return true
}

// open steps into an array or object and reports whether it has anything in it.
func (r *reader) open(closer byte) (*Error, bool) {
	r.pos++
	if r.depth++; r.depth > jsonrpc.MaxDepth {
		return &Error{Expected: "a value that nests less deep", Got: "one that nests deeper"}, false
	}
	if r.peek() != closer {
		return nil, true
	}
	r.pos++
	r.depth--
	return nil, false
}

// more steps to the next member, or out of the array or object.
func (r *reader) more(closer byte) bool {
	b := r.peek()
	if b != 0 {
		r.pos++
	}
	if b == ',' {
		return true
	}
	r.depth--
	return false
}

// name steps over a member's name and its colon, and returns it decoded.
func (r *reader) name() []byte {
	r.peek()
	quoted := r.str()
	if r.peek() == ':' {
		r.pos++
	}
	if len(quoted) < 2 {
		return nil
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	name, _ := quoted.AppendText(nil)
	return name
}

// str steps over a string, if there is one, and returns it with its quotes.
func (r *reader) str() jsonrpc.Raw {
	if r.pos >= len(r.text) || r.text[r.pos] != '"' {
		return nil
	}
	start := r.pos
	for i := start + 1; i < len(r.text); {
		n := bytes.IndexByte(r.text[i:], '"')
		if n < 0 {
			break
		}
		i += n + 1
		if !isEscaped(r.text[start+1 : i-1]) {
			r.pos = i
			return r.text[start:i]
		}
	}
	r.pos = len(r.text)
	return nil
}

// strText steps over a string and returns what it stands for.
func (r *reader) strText() string {
	quoted := r.str()
	if len(quoted) >= 2 && bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	text, _ := quoted.Text()
	return text
}

// isEscaped reports whether what follows before is behind a backslash that counts.
func isEscaped(before []byte) bool {
	n := len(before)
	for n > 0 && before[n-1] == '\\' {
		n--
	}
	return (len(before)-n)%2 == 1
}

// value steps over a whole value and returns it.
func (r *reader) value() jsonrpc.Raw {
	first := r.peek()
	start := r.pos
	switch first {
	case '"':
		return r.str()
	case '{', '[':
		r.container()
	default:
		r.scalar()
	}
	return r.text[start:r.pos]
}

// container steps over an array or object.
func (r *reader) container() {
	for level := 0; r.pos < len(r.text); {
		switch r.text[r.pos] {
		case '"':
			r.str()
			continue
		case '{', '[':
			level++
		case '}', ']':
			level--
		}
		r.pos++
		if level == 0 {
			return
		}
	}
}

// scalar steps over a number, true, false or null, and returns it.
func (r *reader) scalar() jsonrpc.Raw {
	start := r.pos
	for r.pos < len(r.text) {
		switch r.text[r.pos] {
		case ',', '}', ']', ' ', '\t', '\n', '\r', ':', '"', '{', '[':
			if r.pos == start { // no value: go on, so that nothing loops for ever
				r.pos++
			}
			return r.text[start:r.pos]
		}
		r.pos++
	}
	return r.text[start:r.pos]
}

// wrong is the error about the value that stands here.
func (r *reader) wrong(expected string) *Error {
	return &Error{Expected: expected, Got: gotText(r.value())}
}

// gotText shows a value that was not expected.
func gotText(v jsonrpc.Raw) string {
	if v.Kind() == jsonrpc.KindAbsent {
		return "nothing"
	}
	return shown(v)
}

// inMember says that e is about a member of an object.
func (e *Error) inMember(name string) *Error {
	e.Path = "/" + escapePointer(name) + e.Path
	return e
}
