package mcp

import (
	"errors"
	"fmt"
	"strings"
)

// checkURI checks that text may stand as a uri (RFC 3986): a scheme, and behind it
// characters that the RFC has, with % before two hexadecimal digits only.
func checkURI(text string) error {
	if !hasScheme(text) {
		return errors.New(`the uri must begin with a scheme, as in "notes://all"`)
	}
	return checkURICharacters(text)
}

func checkURICharacters(text string) error {
	for i := 0; i < len(text); i++ {
		b := text[i]
		switch {
		case b == '%':
			if i+2 >= len(text) || !isHex(text[i+1]) || !isHex(text[i+2]) {
				return errors.New("the uri has a % without two hexadecimal digits behind it")
			}
		case b <= ' ', b >= 0x7F, strings.IndexByte("\"<>\\^`{|}", b) >= 0:
			return errors.New("the uri has a character that must be percent-encoded")
		}
	}
	return nil
}

// hasScheme reports whether uri begins with a scheme (RFC 3986, section 3.1).
func hasScheme(uri string) bool {
	scheme, _, ok := strings.Cut(uri, ":")
	if !ok || scheme == "" {
		return false
	}
	for i, b := range []byte(scheme) {
		if !isLetter(b) && (i == 0 || !isDigit(b) && b != '+' && b != '-' && b != '.') {
			return false
		}
	}
	return true
}

// needURI fails where what is sent has no uri that a client can use (2026-07-28
// server/prompts, Embedded Resources).
func (w *writer) needURI(what, uri string) {
	if err := checkURI(uri); err != nil {
		w.fail(fmt.Sprintf("the URI %q of %s: %v", uri, what, err))
	}
}
