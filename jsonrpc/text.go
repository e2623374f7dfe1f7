package jsonrpc

import (
	"bytes"
	"math/bits"
	"unicode/utf8"
)

// textual is what the functions for strings take: a Go string or its bytes.
type textual interface{ ~string | ~[]byte }

// Strings are looked at eight bytes at a time. These two words repeat one byte
// eight times over.
const (
	eachLow  = 0x0101010101010101
	eachHigh = 0x8080808080808080
)

// special marks, by its lowest set bit, the first of the eight bytes in w (lowest
// byte first) that needs a closer look: a quote, a backslash, a control character
// or a byte above 0x7F. It is 0 when there is none. A subtraction may borrow, but
// only into bytes above one that is marked, so the lowest mark is always right.
func special(w uint64) uint64 {
	// Flipping the bit 2 swaps the quote (0x22) and the space (0x20): then quote
	// and control characters are the bytes below 0x21.
	low := (w ^ 0x02*eachLow) - 0x21*eachLow
	slash := (w ^ '\\'*eachLow) - eachLow
	return (w | low | slash) & eachHigh
}

// load reads the eight bytes of s from i, lowest first; the compiler makes it one
// load, without checks where it knows that they are there.
func load[T textual](s T, i int) uint64 {
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// skipPlain returns the index of the first byte of s, from i on, that special
// would mark, or len(s).
func skipPlain[T textual](s T, i int) int {
	i = max(i, 0)                                           // it never is less, which the compiler now knows, too
	for long := i + 48; i <= len(s)-8 && i < long; i += 8 { // names are short
		if m := special(load(s, i)); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i <= len(s)-32; i += 32 { // texts are long: one branch for four words
		if special(load(s, i))|special(load(s, i+8))|special(load(s, i+16))|special(load(s, i+24)) != 0 {
			break
		}
	}
	for ; i <= len(s)-8; i += 8 {
		if m := special(load(s, i)); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(s) && isPlain(s[i]) {
		i++
	}
	return i
}

func isPlain(b byte) bool { return b >= 0x20 && b < utf8.RuneSelf && b != '"' && b != '\\' }

// skipString steps over the string whose opening quote is data[i]. It returns the
// index after the closing quote and whether there are escapes in between. With a
// fault, end is where it stands.
func skipString(data []byte, i int) (end int, escaped bool, f fault) {
	i++
	for {
		i = skipPlain(data, i)
		if i >= len(data) {
			return i, escaped, faultEnd
		}
		switch b := data[i]; {
		case b == '"':
			return i + 1, escaped, faultNone
		case b == '\\':
			n := escapeLen(data[i:])
			if n == 0 {
				return i, escaped, faultEscape
			}
			escaped = true
			i += n
		case b < 0x20:
			return i, escaped, faultControl
		default:
			for i < len(data) && data[i] >= utf8.RuneSelf {
				n := runeLen(data, i)
				if n == 0 {
					return i, escaped, faultUTF8
				}
				i += n
			}
		}
	}
}

// endOfString is skipString for a string that was found good before. It is several times as
// quick.
func endOfString(data []byte, i int) int {
	for start := i; ; {
		next := bytes.IndexByte(data[i+1:], '"')
		if next < 0 {
			return len(data)
		}
		i += 1 + next
		before := i - 1 // the quote is escaped if there is an odd number of backslashes
		for before > start && data[before] == '\\' {
			before--
		}
		if (i-before)%2 == 1 {
			return i + 1
		}
	}
}

// runeLen returns how many bytes the character at s[i] takes, one beyond ASCII, or
// 0 when it is not valid UTF-8 (Unicode, table 3-7).
func runeLen[T textual](s T, i int) int {
	first, left := s[i], len(s)-i-1
	switch {
	case first < 0xE0:
		if first >= 0xC2 && left >= 1 && isTail(s[i+1]) {
			return 2
		}
	case first < 0xF0:
		if left >= 2 && isTail(s[i+1]) && isTail(s[i+2]) &&
			(first != 0xE0 || s[i+1] >= 0xA0) && // shorter spelling exists
			(first != 0xED || s[i+1] < 0xA0) { // surrogate
			return 3
		}
	case first < 0xF5:
		if left >= 3 && isTail(s[i+1]) && isTail(s[i+2]) && isTail(s[i+3]) &&
			(first != 0xF0 || s[i+1] >= 0x90) && // shorter spelling exists
			(first != 0xF4 || s[i+1] < 0x90) { // beyond U+10FFFF
			return 4
		}
	}
	return 0
}

// isTail reports whether b may follow the first byte of a character.
func isTail(b byte) bool { return b&0xC0 == 0x80 }

// escapeLen returns how many bytes the escape at the start of s takes, or 0 when
// it is none that JSON has.
func escapeLen(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if hex4(s) >= 0 {
			return 6
		}
	}
	return 0
}

// hex4 returns the code unit of the escape \uXXXX at the start of s, or -1 when
// there is none.
func hex4(s []byte) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	var r rune
	for _, b := range s[2:6] {
		switch {
		case '0' <= b && b <= '9':
			b -= '0'
		case 'a' <= b && b <= 'f':
			b -= 'a' - 10
		case 'A' <= b && b <= 'F':
			b -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(b)
	}
	return r
}

// decodeEscape returns the character of the escape at the start of s, which has
// been checked, and how many bytes it takes. A surrogate without its other half is
// returned as it is.
func decodeEscape(s []byte) (r rune, n int) {
	switch s[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		const highFirst, lowFirst, lowLast = 0xD800, 0xDC00, 0xDFFF
		r = hex4(s)
		if highFirst <= r && r < lowFirst {
			if low := hex4(s[6:]); lowFirst <= low && low <= lowLast {
				return (r-highFirst)<<10 | (low - lowFirst) + 0x10000, 12
			}
		}
		return r, 6
	}
	return rune(s[1]), 2 // a quote, a backslash or a slash
}

// appendUnescaped appends what body, the checked inside of a string, stands for. A
// lone surrogate becomes U+FFFD.
func appendUnescaped(dst, body []byte) []byte {
	for {
		i := bytes.IndexByte(body, '\\')
		if i < 0 {
			return append(dst, body...)
		}
		dst = append(dst, body[:i]...)
		r, n := decodeEscape(body[i:])
		dst = utf8.AppendRune(dst, r)
		body = body[i+n:]
	}
}

// equalUnescaped reports whether body, the checked inside of a string, stands for
// s. It allocates nothing.
func equalUnescaped(body []byte, s string) bool {
	var char [utf8.UTFMax]byte
	for {
		i := bytes.IndexByte(body, '\\')
		if i < 0 {
			return string(body) == s
		}
		if len(s) < i || string(body[:i]) != s[:i] {
			return false
		}
		r, n := decodeEscape(body[i:])
		c := utf8.AppendRune(char[:0], r)
		body, s = body[i+n:], s[i:]
		if len(s) < len(c) || string(c) != s[:len(c)] {
			return false
		}
		s = s[len(c):]
	}
}

// Clip makes a text that the peer chose fit into an error message or a line of the log:
// what is beyond 256 bytes is cut off, at the end of a character.
//
//go:noinline
func Clip(text []byte) string {
	// This stands in many places: inlined it is more code in each than the call.
	const longest = 256
	if len(text) <= longest {
		return string(text)
	}
	n := longest
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return string(text[:n]) + "…"
}
