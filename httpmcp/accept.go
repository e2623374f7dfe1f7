package httpmcp

import (
	"net/http"
	"strings"
)

const (
	jsonType   = "application/json"
	eventsType = "text/event-stream"
)

// isJSON reports whether Content-Type says that the body is JSON in UTF-8. It is strict: pages may send some other
// types to any server without asking first, so a body is JSON by its media type alone (and not by what it looks
// like, nor by a name that begins alike).
func isJSON(h http.Header) bool {
	lines := h["Content-Type"]
	if len(lines) != 1 {
		return false
	}
	if lines[0] == jsonType {
		return true
	}
	kind, rest := cutToken(trimSpace(lines[0]))
	if !strings.EqualFold(kind, jsonType) {
		return false
	}
	for rest = trimSpace(rest); rest != ""; rest = trimSpace(rest) {
		var name, value string
		var ok bool
		if name, value, rest, ok = cutParameter(rest); !ok {
			return false
		}
		if strings.EqualFold(name, "charset") && !isText(value, "utf-8") {
			return false
		}
	}
	return true
}

// accepts is which kinds of reply a client takes.
type accepts struct{ json, events bool }

// rank is how closely a media range names a type: the closest one decides (RFC 9110, 12.5.1).
type rank uint8

const (
	unranked rank = iota
	ofAll         // */*
	ofKind        // text/*
	ofType        // text/event-stream
)

// wish is what the ranges seen so far say of one type.
type wish struct {
	rank rank
	ok   bool
}

// say takes in one more range. Of two that are alike, the one that allows the type counts.
func (w *wish) say(r rank, ok bool) {
	if r > w.rank {
		*w = wish{r, ok}
	} else if r == w.rank && r != unranked {
		w.ok = w.ok || ok
	}
}

// readAccept reads Accept as RFC 9110 has it, and more leniently than the pages on the transport, whose
// duty to name both types is the client's: without the header, or when nothing in it is a media range, all is
// welcome. Weights order nothing here; only a weight of 0 counts, as it says no.
func readAccept(h http.Header) accepts {
	lines := h["Accept"]
	if len(lines) == 1 && lines[0] == jsonType+", "+eventsType { // what clients send
		return accepts{true, true}
	}
	var json, events wish
	any := false
	for _, line := range lines {
		for line != "" {
			var media string
			media, line = cutElement(line)
			kind, rest := cutToken(trimSpace(media))
			if rest = trimSpace(rest); rest != "" && rest[0] != ';' {
				continue
			}
			main, sub, found := strings.Cut(kind, "/")
			if !found || main == "" || sub == "" {
				continue
			}
			any = true
			ok := !weighsNothing(rest)
			json.say(rankOf(kind, main, sub, jsonType), ok)
			events.say(rankOf(kind, main, sub, eventsType), ok)
		}
	}
	if !any {
		return accepts{true, true}
	}
	return accepts{json.ok, events.ok}
}

// rankOf is how closely a media range names a type.
func rankOf(kind, main, sub, of string) rank {
	switch {
	case strings.EqualFold(kind, of):
		return ofType
	case kind == "*/*":
		return ofAll
	case sub == "*" && len(of) > len(main) && of[len(main)] == '/' && strings.EqualFold(main, of[:len(main)]):
		return ofKind
	}
	return unranked
}

// weighsNothing reports whether parameters hold a weight of 0.
func weighsNothing(parameters string) bool {
	for parameters != "" {
		name, value, rest, ok := cutParameter(parameters)
		if !ok {
			return false
		}
		if strings.EqualFold(name, "q") && value != "" && strings.Trim(value, "0") == "" ||
			strings.EqualFold(name, "q") && strings.HasPrefix(value, "0.") && strings.Trim(value[2:], "0") == "" {
			return true
		}
		parameters = trimSpace(rest)
	}
	return false
}

// cutParameter reads a semicolon and the parameter behind it, which may be missing (RFC 9110, 5.6.6). A value in
// quotes keeps them.
func cutParameter(s string) (name, value, rest string, ok bool) {
	if s[0] != ';' {
		return "", "", "", false
	}
	if s = trimSpace(s[1:]); s == "" || s[0] == ';' {
		return "", "", s, true
	}
	name, s = cutToken(s)
	if name == "" || s == "" || s[0] != '=' || strings.IndexByte(name, '/') >= 0 {
		return "", "", "", false
	}
	s = s[1:]
	if s != "" && s[0] == '"' {
		n := quoted(s)
		return name, s[:n], s[n:], n > 0
	}
	value, rest = cutToken(s)
	return name, value, rest, value != "" && strings.IndexByte(value, '/') < 0
}

// isText compares the value of a parameter, with quotes or without, with a text that needs no escape.
func isText(value, text string) bool {
	if n := len(value); n >= 2 && value[0] == '"' {
		value = value[1 : n-1]
	}
	return strings.EqualFold(value, text)
}

// quoted is the length of the quoted string that s begins with, 0 when its end is missing.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return 0
}

// cutElement cuts the first element off a list; commas within quotes do not end it.
func cutElement(s string) (first, rest string) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ',':
			return s[:i], s[i+1:]
		case '"':
			if n := quoted(s[i:]); n > 0 {
				i += n - 1
			}
		}
	}
	return s, ""
}

// cutToken cuts off what a token or a media type may consist of.
func cutToken(s string) (token, rest string) {
	i := 0
	for i < len(s) && (isTokenByte(s[i]) || s[i] == '/') {
		i++
	}
	return s[:i], s[i:]
}

// isToken reports whether a text can be the name of a header (RFC 9110, 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		if !isTokenByte(s[i]) {
			return false
		}
	}
	return s != ""
}

func isTokenByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

func trimSpace(s string) string {
	if s == "" || isInk(s[0]) && isInk(s[len(s)-1]) {
		return s // as nearly all are
	}
	return strings.Trim(s, " \t")
}

func isInk(c byte) bool { return c != ' ' && c != '\t' }
