package jsonschema

// checkArray is about the keywords for arrays. The array is walked once, and once more
// for contains and uniqueItems.
func (r *run) checkArray(s *arrayRule, i int32, m marks) bool {
	count := int(r.tape.nodes[i].count)
	if !r.spend(count/4) || count < s.min || s.max >= 0 && count > s.max {
		return false
	}
	if len(s.prefix) > 0 || s.items != nil {
		end := r.tape.nodes[i].next
		for c, k := i+1, 0; c < end; c, k = r.tape.nodes[c].next, k+1 {
			rule := s.items
			if k < len(s.prefix) {
				rule = s.prefix[k]
			}
			if rule == nil {
				break
			}
			if !r.check(rule, c, nil) {
				return false
			}
			m.set(k)
		}
	}
	if s.contains != nil && r.checkContains(s, i, m) != "" {
		return false
	}
	if s.unique && count > 1 {
		if a, _ := r.findTwins(i); a >= 0 {
			return false
		}
	}
	return true
}

// checkContains returns the keyword that the array i does not satisfy, "" for none.
// What contains matches counts as evaluated (2020-12 core, section 10.3.1.3).
func (r *run) checkContains(s *arrayRule, i int32, m marks) string {
	found := 0
	end := r.tape.nodes[i].next
	for c, k := i+1, 0; c < end; c, k = r.tape.nodes[c].next, k+1 {
		if !r.check(s.contains, c, nil) {
			continue
		}
		m.set(k)
		if found++; s.maxContains >= 0 && found > s.maxContains {
			return "maxContains"
		}
	}
	switch {
	case found >= s.minContains:
		return ""
	case s.minContains == 1:
		return "contains"
	}
	return "minContains"
}
