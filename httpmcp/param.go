package httpmcp

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// checkParam holds a header to the argument that it repeats (2026-07-28
// basic/transports/streamable-http, Server Behavior for Custom Headers). An argument
// that is null or absent has no header; one that stands nevertheless says what the body
// does not.
func checkParam(h http.Header, m *jsonrpc.Message, p *mcp.HeaderParam) *jsonrpc.Error {
	x := mirror{header: p.Name, path: p.Path, required: true, encodes: true}
	value, ok := argument(m, p.Path)
	if !ok {
		return mismatch("what the %s header repeats cannot be read: an object on the way to %s has a member twice", x.name(), x.place())
	}
	switch value.Kind() {
	case jsonrpc.KindNull:
		value = nil
	case jsonrpc.KindObject, jsonrpc.KindArray:
		// No header can say it, so what stands between would decide without it.
		return mismatch("the body's %s is %s: it must be of type %s, so that the %s header can repeat it", x.place(), quoteValue(value), p.Type, x.name())
	}
	return x.check(h, value)
}

// argument returns the value at path, nil when there is none. It is false when an object
// on the way cannot be read.
func argument(m *jsonrpc.Message, path []string) (value jsonrpc.Raw, ok bool) {
	value = m.Inner("arguments", path[0])
	for _, name := range path[1:] {
		if value.Kind() != jsonrpc.KindObject {
			return nil, true
		}
		o := jsonrpc.ReadObject(value)
		value = nil
		for o.Next() {
			if string(o.Name()) == name {
				value = o.Value()
			}
		}
		if o.Err() != nil {
			return nil, false
		}
	}
	return value, true
}

// canSay reports whether a client can have put the value into the header. What is to be a
// name and is none is for its method to refuse.
func (x *mirror) canSay(value jsonrpc.Raw) bool {
	switch value.Kind() {
	case jsonrpc.KindString:
		return true
	case jsonrpc.KindNumber, jsonrpc.KindBool:
		return x.path != nil
	}
	return false
}

// equal reports whether the text of a header is what value is in one: a string as it is,
// a number by its value, a truth value by its word (2026-07-28
// basic/transports/streamable-http, Value Encoding and Server Validation). It goes by
// what the body has, not by what the schema wants, which is checked where schemas are.
func equal(text string, value jsonrpc.Raw) bool {
	switch value.Kind() {
	case jsonrpc.KindString:
		return value.Is(text)
	case jsonrpc.KindNumber:
		return text == string(value) || equalNumbers(text, value) // which reads no exponent that nobody means
	case jsonrpc.KindBool:
		return text == string(value)
	}
	return false
}

// The marks around a value that comes as Base64. Their letter case matters (2026-07-28
// basic/transports/streamable-http, Value Encoding).
const (
	openMark  = "=?base64?"
	closeMark = "?="
)

// cutMarkers returns what stands between the marks. A text with one of them alone is
// itself.
func cutMarkers(text string) (encoded string, marked bool) {
	if len(text) < len(openMark)+len(closeMark) || !strings.HasPrefix(text, openMark) || !strings.HasSuffix(text, closeMark) {
		return text, false
	}
	return text[len(openMark) : len(text)-len(closeMark)], true
}

// strict takes one spelling of each text: no bits are left over in the last character.
var strict = base64.StdEncoding.Strict()

// decode reads Base64 that isVisible has looked at, so that there are no line ends, which
// the decoder would pass over.
func decode(encoded string) (string, bool) {
	text, err := strict.DecodeString(encoded)
	return string(text), err == nil && utf8.Valid(text)
}

// isVisible reports whether a header may have this value (RFC 9110, section 5.5, as
// 2026-07-28 basic/transports/streamable-http, Value Encoding narrows it down).
func isVisible(text string) bool {
	for i := range len(text) {
		if b := text[i]; (b < ' ' && b != '\t') || b > '~' {
			return false
		}
	}
	return true
}

// clip is [jsonrpc.Clip] for strings.
func clip[T textual](text T) string { return jsonrpc.Clip([]byte(text)) }

// quote shows a text that the client chose, without its control characters.
func quote[T textual](text T) string { return strconv.Quote(clip(text)) }

// quoteValue shows a value of the body. A scanned value has no control characters but
// those in its strings, and in the space inside of objects and arrays.
func quoteValue(value jsonrpc.Raw) string {
	switch value.Kind() {
	case jsonrpc.KindString:
		text, _ := value.Text()
		return quote(text)
	case jsonrpc.KindObject:
		return "an object"
	case jsonrpc.KindArray:
		return "an array"
	}
	return clip(value)
}
