package jsonrpc

import (
	"bytes"
	"unicode/utf8"
)

// ID is the id of a request: a string or an integer (every revision of MCP rules
// out null, and fractions with it). It is kept and echoed as the bytes received,
// so no digit and no escape changes on the way back. The zero value is no id.
//
// Compare ids by [ID.Key]: == does not compile, and the same string may be spelt
// in several ways.
type ID struct {
	raw []byte
}

// ParseID takes raw as an id. It is false for anything but a string or an integer:
// null, true, fractions, exponents, and -0, which many peers would echo as 0. The
// id aliases raw; see [ID.Clone].
func ParseID(raw Raw) (ID, bool) {
	if _, _, isString := raw.inside(); isString {
		return ID{raw}, true
	}
	if isInteger(raw) && string(raw) != "-0" {
		return ID{raw}, true
	}
	return ID{}, false
}

// IntID makes an id from an integer.
func IntID(n int64) ID { return ID{AppendInt(nil, n)} }

// StringID makes an id from a string.
func StringID(s string) ID { return ID{AppendString(nil, s)} }

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return id.raw == nil }

// Raw returns the bytes of the id as they were received, nil when there is none.
// Do not change them.
func (id ID) Raw() Raw { return id.raw }

// Clone returns the id in memory of its own, for when it has to outlive the text
// that it was scanned from.
func (id ID) Clone() ID { return ID{bytes.Clone(id.raw)} }

// Key returns a key for maps: two ids have the same key if and only if they are
// the same JSON value. So "a" and "\u0061" share one, and 1 and "1" do not. The
// key of no id is empty.
func (id ID) Key() string { return string(id.AppendKey(nil)) }

// AppendKey appends what [ID.Key] returns to dst.
func (id ID) AppendKey(dst []byte) []byte {
	body, escaped, isString := Raw(id.raw).inside()
	if !isString {
		return append(dst, id.raw...) // an integer has one spelling only
	}
	dst = append(dst, '"')
	if !escaped {
		return append(dst, body...)
	}
	for {
		i := bytes.IndexByte(body, '\\')
		if i < 0 {
			return append(dst, body...)
		}
		dst = append(dst, body[:i]...)
		r, n := decodeEscape(body[i:])
		if utf8.ValidRune(r) {
			dst = utf8.AppendRune(dst, r)
		} else {
			// Lone surrogates all read as U+FFFD but are different ids. 0xFF does
			// not occur in UTF-8, so this spelling is free.
			dst = append(dst, 0xFF, byte(r>>8), byte(r))
		}
		body = body[i+n:]
	}
}

// String shows the id in logs, as it was received. It holds no control character.
func (id ID) String() string {
	if id.IsZero() {
		return "none"
	}
	return string(id.raw)
}
