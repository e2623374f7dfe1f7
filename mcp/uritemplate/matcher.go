package uritemplate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Matcher finds the values in uris. It never changes, and may be used by several
// goroutines at once.
type Matcher struct {
	head, tail string // the literals that begin and end the template
	steps      []step // what stands between them
	exact      bool   // there is only the head
	variables  []string
}

// step is a literal or an expression with what may follow its values.
type step struct {
	part
	follow []string // the literal, or the first characters, that may come next
}

// Matcher makes a matcher of the template. The error names an expression whose values
// could not be told from what is around it, and says why; see the comment of the
// package.
func (t *Template) Matcher() (*Matcher, error) {
	m := &Matcher{variables: t.Variables()}
	parts := t.parts
	if len(parts) > 0 && parts[0].vars == nil {
		m.head, parts = parts[0].literal, parts[1:]
	}
	if m.exact = len(parts) == 0; m.exact {
		return m, nil
	}
	if last := len(parts) - 1; parts[last].vars == nil {
		m.tail, parts = parts[last].literal, parts[:last]
	}
	seen := make(map[string]bool)
	for i := range parts {
		s := step{part: parts[i]}
		if s.vars != nil {
			if err := s.checkVariables(seen); err != nil {
				return nil, fmt.Errorf("%s cannot be matched: %w", s.text, err)
			}
			if err := s.addFollow(parts[i+1:]); err != nil {
				return nil, fmt.Errorf("%s cannot be matched: %w", s.text, err)
			}
		}
		m.steps = append(m.steps, s)
	}
	return m, nil
}

// Variables are the names of the variables in the order of the template. The caller must
// not change them.
func (m *Matcher) Variables() []string { return m.variables }

// checkVariables checks what can be seen in the expression alone.
func (s *step) checkVariables(seen map[string]bool) error {
	for i, v := range s.vars {
		switch {
		case seen[v.name]:
			return fmt.Errorf("%s stands twice, so which of two values it has is not defined", v.name)
		case v.prefix > 0:
			return fmt.Errorf("only the beginning of %s is there, and the rest is lost", v.name)
		case s.reserved && (v.explode || len(s.vars) > 1):
			return errors.New("its values may hold the comma that stands between them")
		case v.explode && !s.named && i < len(s.vars)-1:
			return fmt.Errorf("%s takes all values, so none is left for those behind it", v.name)
		}
		seen[v.name] = true
	}
	return nil
}

// addFollow finds what may come behind the expression: the first characters of
// expressions, which may be absent, up to a literal.
func (s *step) addFollow(behind []part) error {
	several := !s.named && s.vars[len(s.vars)-1].explode
	for _, p := range behind {
		next := p.first
		switch {
		case p.vars == nil:
			next = p.literal
		case next == "":
			return fmt.Errorf("%s follows directly, so where one ends and the other begins is not defined", p.text)
		}
		if several && strings.HasPrefix(next, s.sep) {
			return fmt.Errorf("%q follows, which could begin one more of its values", next)
		}
		if p.vars == nil && s.first != "" && strings.HasPrefix(next, s.first) {
			return fmt.Errorf("%q follows, which begins as it does, so whether it is there is not defined", next)
		}
		if !slices.Contains(s.follow, next) {
			s.follow = append(s.follow, next)
		}
		if p.vars == nil {
			break
		}
	}
	return nil
}

// Match finds the values that make the template expand to uri, and reports false when
// there are none. The work grows with the length of uri and no more.
func (m *Matcher) Match(uri string) (Values, bool) {
	rest, ok := strings.CutPrefix(uri, m.head)
	if !ok || m.exact {
		return nil, ok && rest == ""
	}
	rest, ok = strings.CutSuffix(rest, m.tail)
	if !ok {
		return nil, false
	}
	values := make(Values)
	for i := range m.steps {
		s := &m.steps[i]
		switch {
		case s.vars == nil:
			rest, ok = strings.CutPrefix(rest, s.literal)
		case s.named:
			rest, ok = s.matchNamed(rest, values)
		case s.first != "":
			if after, there := strings.CutPrefix(rest, s.first); there {
				rest, ok = s.matchFromLeft(after, values)
			}
		default:
			rest, ok = s.matchAll(rest, values)
		}
		if !ok {
			return nil, false
		}
	}
	if rest != "" {
		return nil, false
	}
	return values, true
}

// matchAll matches an expression without a first character: all of its variables.
func (s *step) matchAll(rest string, values Values) (string, bool) {
	before := len(rest)
	for _, v := range s.vars[:len(s.vars)-1] {
		text, after := s.value(rest, s.sep, nil)
		rest = after
		var there bool
		if rest, there = strings.CutPrefix(rest, s.sep); !there || !values.set(v.name, text) {
			return rest, false
		}
	}
	rest, ok := s.matchLast(rest, values)
	return rest, ok && len(rest) < before
}

// matchFromLeft matches values behind a first character, as many as there are.
func (s *step) matchFromLeft(rest string, values Values) (string, bool) {
	for _, v := range s.vars[:len(s.vars)-1] {
		text, after := s.value(rest, s.sep, s.follow)
		if !values.set(v.name, text) {
			return rest, false
		}
		next, more := strings.CutPrefix(after, s.sep)
		if !more {
			return after, true
		}
		rest = next
	}
	return s.matchLast(rest, values)
}

// matchLast matches the last variable of an expression, which may be a list.
func (s *step) matchLast(rest string, values Values) (string, bool) {
	v := s.vars[len(s.vars)-1]
	if !v.explode {
		text, after := s.value(rest, "", s.follow)
		return after, values.set(v.name, text)
	}
	var members []string
	for {
		text, after := s.value(rest, s.sep, s.follow)
		member, ok := decode(text)
		if !ok {
			return rest, false
		}
		members = append(members, member)
		next, more := strings.CutPrefix(after, s.sep)
		if !more {
			values[v.name] = Value{list, members}
			return after, true
		}
		rest = next
	}
}

// matchNamed matches name=value pairs in the order of the variables, each of which may
// be absent.
func (s *step) matchNamed(rest string, values Values) (string, bool) {
	lead := s.first
	for _, v := range s.vars {
		var members []string
		for {
			text, after, there := s.matchPair(rest, lead, v.name)
			if !there {
				break
			}
			member, ok := decode(text)
			if !ok {
				return rest, false
			}
			members = append(members, member)
			rest, lead = after, s.sep
			if !v.explode {
				break
			}
		}
		switch {
		case members == nil:
		case v.explode:
			values[v.name] = Value{list, members}
		default:
			values[v.name] = Value{text, members}
		}
	}
	return rest, true
}

// matchPair cuts one pair of that name off, if it is there.
func (s *step) matchPair(rest, lead, name string) (value, after string, there bool) {
	after, there = strings.CutPrefix(rest, lead)
	if there {
		after, there = strings.CutPrefix(after, name)
	}
	if !there {
		return "", rest, false
	}
	if behind, ok := strings.CutPrefix(after, "="); ok {
		value, after = s.value(behind, s.sep, s.follow)
		return value, after, value != "" || s.empty != ""
	}
	// Only ; writes an empty value without =. What goes on is a longer name.
	more := after != "" && (isUnreserved(after[0]) || after[0] == '%')
	return "", after, s.empty == "" && !more
}

// value cuts a value off: all characters that the expression can expand to, up to the
// first place where sep, unless it is empty, or one of follow stands.
func (s *step) value(rest, sep string, follow []string) (value, after string) {
	end := 0
	for end < len(rest) && !begins(rest[end:], sep, follow) {
		switch b := rest[end]; {
		case isUnreserved(b), s.reserved && isReserved(b):
			end++
		case isEncoded(rest[end:]):
			end += 3
		default:
			return rest[:end], rest[end:]
		}
	}
	return rest[:end], rest[end:]
}

// begins reports whether sep, unless it is empty, or one of follow begins text.
func begins(text, sep string, follow []string) bool {
	if sep != "" && strings.HasPrefix(text, sep) {
		return true
	}
	for _, next := range follow {
		if strings.HasPrefix(text, next) {
			return true
		}
	}
	return false
}

// set decodes a value and keeps it.
func (v Values) set(name, encoded string) bool {
	plain, ok := decode(encoded)
	if ok {
		v[name] = Text(plain)
	}
	return ok
}
