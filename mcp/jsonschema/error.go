package jsonschema

import (
	"strings"

	"isthmus.internal/jsonrpc"
)

// Error says where a value does not fit its schema. It speaks of JSON alone, and it is
// written for a language model that has to try again: see [Error.Error].
type Error struct {
	// Path is the place in the value as a JSON Pointer (RFC 6901). The whole value is "".
	Path string
	// Expected is what the schema wants there.
	Expected string
	// Got is what stands there, clipped where it is long.
	Got string
	// SchemaPath is the keyword that was not satisfied, as a JSON Pointer in the schema
	// behind "#", with the URI of the document before it if that is another one.
	SchemaPath string
	// More are further places that do not fit. They have no More of their own.
	More []*Error
}

// Error is one line that names each place, what was expected and what came.
func (e *Error) Error() string { return e.In("") }

// In is [Error.Error] for a value that the reader knows by the name where: places are
// then written as where.a[0].b. With an empty name they are JSON Pointers.
func (e *Error) In(where string) string {
	var b strings.Builder
	e.write(&b, where)
	for _, more := range e.More {
		b.WriteString("; ")
		more.write(&b, where)
	}
	return b.String()
}

func (e *Error) write(b *strings.Builder, where string) {
	switch {
	case where != "":
		b.WriteString(where)
		writeSteps(b, e.Path)
	case e.Path == "":
		b.WriteString("the value")
	default:
		b.WriteString(clipped(oneLine(e.Path), longestPath))
	}
	b.WriteString(": expected ")
	b.WriteString(e.Expected)
	b.WriteString(", got ")
	b.WriteString(e.Got)
}

// Bounds of what is quoted, in bytes.
const (
	longestPart  = 2000 // what was expected, and what came
	longestPath  = 200
	longestValue = 80
	longestName  = 64
)

// writeSteps writes a JSON Pointer as .name, [0] or ["any name"].
func writeSteps(b *strings.Builder, pointer string) {
	if len(pointer) > longestPath {
		pointer = clipped(pointer, longestPath)
	}
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		step = unescapePointer(step)
		switch {
		case pointer == "":
		case isIndex(step):
			b.WriteString("[" + step + "]")
		case isPlainName(step):
			b.WriteString("." + step)
		default:
			b.WriteString("[" + quoted(step) + "]")
		}
	}
}

// isIndex reports whether s is spelt like an index of an array.
func isIndex(s string) bool {
	if s == "" || len(s) > 10 || s[0] == '0' && len(s) > 1 {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}

// isPlainName reports whether s can follow a dot without being mistaken.
func isPlainName(s string) bool {
	for i := range len(s) {
		b := s[i]
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b == '_', b == '$':
		case i > 0 && (b >= '0' && b <= '9' || b == '-'):
		default:
			return false
		}
	}
	return s != ""
}

// escapePointer writes a name as a step of a JSON Pointer (RFC 6901, section 3).
func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

func unescapePointer(step string) string {
	return strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
}

// quoted writes a name as a JSON string on one line, cut where it gets long.
func quoted(name string) string {
	return string(jsonrpc.AppendString(nil, clipped(name, longestName)))
}

// clipped cuts s behind at most n bytes, between characters, and shows that it did.
func clipped(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

// oneLine replaces line breaks and control characters by spaces.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, s)
}
