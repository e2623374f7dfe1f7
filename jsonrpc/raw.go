package jsonrpc

import (
	"strconv"
	"strings"
)

// Raw is one JSON value: exactly its bytes, no space around it. Nil means that the
// value is absent, which is not the same as null. A Raw that came out of a scan
// aliases the scanned text, so it lives as long as that text is left alone.
//
// The methods never panic, whatever the bytes are: text that is not the kind of
// value they ask for is answered with false.
type Raw []byte

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of JSON values (RFC 8259, section 3), and KindAbsent for no value.
const (
	KindAbsent Kind = iota
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

// kinds has the kind of a value by its first byte. As a table it is little code in the many
// places that ask.
var kinds = [256]Kind{
	'n': KindNull, 't': KindBool, 'f': KindBool, '"': KindString, '[': KindArray, '{': KindObject,
	'-': KindNumber, '0': KindNumber, '1': KindNumber, '2': KindNumber, '3': KindNumber, '4': KindNumber,
	'5': KindNumber, '6': KindNumber, '7': KindNumber, '8': KindNumber, '9': KindNumber,
}

// Kind tells the kind of r by its first byte. Bytes that begin no JSON value count
// as absent.
func (r Raw) Kind() Kind {
	if len(r) == 0 {
		return KindAbsent
	}
	return kinds[r[0]]
}

// inside returns what stands between the quotes when r is a JSON string, and
// whether there are escapes in it.
func (r Raw) inside() (body []byte, escaped, ok bool) {
	if len(r) == 0 || r[0] != '"' {
		return nil, false, false
	}
	end, escaped, f := skipString(r, 0)
	if f != faultNone || end != len(r) {
		return nil, false, false
	}
	return r[1 : end-1], escaped, true
}

// Text returns the string that r stands for, and false when r is not a JSON
// string. A lone surrogate escape becomes U+FFFD.
func (r Raw) Text() (string, bool) {
	body, escaped, ok := r.inside()
	return textOf(body, escaped), ok
}

// textOf is what body, the checked inside of a string, stands for.
func textOf(body []byte, escaped bool) string {
	if escaped {
		body = appendUnescaped(make([]byte, 0, len(body)), body)
	}
	return string(body)
}

// WriteText writes the text to b, as it is decoded, and reports whether r is a
// JSON string; otherwise it writes nothing. It saves a long text that becomes part
// of a longer one from being copied twice.
func (r Raw) WriteText(b *strings.Builder) bool {
	body, escaped, ok := r.inside()
	switch {
	case !ok:
		return false
	case escaped:
		b.Write(appendUnescaped(make([]byte, 0, len(body)), body))
	default:
		b.Write(body)
	}
	return true
}

// AppendText is [Raw.Text] without allocation: it appends the text to dst. When r
// is not a JSON string it returns dst as it was, and false.
func (r Raw) AppendText(dst []byte) ([]byte, bool) {
	body, escaped, ok := r.inside()
	if escaped {
		return appendUnescaped(dst, body), ok
	}
	return append(dst, body...), ok
}

// Is reports whether r is a JSON string that stands for s, however it is escaped.
// It allocates nothing.
func (r Raw) Is(s string) bool {
	if len(r) < len(s)+len(`""`) { // an escape is never shorter than its character
		return false
	}
	body, escaped, ok := r.inside()
	if escaped {
		return ok && equalUnescaped(body, s)
	}
	return ok && string(body) == s
}

// Member returns the value of the member of this name, decoded, when r is an object that has
// it, and nil otherwise. Of an object that is malformed, or has two members of one name, what
// stands before the fault is found.
func (r Raw) Member(name string) Raw {
	for o := ReadObject(r); o.Next(); {
		if string(o.Name()) == name {
			return o.Value()
		}
	}
	return nil
}

// Int returns the integer that r stands for, exactly. It is false for anything but
// a number spelt without fraction and exponent that fits an int64.
func (r Raw) Int() (int64, bool) {
	const longest = len("-9223372036854775808")
	if len(r) > longest || !isInteger(r) {
		return 0, false
	}
	n, err := strconv.ParseInt(string(r), 10, 64)
	return n, err == nil
}

// isInteger reports whether r is spelt -?(0|[1-9][0-9]*).
func isInteger(r []byte) bool {
	if len(r) > 0 && r[0] == '-' {
		r = r[1:]
	}
	if len(r) == 0 || r[0] == '0' && len(r) > 1 {
		return false
	}
	return skipDigits(r, 0) == len(r)
}

// Float returns the number that r stands for, rounded to the nearest float64, and
// false when r is no number or is out of range.
func (r Raw) Float() (float64, bool) {
	if r.Kind() != KindNumber {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(r), 64)
	return f, err == nil
}

// Bool returns the truth value that r stands for; ok is false when r is neither
// true nor false.
func (r Raw) Bool() (value, ok bool) {
	switch string(r) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}
