package uritemplate

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxTemplate is the length of the longest template in bytes.
const MaxTemplate = 1 << 13

// Template is a template that was read. It never changes, and may be used by several
// goroutines at once.
type Template struct {
	text  string
	parts []part
}

// part is a literal or, when vars is not nil, an expression.
type part struct {
	literal string // as it stands in a uri
	operator
	vars []variable
	text string // of an expression, with its braces
}

// operator says how the values of an expression are written (RFC 6570, appendix A).
type operator struct {
	first    string // before the first value
	sep      string // before each further one
	named    bool   // each value has its name before it
	empty    string // between a name and an empty value
	reserved bool   // reserved characters are not encoded
}

// variable is one variable of an expression.
type variable struct {
	name    string
	prefix  int // of how many characters; 0 for all
	explode bool
}

// operators are the operators by their characters; a simple expression has none.
func operators(char byte) (o operator, ok bool) {
	switch char {
	case '+':
		return operator{sep: ",", reserved: true}, true
	case '#':
		return operator{first: "#", sep: ",", reserved: true}, true
	case '.':
		return operator{first: ".", sep: "."}, true
	case '/':
		return operator{first: "/", sep: "/"}, true
	case ';':
		return operator{first: ";", sep: ";", named: true}, true
	case '?':
		return operator{first: "?", sep: "&", named: true, empty: "="}, true
	case '&':
		return operator{first: "&", sep: "&", named: true, empty: "="}, true
	}
	return operator{sep: ","}, false
}

// Parse reads a template. The error says what is wrong and with which expression.
func Parse(template string) (*Template, error) {
	if len(template) > MaxTemplate {
		return nil, fmt.Errorf("the template has %d bytes; %d is the most", len(template), MaxTemplate)
	}
	if !utf8.ValidString(template) {
		return nil, errors.New("the template is not UTF-8")
	}
	t := &Template{text: template}
	for rest := template; rest != ""; {
		literal, after, found := strings.Cut(rest, "{")
		if literal != "" {
			p, err := parseLiteral(literal)
			if err != nil {
				return nil, err
			}
			t.parts = append(t.parts, p)
		}
		if !found {
			break
		}
		inside, next, closed := strings.Cut(after, "}")
		if !closed {
			return nil, errors.New("a { without its }")
		}
		p, err := parseExpression(inside)
		if err != nil {
			return nil, fmt.Errorf("{%s}: %w", inside, err)
		}
		t.parts = append(t.parts, p)
		rest = next
	}
	return t, nil
}

// String is the template as it was written.
func (t *Template) String() string { return t.text }

// Variables are the names of the variables in the order of the template. One that
// stands there twice is there twice.
func (t *Template) Variables() []string {
	var names []string
	for _, p := range t.parts {
		for _, v := range p.vars {
			names = append(names, v.name)
		}
	}
	return names
}

// parseLiteral reads what stands between expressions (RFC 6570, section 2.1). The
// apostrophe, which that section leaves out, is a reserved character and taken.
func parseLiteral(text string) (part, error) {
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '}':
			return part{}, errors.New("a } without its {")
		case b == '%' && !isEncoded(text[i:]):
			return part{}, errors.New("a % without two hexadecimal digits behind it")
		case b <= ' ', b == 0x7F, strings.IndexByte("\"<>\\^`|", b) >= 0:
			return part{}, fmt.Errorf("the character %q must be percent-encoded", b)
		}
	}
	return part{literal: string(appendEncoded(nil, text, true))}, nil
}

// parseExpression reads what stands between braces (RFC 6570, section 2.2).
func parseExpression(inside string) (part, error) {
	if inside == "" {
		return part{}, errors.New("it names no variable")
	}
	p := part{text: "{" + inside + "}"}
	o, ok := operators(inside[0])
	p.operator = o
	if ok {
		inside = inside[1:]
	}
	for spec := range strings.SplitSeq(inside, ",") {
		v, err := parseVariable(spec)
		if err != nil {
			return part{}, err
		}
		p.vars = append(p.vars, v)
	}
	return p, nil
}

// parseVariable reads a name and its modifier (RFC 6570, sections 2.3 and 2.4).
func parseVariable(spec string) (variable, error) {
	v := variable{name: spec}
	if name, length, ok := strings.Cut(spec, ":"); ok {
		v.name, v.prefix = name, prefixLength(length)
		if v.prefix == 0 {
			return v, fmt.Errorf("the length in %q must be a number from 1 to 9999 and end the variable", spec)
		}
	} else if name, ok := strings.CutSuffix(spec, "*"); ok {
		v.name, v.explode = name, true
	}
	if !isName(v.name) {
		return v, fmt.Errorf("%q is no name of a variable: letters, digits, _ and percent-encoded characters, with single dots between them", v.name)
	}
	return v, nil
}

// prefixLength is the number that digits stand for, 0 when they are no length.
func prefixLength(digits string) int {
	n := 0
	if len(digits) > 4 || strings.HasPrefix(digits, "0") {
		return 0
	}
	for _, b := range []byte(digits) {
		if b < '0' || b > '9' {
			return 0
		}
		n = n*10 + int(b-'0')
	}
	return n
}

// isName reports whether name is a varname of the RFC.
func isName(name string) bool {
	dot := true // there may be no dot next
	for i := 0; i < len(name); i++ {
		switch b := name[i]; {
		case b == '.':
			if dot {
				return false
			}
			dot = true
			continue
		case b == '%':
			if !isEncoded(name[i:]) {
				return false
			}
			i += 2
		case !isAlphanumeric(b) && b != '_':
			return false
		}
		dot = false
	}
	return !dot
}
