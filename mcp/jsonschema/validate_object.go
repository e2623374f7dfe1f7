package jsonschema

// checkObject is about the keywords for objects. The members are walked once.
func (r *run) checkObject(s *objectRule, i int32, m marks) bool {
	count := int(r.tape.nodes[i].count)
	if !r.spend(count/4) || count < s.min || s.max >= 0 && count > s.max {
		return false
	}
	required, hint := 0, 0
	end := r.tape.nodes[i].next
	for c, k := i+1, 0; c < end; c, k = r.tape.nodes[c].next, k+1 {
		at := s.find(r.tape.nameOf(c), hint)
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
