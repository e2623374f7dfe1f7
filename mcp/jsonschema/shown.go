package jsonschema

import (
	"fmt"

	"isthmus.internal/jsonrpc"
)

// shown is a JSON value for a message: what it is, and as much of it as fits on a line.
func shown(raw jsonrpc.Raw) string {
	text := clipped(oneLine(compact(raw)), longestValue)
	switch raw.Kind() {
	case jsonrpc.KindNumber:
		return "the number " + text
	case jsonrpc.KindString:
		return "the string " + text
	case jsonrpc.KindArray:
		if len(text) > len("[]") {
			return "the array " + text
		}
		return "an empty array"
	case jsonrpc.KindObject:
		if len(text) > len("{}") {
			return "the object " + text
		}
		return "an empty object"
	}
	return text // null, true, false
}

// shownNode is shown for a value of a tape.
func shownNode(t *tape, i int32) string { return shown(t.raw(i)) }

// compact is raw without spaces. Only the beginning of a long value is looked at.
func compact(raw jsonrpc.Raw) string {
	const enough = 4 * longestValue
	if len(raw) > enough {
		return string(raw[:enough]) // it is clipped anyway
	}
	text, err := jsonrpc.AppendCompact(nil, raw)
	if err != nil {
		return string(raw)
	}
	return string(text)
}

// counted is a number of things with the word for them.
func counted(n int32, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
