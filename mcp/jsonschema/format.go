package jsonschema

import (
	"regexp/syntax"
	"strings"
)

// format is a named syntax for strings (2020-12 validation, section 7.3).
type format struct {
	name    string
	valid   func(string) bool
	example string
}

// hint shows what a string of the format looks like.
func (f *format) hint() string {
	if f.example == "" {
		return ""
	}
	return " (such as " + f.example + ")"
}

// formats are those that can be asserted. Both dialects have the same ones here: a
// draft-07 schema that names a later format means the same by it.
var formats = []format{
	{"date-time", isDateTime, "2026-07-28T12:00:00Z"},
	{"date", isDate, "2026-07-28"},
	{"time", isClock, "12:00:00Z"},
	{"duration", isDuration, "P3DT12H"},
	{"email", isEmail, "name@example.com"},
	{"idn-email", isIDNEmail, "name@example.com"},
	{"hostname", isHostname, "www.example.com"},
	{"idn-hostname", isIDNHostname, "www.example.com"},
	{"ipv4", isIPv4, "192.0.2.1"},
	{"ipv6", isIPv6, "2001:db8::1"},
	{"uri", isURI, "https://example.com/a"},
	{"uri-reference", isURIReference, "/a/b?c"},
	{"iri", isIRI, "https://example.com/a"},
	{"iri-reference", isIRIReference, "/a/b?c"},
	{"uri-template", isURITemplate, "/a/{b}"},
	{"uuid", isUUID, "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
	{"json-pointer", isPointer, "/a/0"},
	{"relative-json-pointer", isRelativePointer, "1/a"},
	{"regex", isRegex, ""},
}

// formatOf finds a format by its name, nil when it is not known.
func formatOf(name string) *format {
	for k := range formats {
		if formats[k].name == name {
			return &formats[k]
		}
	}
	return nil
}

// isPointer is RFC 6901, section 3.
func isPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for _, after := range strings.Split(s, "~")[1:] {
		if after == "" || after[0] != '0' && after[0] != '1' {
			return false
		}
	}
	return true
}

// isRelativePointer is the Relative JSON Pointer that 2020-12 validation, section 7.3.7, refers to.
func isRelativePointer(s string) bool {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits == 0 || s[0] == '0' && digits > 1 {
		return false
	}
	return s[digits:] == "#" || isPointer(s[digits:])
}

// isRegex takes every regular expression of ECMA-262, also those that cannot be matched
// in bounded time and so cannot be a pattern here.
func isRegex(s string) bool {
	tr := translator{source: s, syntaxOnly: true}
	text, err := tr.translate()
	if err != nil {
		return false
	}
	_, err = syntax.Parse(text, syntax.Perl)
	return err == nil
}

// isUUID is RFC 4122, section 3.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for k := range len(s) {
		switch k {
		case 8, 13, 18, 23:
			if s[k] != '-' {
				return false
			}
		default:
			if !isHex(s[k]) {
				return false
			}
		}
	}
	return true
}

func isHex(b byte) bool { return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'f' }

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
