package httpmcp

import "strconv"

// equalNumbers reports whether a and b are spelt as JSON numbers and have the same value:
// 42, 42.0, 4.2e1 (2026-07-28 basic/transports/streamable-http, Server Validation). They
// are compared digit by digit and never rounded, so 9007199254740993 is not
// 9007199254740992, although both are the same float64. It allocates nothing, and takes
// time by the length of the texts, not by their value.
func equalNumbers[A, B textual](a A, b B) bool {
	x, y := readNumber(a), readNumber(b)
	if !x.ok || !y.ok || x.digits != y.digits || x.digits > 0 && (x.negative != y.negative || x.power != y.power) {
		return false
	}
	i, j := x.first, y.first
	for range x.digits {
		if a[i] == '.' {
			i++
		}
		if b[j] == '.' {
			j++
		}
		if a[i] != b[j] {
			return false
		}
		i, j = i+1, j+1
	}
	return true
}

// textual is a header's value, or one of the body.
type textual interface{ ~string | ~[]byte }

// number is where the digits of a number are that matter, from the first to the last one
// that is not 0, and what they are worth: the first stands for itself times ten to power.
type number struct {
	negative bool
	first    int // index of the first digit
	digits   int // 0: the number is 0
	power    int64
	ok       bool
}

// longestExponent bounds the digits of an exponent, leading zeros aside. With more the
// number is not read: nobody means it.
const longestExponent = 15

// readNumber reads a number as JSON spells it (RFC 8259, section 6).
func readNumber[T textual](s T) number {
	n := number{negative: len(s) > 0 && s[0] == '-'}
	start := 0
	if n.negative {
		start = 1
	}
	whole := digitsFrom(s, start)
	if whole == start || s[start] == '0' && whole > start+1 {
		return number{}
	}
	end := whole
	if end < len(s) && s[end] == '.' {
		if end = digitsFrom(s, whole+1); end == whole+1 {
			return number{}
		}
	}
	exponent, ok := readExponent(s[end:])
	if !ok {
		return number{}
	}
	n.ok = true
	last := -1
	for i := start; i < end; i++ {
		if s[i] == '.' || s[i] == '0' {
			continue
		}
		if last < 0 {
			n.first = i
		}
		last = i
	}
	if last < 0 {
		return n
	}
	n.digits = last - n.first + 1
	n.power = exponent + int64(whole-1-n.first)
	if n.first < whole && whole < last {
		n.digits-- // the point
	}
	if n.first > whole {
		n.power++ // the point
	}
	return n
}

// readExponent reads what follows the digits: nothing, or e and an integer.
func readExponent[T textual](s T) (exponent int64, ok bool) {
	if len(s) == 0 {
		return 0, true
	}
	if s[0]|0x20 != 'e' {
		return 0, false
	}
	i, negative := 1, false
	if len(s) > 1 && (s[1] == '+' || s[1] == '-') {
		i, negative = 2, s[1] == '-'
	}
	if end := digitsFrom(s, i); end == i || end != len(s) {
		return 0, false
	}
	for i < len(s)-1 && s[i] == '0' {
		i++
	}
	if len(s)-i > longestExponent {
		return 0, false
	}
	exponent, err := strconv.ParseInt(string(s[i:]), 10, 64)
	if negative {
		exponent = -exponent
	}
	return exponent, err == nil
}

// digitsFrom returns the index of the first byte of s, from i on, that is no digit.
func digitsFrom[T textual](s T, i int) int {
	for i < len(s) && s[i]-'0' < 10 {
		i++
	}
	return i
}
