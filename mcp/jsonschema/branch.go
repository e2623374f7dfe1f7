package jsonschema

import "isthmus.internal/jsonrpc"

// checkScoped keeps the dynamic scope around checkWhole. Only rules of a schema that has
// a $dynamicRef know their resource.
func (r *run) checkScoped(s *rule, i int32, m marks) bool {
	n := len(r.scope)
	if s.resource != nil && (n == 0 || r.scope[n-1] != s.resource) {
		r.scope = append(r.scope, s.resource)
	}
	r.level++
	ok := r.checkWhole(s, i, m)
	r.level--
	r.scope = r.scope[:n]
	return ok
}

// checkWhole is about a rule that applies others to the same value, or asks what has
// been evaluated of it.
func (r *run) checkWhole(s *rule, i int32, m marks) bool {
	if s.unevaluatedItems == nil && s.unevaluatedProperties == nil {
		return r.checkKind(s, i, m) && (s.branch == nil || r.checkBranches(s.branch, i, m))
	}
	own := r.newMarks(r.tape.nodes[i].count)
	ok := r.checkKind(s, i, own) && (s.branch == nil || r.checkBranches(s.branch, i, own))
	if rest := s.unevaluated(r.tape.nodes[i].kind); ok && rest != nil {
		ok = r.checkRest(rest, i, own)
	}
	if ok {
		m.add(own)
	}
	r.freeMarks(own)
	return ok
}

// unevaluated is the rule for what nothing else has evaluated in a value of a kind.
func (s *rule) unevaluated(kind jsonrpc.Kind) *rule {
	switch kind {
	case jsonrpc.KindArray:
		return s.unevaluatedItems
	case jsonrpc.KindObject:
		return s.unevaluatedProperties
	}
	return nil
}

// checkRest applies rest to what is not marked, and marks it.
func (r *run) checkRest(rest *rule, i int32, own marks) bool {
	end := r.tape.nodes[i].next
	for c, k := i+1, 0; c < end; c, k = r.tape.nodes[c].next, k+1 {
		if !own[k] && !r.check(rest, c, nil) {
			return false
		}
		own[k] = true
	}
	return true
}

// checkBranches is about $ref and the keywords that combine rules.
func (r *run) checkBranches(s *branchRule, i int32, m marks) bool {
	if s.ref != nil && !r.check(s.ref, i, m) {
		return false
	}
	if s.dynamic != nil && !r.check(r.resolve(s.dynamic), i, m) {
		return false
	}
	for _, rule := range s.all {
		if !r.check(rule, i, m) {
			return false
		}
	}
	if s.any != nil && !r.checkAny(s.any, i, m) {
		return false
	}
	if s.one != nil && !r.checkOne(s.one, i, m) {
		return false
	}
	if s.not != nil && r.check(s.not, i, nil) {
		return false
	}
	if s.test != nil {
		next := s.otherwise
		if r.checkApart(s.test, i, m) {
			next = s.then
		}
		return next == nil || r.check(next, i, m)
	}
	return true
}

// checkApart checks s with marks of its own, which m gets only if the value fits.
func (r *run) checkApart(s *rule, i int32, m marks) bool {
	if m == nil {
		return r.check(s, i, nil)
	}
	own := r.newMarks(r.tape.nodes[i].count)
	ok := r.check(s, i, own)
	if ok {
		m.add(own)
	}
	r.freeMarks(own)
	return ok
}

// checkAny stops at the first rule that fits, unless marks are wanted: those of every
// rule that fits count (2020-12 core, section 10.2.1.2).
func (r *run) checkAny(rules []*rule, i int32, m marks) bool {
	ok := false
	for _, rule := range rules {
		if r.checkApart(rule, i, m) {
			if ok = true; m == nil {
				return true
			}
		}
	}
	return ok
}

// checkOne stops at the second rule that fits.
func (r *run) checkOne(rules []*rule, i int32, m marks) bool {
	fits := 0
	for _, rule := range rules {
		if r.checkApart(rule, i, m) {
			if fits++; fits > 1 {
				return false
			}
		}
	}
	return fits == 1
}
