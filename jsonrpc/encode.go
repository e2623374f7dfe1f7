package jsonrpc

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// AppendString appends s as a JSON string. Quotes, backslashes and control
// characters are escaped, and U+2028 and U+2029, which some readers take for line
// ends. Everything else stands as it is, '<', '>' and '&' included. Bytes that are
// not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte { return appendString(dst, s) }

// AppendStringBytes is [AppendString] for text in a byte slice.
func AppendStringBytes(dst, s []byte) []byte { return appendString(dst, s) }

func appendString[T textual](dst []byte, s T) []byte {
	dst = slices.Grow(dst, len(s)+len(`""`))
	dst = append(dst, '"')
	for i := 0; ; {
		start := i
		i = skipUnescaped(s, i)
		dst = append(dst, s[start:i]...)
		if i == len(s) {
			return append(dst, '"')
		}
		var n int
		dst, n = appendEscape(dst, s, i)
		i += n
	}
}

// skipUnescaped returns the index of the first character of s, from i on, that
// must be escaped, or len(s).
func skipUnescaped[T textual](s T, i int) int {
	for {
		i = skipPlain(s, i)
		if i == len(s) || s[i] < utf8.RuneSelf {
			return i
		}
		for i < len(s) && s[i] >= utf8.RuneSelf {
			n := runeLen(s, i)
			if n == 0 || n == 3 && isLineEnd(s, i) {
				return i
			}
			i += n
		}
	}
}

// isLineEnd reports whether the three bytes at s[i] are U+2028 or U+2029.
func isLineEnd[T textual](s T, i int) bool {
	return s[i] == 0xE2 && s[i+1] == 0x80 && s[i+2]|1 == 0xA9
}

// appendEscape appends the escape for the character at s[i], and returns how many
// bytes of s that was.
func appendEscape[T textual](dst []byte, s T, i int) ([]byte, int) {
	const hex = "0123456789abcdef"
	switch b := s[i]; {
	case b == '"' || b == '\\':
		return append(dst, '\\', b), 1
	case b == '\b':
		return append(dst, `\b`...), 1
	case b == '\f':
		return append(dst, `\f`...), 1
	case b == '\n':
		return append(dst, `\n`...), 1
	case b == '\r':
		return append(dst, `\r`...), 1
	case b == '\t':
		return append(dst, `\t`...), 1
	case b < utf8.RuneSelf:
		return append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&0xF]), 1
	case runeLen(s, i) == 0:
		return append(dst, `\ufffd`...), 1
	}
	return append(dst, '\\', 'u', '2', '0', '2', '8'+s[i+2]&1), 3
}

// AppendInt appends n as a JSON number.
func AppendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// AppendFloat appends f as the shortest JSON number that reads back as f: 0.25
// stays 0.25, 50 stays 50, very large and very small ones get an exponent. JSON has
// no spelling for infinities and NaN. The caller sees to it that there is none; one
// that slips through becomes null, so that the message stays whole.
func AppendFloat(dst []byte, f float64) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return append(dst, "null"...)
	}
	format := byte('f')
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	if n := len(dst); format == 'e' && dst[n-4] == 'e' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // strconv pads the exponent: 1e-07 is 1e-7
		dst = dst[:n-1]
	}
	return dst
}

// AppendBool appends true or false.
func AppendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

// AppendCompact appends text, which must be exactly one JSON value, without the
// space between its parts, so that it is one line. U+2028 and U+2029 are escaped, as
// in [AppendString]. All else stays byte for byte: digits, escapes, the order of
// members. Text that is not one JSON value, or nests beyond [MaxDepth], is an error,
// and dst is returned as it was.
func AppendCompact(dst, text []byte) ([]byte, error) {
	c := newCursor(text, MaxDepth)
	c.space()
	c.value()
	c.end()
	if err := c.err(); err != nil {
		return dst, err
	}
	start := len(dst)
	if !c.spaced {
		return escapeLineEnds(append(dst, text...), start), nil
	}
	done := 0 // text[:done] is in dst, or was space
	for i := 0; i < len(text); {
		switch b := text[i]; {
		case b == '"':
			i, _, _ = skipString(text, i)
		case isSpace(b):
			dst = append(dst, text[done:i]...)
			i++
			done = i
		default:
			i++
		}
	}
	return escapeLineEnds(append(dst, text[done:]...), start), nil
}

// escapeLineEnds escapes U+2028 and U+2029 in dst[start:], which is JSON, so that
// they can only stand inside strings.
func escapeLineEnds(dst []byte, start int) []byte {
	text := dst[start:]
	if !bytes.Contains(text, []byte("\u2028")[:2]) { // they begin alike
		return dst
	}
	if !bytes.Contains(text, []byte("\u2028")) && !bytes.Contains(text, []byte("\u2029")) {
		return dst
	}
	text = bytes.ReplaceAll(text, []byte("\u2028"), []byte(`\u2028`))
	text = bytes.ReplaceAll(text, []byte("\u2029"), []byte(`\u2029`))
	return append(dst[:start], text...)
}

// AppendMember appends a member to an object that is open: dst ends with its brace or with
// the member before, behind which a comma goes first. value is one JSON value.
//
//go:noinline
func AppendMember(dst []byte, name string, value Raw) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(AppendString(dst, name), ':')
	return append(dst, value...)
}

// AppendMessage appends a request, or with a zero id a notification, without a
// line end. params is a JSON value on one line, or nil for none.
func AppendMessage(dst []byte, id ID, method string, params []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if !id.IsZero() {
		dst = append(dst, `,"id":`...)
		dst = append(dst, id.Raw()...)
	}
	dst = append(dst, `,"method":`...)
	dst = AppendString(dst, method)
	if params != nil {
		dst = append(dst, `,"params":`...)
		dst = append(dst, params...)
	}
	return append(dst, '}')
}

// AppendResult begins a response, without a line end: the result is for the caller to append,
// and a brace behind it.
//
//go:noinline
func AppendResult(dst []byte, id ID) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id.Raw()...)
	return append(dst, `,"result":`...)
}

// AppendError appends an error response, without a line end. A zero id leaves
// the member out: the id of the request could not be read.
func AppendError(dst []byte, id ID, e *Error) []byte {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if !id.IsZero() {
		dst = append(dst, `,"id":`...)
		dst = append(dst, id.Raw()...)
	}
	dst = append(dst, `,"error":`...)
	dst = e.appendTo(dst)
	return append(dst, '}')
}
