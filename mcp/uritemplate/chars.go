package uritemplate

import (
	"strings"
	"unicode/utf8"
)

func isAlphanumeric(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9'
}

// isUnreserved and isReserved are the sets of RFC 3986, section 2.
func isUnreserved(b byte) bool {
	return isAlphanumeric(b) || b == '-' || b == '.' || b == '_' || b == '~'
}

func isReserved(b byte) bool { return strings.IndexByte(":/?#[]@!$&'()*+,;=", b) >= 0 }

// isEncoded reports whether text begins with a percent-encoded byte.
func isEncoded(text string) bool {
	return len(text) >= 3 && text[0] == '%' && hex(text[1]) >= 0 && hex(text[2]) >= 0
}

// hex is the value of a hexadecimal digit, -1 of anything else.
func hex(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case 'a' <= b|0x20 && b|0x20 <= 'f':
		return int(b|0x20-'a') + 10
	}
	return -1
}

// appendEncoded appends text to dst with all encoded that is neither unreserved nor,
// where reserved says so, reserved or encoded already (RFC 6570, section 3.2.1).
func appendEncoded(dst []byte, text string, reserved bool) []byte {
	const digits = "0123456789ABCDEF"
	for i := 0; i < len(text); i++ {
		b := text[i]
		if isUnreserved(b) || reserved && (isReserved(b) || isEncoded(text[i:])) {
			dst = append(dst, b)
		} else {
			dst = append(dst, '%', digits[b>>4], digits[b&15])
		}
	}
	return dst
}

// AppendEscaped appends text to dst with everything percent-encoded that is not
// unreserved, as {x} expands it.
func AppendEscaped(dst []byte, text string) []byte { return appendEncoded(dst, text, false) }

// Unescape is text with its percent-encoded bytes decoded, and false when a % has no two
// hexadecimal digits behind it or the result is no UTF-8.
func Unescape(text string) (string, bool) {
	plain, ok := decode(text)
	return plain, ok && utf8.ValidString(plain)
}

// decode is text with its percent-encoded bytes decoded, and false when they are not
// well formed or give no UTF-8.
func decode(text string) (string, bool) {
	if strings.IndexByte(text, '%') < 0 {
		return text, true // a matcher lets nothing through that is not ASCII
	}
	plain := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		b := text[i]
		if b == '%' {
			if !isEncoded(text[i:]) {
				return "", false
			}
			b = byte(hex(text[i+1])<<4 | hex(text[i+2]))
			i += 2
		}
		plain = append(plain, b)
	}
	return string(plain), utf8.Valid(plain)
}
