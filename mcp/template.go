package mcp

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// uriPattern matches uris against a template of RFC 6570, level 1: literals and
// simple expressions.
type uriPattern struct {
	literals []string // one more than names: before, between and after them
	names    []string
}

// variable is one value that a uri gave, decoded.
type variable struct{ name, value string }

// parseURITemplate reads a template. Its errors are for the programmer.
func parseURITemplate(template string) (*uriPattern, error) {
	p := &uriPattern{}
	rest := template
	for {
		literal, after, found := strings.Cut(rest, "{")
		if strings.Contains(literal, "}") {
			return nil, errors.New("a } without its {")
		}
		if err := checkURICharacters(literal); err != nil {
			return nil, err
		}
		p.literals = append(p.literals, literal)
		if !found {
			break
		}
		name, next, closed := strings.Cut(after, "}")
		switch {
		case !closed:
			return nil, errors.New("a { without its }")
		case !isVariableName(name):
			return nil, fmt.Errorf("{%s} is not a simple expression: only names of letters, digits and _ are known here", name)
		case slices.Contains(p.names, name):
			return nil, fmt.Errorf("{%s} stands twice, so which of two values it has is not defined", name)
		case len(p.names) > 0 && literal == "":
			return nil, fmt.Errorf("{%s} follows the expression before it directly, so where one ends is not defined", name)
		}
		p.names = append(p.names, name)
		rest = next
	}
	if len(p.names) == 0 {
		return nil, errors.New("no {expression}: register it as a resource")
	}
	return p, nil
}

func isVariableName(name string) bool {
	for _, b := range []byte(name) {
		if b != '_' && !isDigit(b) && !isLetter(b) {
			return false
		}
	}
	return name != ""
}

// match matches the whole of uri and returns the decoded variables. Each takes
// all up to the first place where the literal behind it stands, the last one all up
// to the literal that ends the uri, so the work grows with the length of the uri
// and no more.
func (p *uriPattern) match(uri string) ([]variable, bool) {
	rest, ok := strings.CutPrefix(uri, p.literals[0])
	if !ok {
		return nil, false
	}
	var variables []variable
	for i, name := range p.names {
		var text string
		if i < len(p.names)-1 {
			text, rest, ok = strings.Cut(rest, p.literals[i+1])
		} else {
			text, ok = strings.CutSuffix(rest, p.literals[i+1]) // it ends the uri
		}
		if !ok {
			return nil, false
		}
		value, ok := simpleValue(text)
		if !ok {
			return nil, false
		}
		variables = append(variables, variable{name, value})
	}
	return variables, true
}

// simpleValue decodes what a simple expression expands to: unreserved characters
// and percent-encoded ones, at least one (RFC 6570, section 3.2.2).
func simpleValue(text string) (string, bool) {
	if text == "" {
		return "", false
	}
	for _, b := range []byte(text) {
		if !isLetter(b) && !isDigit(b) && !strings.ContainsRune("-._~%", rune(b)) {
			return "", false
		}
	}
	value, err := url.PathUnescape(text)
	return value, err == nil
}
