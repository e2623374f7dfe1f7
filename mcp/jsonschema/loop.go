package jsonschema

import "fmt"

// refuseLoops finds schemas that apply themselves to the same value again. No value could
// ever be checked against them (2020-12 core, section 9.4.1, Guarding Against Infinite
// Recursion). A loop by way of $dynamicRef shows only when a value is checked, and ends
// there at the bound of levels.
func (c *compiler) refuseLoops() error {
	l := loops{state: make(map[*rule]uint8, len(c.rules))}
	for _, r := range c.all {
		if in := l.visit(r); in != nil {
			return fmt.Errorf("at %s: the schema applies itself to the same value again, without end", in.spot)
		}
	}
	return nil
}

// loops is a search in depth. A rule's state is 0, then open while it is on the path,
// then closed.
type loops struct{ state map[*rule]uint8 }

const (
	open   = 1
	closed = 2
)

// visit returns a rule on a loop, nil for none.
func (l *loops) visit(r *rule) *rule {
	switch l.state[r] {
	case open:
		return r
	case closed:
		return nil
	}
	l.state[r] = open
	for next := range r.sameValue {
		if in := l.visit(next); in != nil {
			return in
		}
	}
	l.state[r] = closed
	return nil
}

// sameValue yields the rules that r applies to the value that it is applied to itself.
func (r *rule) sameValue(yield func(*rule) bool) {
	if b := r.branch; b != nil {
		for _, one := range []*rule{b.ref, b.not, b.test, b.then, b.otherwise} {
			if one != nil && !yield(one) {
				return
			}
		}
		for _, list := range [][]*rule{b.all, b.any, b.one} {
			for _, one := range list {
				if !yield(one) {
					return
				}
			}
		}
	}
	if r.object != nil {
		for _, need := range r.object.needs {
			if need.rule != nil && !yield(need.rule) {
				return
			}
		}
	}
}
