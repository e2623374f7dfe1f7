package jsonschema

import (
	"slices"

	"isthmus.internal/jsonrpc"
)

// checkObject is about the keywords for objects. The members are walked once.
func (r *run) checkObject(s *objectRule, i int32, m marks) bool {
	count := int(r.tape.nodes[i].count)
	if !r.spend(count/4) || count < s.min || s.max >= 0 && count > s.max {
		return false
	}
	required, hint := 0, 0
	end := r.tape.nodes[i].next
	for c, k := i+1, 0; c < end; c, k = r.tape.nodes[c].next, k+1 {
		name := r.tape.nameOf(c)
		if len(name) > longestName && !r.spend(len(name)/16) {
			return false
		}
		at := s.find(name, hint)
		if at >= 0 {
			hint = at + 1
			if s.known[at].required {
				required++
			}
		}
		if !r.checkMember(s, at, c, k, m) {
			return false
		}
	}
	if required < s.required {
		return false
	}
	for d := range s.needs {
		if need := &s.needs[d]; r.spend(1+count/8) && r.tape.member(i, need.name) >= 0 {
			if r.missing(i, need.required) || need.rule != nil && !r.check(need.rule, i, m) {
				return false
			}
		}
	}
	return true
}

// checkMember is about the member c, the k-th of its object, whose name is known[at].
func (r *run) checkMember(s *objectRule, at int, c int32, k int, m marks) bool {
	evaluated := false
	if at >= 0 && s.known[at].rule != nil {
		if !r.check(s.known[at].rule, c, nil) {
			return false
		}
		evaluated = true
	}
	for p := range s.patterns {
		if r.matches(s.patterns[p].pattern, r.tape.nameOf(c)) {
			if !r.check(s.patterns[p].rule, c, nil) {
				return false
			}
			evaluated = true
		}
	}
	if !evaluated && s.others != nil {
		if !r.check(s.others, c, nil) {
			return false
		}
		evaluated = true
	}
	if evaluated {
		m.set(k)
	}
	return s.names == nil || r.checkName(s.names, c)
}

// missing reports whether the object i lacks one of names.
func (r *run) missing(i int32, names []string) bool {
	for _, name := range names {
		if !r.spend(1+int(r.tape.nodes[i].count)/8) || r.tape.member(i, name) < 0 {
			return true
		}
	}
	return false
}

// checkName is about propertyNames: the name of the member c is checked as the string
// that it is.
func (r *run) checkName(s *rule, c int32) bool {
	n := r.tape.nodes[c]
	if n.nameEscaped || r.met != nil { // met must not take one name for another
		return r.checkNameApart(s, c)
	}
	at := int32(len(r.tape.nodes))
	r.tape.nodes = append(r.tape.nodes, node{start: n.name - 1, end: n.nameTo + 1, next: at + 1, kind: jsonrpc.KindString})
	ok := r.check(s, at, nil)
	r.tape.nodes = r.tape.nodes[:at]
	return ok
}

// checkNameApart writes the name as a text of its own.
func (r *run) checkNameApart(s *rule, c int32) bool {
	inner := &run{schema: r.schema, work: r.work, level: r.level, scope: slices.Clone(r.scope)}
	if inner.tape.read(jsonrpc.AppendStringBytes(nil, r.tape.nameOf(c)), 1) != nil {
		return false
	}
	ok := inner.check(s, 0, nil)
	r.work = inner.work
	return ok
}
