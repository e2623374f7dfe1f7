package jsonschema

import (
	"strings"
	"unicode/utf8"
)

// isURI and isURIReference are RFC 3986, appendix A.
func isURI(s string) bool          { return isReference(s, false, true) }
func isURIReference(s string) bool { return isReference(s, false, false) }

// isIRI and isIRIReference are RFC 3987, section 2.2.
func isIRI(s string) bool          { return isReference(s, true, true) }
func isIRIReference(s string) bool { return isReference(s, true, false) }

// What may stand in the parts beside letters, digits and percent-encoding.
const (
	unreserved    = "-._~"
	subDelimiters = "!$&'()*+,;="
	pathExtra     = unreserved + subDelimiters + ":@/"
	queryExtra    = pathExtra + "?"
)

func isReference(s string, wide, absolute bool) bool {
	s, fragment, _ := strings.Cut(s, "#")
	if !hasOnly(fragment, queryExtra, wide) {
		return false
	}
	s, query, _ := strings.Cut(s, "?")
	if !hasOnly(query, queryExtra, wide) && !(wide && hasOnly(withoutPrivate(query), queryExtra, true)) {
		return false
	}
	colon, slash := strings.IndexByte(s, ':'), strings.IndexByte(s, '/')
	hasScheme := colon >= 0 && (slash < 0 || colon < slash)
	switch {
	case hasScheme && !isScheme(s[:colon]):
		return false
	case hasScheme:
		s = s[colon+1:]
	case absolute:
		return false
	}
	if rest, ok := strings.CutPrefix(s, "//"); ok {
		end := strings.IndexByte(rest, '/')
		if end < 0 {
			end = len(rest)
		}
		if !isAuthority(rest[:end], wide) {
			return false
		}
		s = rest[end:]
	}
	return hasOnly(s, pathExtra, wide)
}

func isScheme(s string) bool {
	if s == "" || !isLetter(s[0]) {
		return false
	}
	for k := range len(s) {
		if !isLetter(s[k]) && !isDigit(s[k]) && strings.IndexByte("+-.", s[k]) < 0 {
			return false
		}
	}
	return true
}

func isAuthority(s string, wide bool) bool {
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		if !hasOnly(s[:at], unreserved+subDelimiters+":", wide) {
			return false
		}
		s = s[at+1:]
	}
	if inside, ok := strings.CutPrefix(s, "["); ok {
		literal, port, ok := strings.Cut(inside, "]")
		return ok && isIPLiteral(literal) && (port == "" || port == ":" || port[0] == ':' && isDigits(port[1:]))
	}
	host, port, _ := strings.Cut(s, ":")
	return hasOnly(host, unreserved+subDelimiters, wide) && (port == "" || isDigits(port))
}

// isIPLiteral is what stands between brackets: IPv6, or an address of a future version.
func isIPLiteral(s string) bool {
	if isIPv6(s) {
		return true
	}
	version, address, ok := strings.Cut(s, ".")
	if !ok || len(version) < 2 || version[0]|0x20 != 'v' || address == "" || strings.Contains(address, "%") {
		return false
	}
	for k := 1; k < len(version); k++ {
		if !isHex(version[k]) {
			return false
		}
	}
	return hasOnly(address, unreserved+subDelimiters+":", false)
}

// hasOnly reports whether s has only letters, digits, percent-encodings and what extra
// lists, and in an IRI the characters beyond ASCII.
func hasOnly(s, extra string, wide bool) bool {
	for k := 0; k < len(s); {
		c, size := utf8.DecodeRuneInString(s[k:])
		switch {
		case c == '%':
			if len(s) < k+3 || !isHex(s[k+1]) || !isHex(s[k+2]) {
				return false
			}
			size = 3
		case c >= utf8.RuneSelf:
			if !wide || !isUCSChar(c) {
				return false
			}
		case !isLetter(byte(c)) && !isDigit(byte(c)) && strings.IndexByte(extra, byte(c)) < 0:
			return false
		}
		k += size
	}
	return true
}

// isUCSChar is ucschar of RFC 3987.
func isUCSChar(c rune) bool {
	switch {
	case c >= 0xA0 && c <= 0xD7FF, c >= 0xF900 && c <= 0xFDCF, c >= 0xFDF0 && c <= 0xFFEF:
		return true
	}
	return c >= 0x10000 && c <= 0xEFFFD && c&0xFFFF <= 0xFFFD && (c < 0xE0000 || c >= 0xE1000)
}

// withoutPrivate leaves out the characters for private use, which a query may have.
func withoutPrivate(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= 0xE000 && c <= 0xF8FF || c >= 0xF0000 && c&0xFFFF <= 0xFFFD {
			return -1
		}
		return c
	}, s)
}

// isURITemplate is RFC 6570, section 2.
func isURITemplate(s string) bool {
	for s != "" {
		literal, rest, found := strings.Cut(s, "{")
		if !isTemplateLiteral(literal) {
			return false
		}
		if !found {
			return true
		}
		expression, after, closed := strings.Cut(rest, "}")
		if !closed || !isExpression(expression) {
			return false
		}
		s = after
	}
	return true
}

func isTemplateLiteral(s string) bool {
	for k, c := range s {
		if c <= ' ' || c == 0x7F || strings.ContainsRune("\"<>\\^`{|}", c) {
			return false
		}
		if c == '%' && (len(s) < k+3 || !isHex(s[k+1]) || !isHex(s[k+2])) {
			return false
		}
	}
	return true
}

// isExpression is what stands between braces: an operator and names with modifiers.
func isExpression(s string) bool {
	if s != "" && strings.IndexByte("+#./;?&=,!@|", s[0]) >= 0 {
		s = s[1:]
	}
	for name := range strings.SplitSeq(s, ",") {
		name, explode := strings.CutSuffix(name, "*")
		name, most, prefix := strings.Cut(name, ":")
		if prefix && (explode || !isDigits(most) || most[0] == '0' || len(most) > 4) {
			return false
		}
		for word := range strings.SplitSeq(name, ".") {
			if word == "" || !hasOnly(word, "_", false) {
				return false
			}
		}
	}
	return true
}
