package mcp

import "strings"

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isHex(b byte) bool { return isDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'f' }

// unhex is the value of a hexadecimal digit.
func unhex(digit byte) byte {
	if isDigit(digit) {
		return digit - '0'
	}
	return digit | 0x20 - 'a' + 10
}

// isToken checks a token of HTTP (RFC 9110, section 5.6.2).
func isToken(text string) bool {
	for _, b := range []byte(text) {
		if !isLetter(b) && !isDigit(b) && strings.IndexByte("!#$%&'*+-.^_`|~", b) < 0 {
			return false
		}
	}
	return text != ""
}
