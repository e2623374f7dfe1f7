package jsonschema

import (
	"fmt"
	"slices"
	"strings"
)

// explainBranches is about $ref and the keywords that combine rules.
func (x *explainer) explainBranches(s *rule, i int32) {
	b := s.branch
	var all []*rule
	if b.ref != nil {
		all = append(all, b.ref)
	}
	if b.dynamic != nil {
		all = append(all, x.resolve(b.dynamic))
	}
	for _, rule := range append(all, b.all...) {
		if !x.fits(rule, i) {
			x.explain(rule, i)
		}
	}
	if b.any != nil && !x.checkAny(b.any, i, nil) && x.work >= 0 {
		x.explainNone(s, "anyOf", b.any, i)
	}
	if b.one != nil {
		x.explainOne(s, i)
	}
	if b.not != nil && x.check(b.not, i, nil) && x.work >= 0 {
		x.add(s, "not", i, "anything but "+describe(b.not), x.shown(i))
	}
	if b.test != nil {
		next := b.otherwise
		if x.check(b.test, i, nil) {
			next = b.then
		}
		if next != nil && !x.fits(next, i) {
			x.explain(next, i)
		}
	}
}

func (x *explainer) explainOne(s *rule, i int32) {
	var fitting []string
	for k, rule := range s.branch.one {
		if x.check(rule, i, nil) {
			fitting = append(fitting, fmt.Sprint(k))
		}
	}
	switch {
	case x.work < 0 || len(fitting) == 1:
	case len(fitting) == 0:
		x.explainNone(s, "oneOf", s.branch.one, i)
	default:
		x.add(s, "oneOf", i, "a value that fits exactly one of the alternatives",
			x.shown(i)+", which fits the alternatives "+listed(fitting, " and "))
	}
}

// explainNone is about alternatives of which none fits. When none takes this kind of value,
// the kinds are named. Otherwise, of those that take it, the one that comes closest is
// explained ([closer]).
func (x *explainer) explainNone(s *rule, keyword string, rules []*rule, i int32) {
	var near []*rule // those that want this kind of value
	var wanted []string
	for _, rule := range rules {
		if w := wants(rule); w != "" && !slices.Contains(wanted, w) {
			wanted = append(wanted, w)
		}
		if x.takesKind(rule, i) {
			near = append(near, rule)
		}
	}
	if len(near) == 0 && len(wanted) > 0 {
		x.add(s, keyword, i, strings.Join(wanted[:min(len(wanted), manyShown)], " or "), x.shown(i))
		return
	}
	if len(near) == 0 {
		near = rules
	}
	if best := x.closest(near, i); len(best) > 0 {
		for _, fault := range best {
			if len(x.faults) < maxFaults {
				x.faults = append(x.faults, fault)
			}
		}
		return
	}
	x.add(s, keyword, i, "a value that fits one of the alternatives", x.shown(i))
}

// wants says in short what kind of value, or which values, a rule wants; "" when it says
// neither at once.
func wants(s *rule) string {
	for range 8 {
		switch {
		case s.values != nil:
			return describeChoices(s.values)
		case s.types != 0:
			return describeTypes(s.types)
		case s.branch == nil || s.branch.ref == nil:
			return ""
		}
		s = s.branch.ref
	}
	return ""
}

// takesKind reports whether the type and the choices of s take the value i.
func (x *explainer) takesKind(s *rule, i int32) bool {
	for range 8 {
		if s.verdict == never || s.types != 0 && !x.hasType(s.types, i) || s.values != nil && !x.checkValues(s.values, i) {
			return false
		}
		if s.branch == nil || s.branch.ref == nil {
			return true
		}
		s = s.branch.ref
	}
	return true
}

// closest returns the faults of the alternative that the value i comes closest to.
func (x *explainer) closest(rules []*rule, i int32) []*Error {
	var best []*Error
	for _, rule := range rules[:min(len(rules), manyShown)] {
		inner := explainer{run: x.run, looks: x.looks, guesses: x.guesses}
		inner.explain(rule, i)
		if len(inner.faults) > 0 && (best == nil || closer(inner.faults, best)) {
			best = inner.faults
		}
	}
	return best
}

// closer compares the faults of two alternatives. A fault in what tells the alternatives
// apart, a const, counts most: the value was meant for another one.
func closer(a, b []*Error) bool {
	if x, y := discriminating(a), discriminating(b); x != y {
		return x < y
	}
	return len(a) < len(b)
}

// discriminating is how many of the faults are about a const or enum.
func discriminating(faults []*Error) int {
	n := 0
	for _, e := range faults {
		if strings.HasSuffix(e.SchemaPath, "/const") || strings.HasSuffix(e.SchemaPath, "/enum") {
			n++
		}
	}
	return n
}
