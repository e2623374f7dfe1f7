package jsonschema

import (
	"net/netip"
	"strings"
	"unicode/utf8"
)

// isHostname is RFC 1123, section 2.1. A label of IDNA ("xn--…") is taken for the letters
// that it is written in.
func isHostname(s string) bool { return isHost(s, false) }

// isIDNHostname is a host name whose labels may also have other characters than those of
// ASCII, and be separated by the other full stops (RFC 3490, section 3.1). Which of
// these characters IDNA allows next to each other is not checked, and lengths count
// characters: the tables for that are not in the standard library.
func isIDNHostname(s string) bool {
	return isHost(strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".").Replace(s), true)
}

func isHost(s string, wide bool) bool {
	if s == "" || utf8.RuneCountInString(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || utf8.RuneCountInString(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for k := range len(label) {
			b := label[k]
			if !isLetter(b) && !isDigit(b) && b != '-' && (!wide || b < utf8.RuneSelf) {
				return false
			}
		}
	}
	return true
}

func isIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}

// isEmail is a Mailbox of RFC 5321, section 4.1.2.
func isEmail(s string) bool { return isMailbox(s, false) }

// isIDNEmail is the same with the characters that RFC 6531, section 3.3, adds.
func isIDNEmail(s string) bool { return isMailbox(s, true) }

func isMailbox(s string, wide bool) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if !isDotString(local, wide) && !isQuotedString(local, wide) {
		return false
	}
	if inside, ok := strings.CutPrefix(domain, "["); ok {
		inside, ok = strings.CutSuffix(inside, "]")
		if six, is6 := strings.CutPrefix(inside, "IPv6:"); is6 {
			return ok && isIPv6(six)
		}
		return ok && isIPv4(inside)
	}
	return isHost(domain, wide)
}

// isDotString is words of the characters that need no quotes, with a dot between two.
func isDotString(s string, wide bool) bool {
	for word := range strings.SplitSeq(s, ".") {
		if word == "" {
			return false
		}
		for k := range len(word) {
			b := word[k]
			ok := isLetter(b) || isDigit(b) || strings.IndexByte("!#$%&'*+-/=?^_`{|}~", b) >= 0 || wide && b >= utf8.RuneSelf
			if !ok {
				return false
			}
		}
	}
	return true
}

func isQuotedString(s string, wide bool) bool {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return false
	}
	s = s[1 : len(s)-1]
	for k := 0; k < len(s); k++ {
		if s[k] == '\\' {
			k++
			if k == len(s) {
				return false
			}
		} else if s[k] == '"' {
			return false
		}
		if s[k] < ' ' || s[k] == 0x7F || s[k] >= utf8.RuneSelf && !wide {
			return false
		}
	}
	return true
}
