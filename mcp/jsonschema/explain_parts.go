package jsonschema

import (
	"fmt"
	"slices"
)

func (x *explainer) explainArray(s *rule, i int32) {
	a, n := s.array, x.tape.nodes[i]
	if !x.spend(int(n.count) / 4) {
		return
	}
	if int(n.count) < a.min || a.max >= 0 && int(n.count) > a.max {
		keyword := "maxItems"
		if int(n.count) < a.min {
			keyword = "minItems"
		}
		x.add(s, keyword, i, describeCount(a.min, a.max, "element", "elements", "an array of "),
			"an array of "+counted(n.count, "element", "elements"))
	}
	for c, k := i+1, 0; c < n.next; c, k = x.tape.nodes[c].next, k+1 {
		rule := a.items
		if k < len(a.prefix) {
			rule = a.prefix[k]
		}
		if rule == nil {
			break
		}
		if rule.verdict == never && k >= len(a.prefix) {
			x.add(s, a.itemsKeyword, i, "an array of at most "+counted(int32(len(a.prefix)), "element", "elements"),
				"an array of "+counted(n.count, "element", "elements"))
			break
		}
		if !x.fits(rule, c) {
			x.explain(rule, c)
		}
	}
	if a.contains != nil {
		x.explainContains(s, i)
	}
	if a.unique && n.count > 1 {
		if first, second := x.findTwins(i); first >= 0 {
			x.add(s, "uniqueItems", i, "an array without equal elements",
				fmt.Sprintf("an array in which the elements %d and %d are equal", first, second))
		}
	}
}

func (x *explainer) explainContains(s *rule, i int32) {
	a, keyword := s.array, x.checkContains(s.array, i, nil)
	if keyword == "" || x.work < 0 {
		return
	}
	wanted := describeCount(a.minContains, a.maxContains, "element", "elements", "an array with ")
	x.add(s, keyword, i, wanted+" of this form: "+describe(a.contains), x.shown(i))
}

// describe says in short what a rule wants.
func describe(s *rule) string {
	switch {
	case s.types != 0:
		return describeTypes(s.types)
	case s.values != nil:
		return describeChoices(s.values)
	case s.verdict == never:
		return "nothing at all"
	}
	return clipped(oneLine(compact(s.raw())), longestValue)
}

func (x *explainer) explainObject(s *rule, i int32) {
	o, n := s.object, x.tape.nodes[i]
	if !x.spend(int(n.count)/4 + len(o.known)/4) {
		return
	}
	x.missingMembers(s, "required", i, requiredNames(o), "")
	if int(n.count) < o.min || o.max >= 0 && int(n.count) > o.max {
		keyword := "maxProperties"
		if int(n.count) < o.min {
			keyword = "minProperties"
		}
		x.add(s, keyword, i, describeCount(o.min, o.max, "member", "members", "an object of "),
			"an object of "+counted(n.count, "member", "members"))
	}
	var unknown []int32
	for c := i + 1; c < n.next; c = x.tape.nodes[c].next {
		if !x.explainMember(s, c) {
			unknown = append(unknown, c)
		}
	}
	if len(unknown) > 0 {
		x.unknownMembers(s, "additionalProperties", i, unknown, s.names())
	}
	for _, need := range o.needs {
		if x.tape.member(i, need.name) < 0 {
			continue
		}
		x.missingMembers(&rule{spot: need.spot}, "", i, need.required, " beside "+quoted(need.name))
		if need.rule != nil && !x.fits(need.rule, i) {
			x.explain(need.rule, i)
		}
	}
}

func requiredNames(o *objectRule) []string {
	var names []string
	for _, p := range o.known {
		if p.required {
			names = append(names, p.name)
		}
	}
	return names
}

// explainMember is about the member c. It is false when the object must not have it.
func (x *explainer) explainMember(s *rule, c int32) bool {
	o, name := s.object, x.tape.nameOf(c)
	var rules []*rule
	if at := o.find(name, 0); at >= 0 && o.known[at].rule != nil {
		rules = append(rules, o.known[at].rule)
	}
	for _, p := range o.patterns {
		if x.matches(p.pattern, name) {
			rules = append(rules, p.rule)
		}
	}
	if o.names != nil && !x.checkName(o.names, c) && x.work >= 0 {
		x.add(s, "propertyNames", c, "a name of this form: "+describe(o.names), "the name "+quoted(string(name)))
	}
	if len(rules) == 0 && o.others != nil {
		if o.others.verdict == never {
			return false
		}
		rules = append(rules, o.others)
	}
	for _, rule := range rules {
		if !x.fits(rule, c) {
			x.explain(rule, c)
		}
	}
	return true
}

// missingMembers names all members that are missing.
func (x *explainer) missingMembers(s *rule, keyword string, i int32, names []string, why string) {
	var missing []string
	for _, name := range x.absent(i, names) {
		if len(missing) <= manyShown {
			missing = append(missing, quoted(name))
		}
	}
	switch len(missing) {
	case 0:
		return
	case 1:
		x.add(s, keyword, i, "the required member "+missing[0]+why, x.shownMembers(i))
	default:
		x.add(s, keyword, i, "the required members "+listed(missing, " and ")+why, x.shownMembers(i))
	}
}

// absent are those of names that no member of the object i has.
func (x *explainer) absent(i int32, names []string) []string {
	n := x.tape.nodes[i]
	has := func(name string) bool { return x.tape.member(i, name) >= 0 }
	if len(names) > 1 && n.count > manyMembers {
		there := make(map[string]bool, n.count)
		for c := i + 1; c < n.next; c = x.tape.nodes[c].next {
			there[string(x.tape.nameOf(c))] = true
		}
		has = func(name string) bool { return there[name] }
	}
	var absent []string
	for _, name := range names {
		if !has(name) {
			absent = append(absent, name)
		}
	}
	return absent
}

// shownMembers is the object i by its names.
func (x *explainer) shownMembers(i int32) string {
	var names []string
	for c := i + 1; c < x.tape.nodes[i].next && len(names) < manyShown; c = x.tape.nodes[c].next {
		names = append(names, quoted(string(x.tape.nameOf(c))))
	}
	if more := int(x.tape.nodes[i].count) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	switch len(names) {
	case 0:
		return "an empty object"
	case 1:
		return "an object with only " + names[0]
	}
	return "an object with " + listed(names, " and ")
}

// unknownMembers names all members that must not be there, and what may have been meant.
func (x *explainer) unknownMembers(s *rule, keyword string, i int32, unknown []int32, known []string) {
	var list []string
	absent := x.absent(i, known)
	for _, c := range unknown[:min(len(unknown), manyShown)] {
		name := string(x.tape.nameOf(c))
		text := quoted(name)
		if near := x.nearest(name, absent); near != "" {
			text += " (did you mean " + quoted(near) + "?)"
		}
		list = append(list, text)
	}
	if more := len(unknown) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	word := "the unknown member "
	if len(unknown) > 1 {
		word = "the unknown members "
	}
	x.add(s, keyword, i, allowed(known), word+listed(list, " and "))
}

// allowed says which members an object may have.
func allowed(known []string) string {
	if len(known) == 0 {
		return "an object without such members"
	}
	var names []string
	for _, name := range known[:min(len(known), manyShown)] {
		names = append(names, quoted(name))
	}
	if more := len(known) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if len(names) == 1 {
		return "no other member than " + names[0]
	}
	return "no other members than " + listed(names, " and ")
}

// names are the members that s knows for the object that it is applied to.
func (s *rule) names() []string {
	var names []string
	seen := map[*rule]bool{}
	var add func(r *rule)
	add = func(r *rule) {
		if seen[r] {
			return
		}
		seen[r] = true
		if r.object != nil {
			for _, p := range r.object.known {
				if p.rule != nil && p.rule.verdict != never && !slices.Contains(names, p.name) {
					names = append(names, p.name)
				}
			}
		}
		r.sameValue(func(next *rule) bool { add(next); return len(names) < 1000 })
	}
	if s.object != nil && s.object.others != nil && s.object.others.verdict == never {
		seen[s] = true // additionalProperties knows only what stands beside it
		for _, p := range s.object.known {
			if p.rule != nil && p.rule.verdict != never {
				names = append(names, p.name)
			}
		}
		return names
	}
	add(s)
	return names
}
