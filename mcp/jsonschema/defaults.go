package jsonschema

import (
	"slices"

	"isthmus.internal/jsonrpc"
)

// findDefaults marks the rules from which ApplyDefaults can come to a default.
func (c *compiler) findDefaults() {
	c.settleValues()
	before := map[*rule][]*rule{} // the rules that lead to a rule
	var found []*rule
	for _, r := range c.all {
		for next := range r.towardsDefaults {
			before[next] = append(before[next], r)
		}
		if r.object != nil && slices.ContainsFunc(r.object.known, property.hasDefault) {
			found = append(found, r)
		}
	}
	for len(found) > 0 {
		r := found[len(found)-1]
		found = found[:len(found)-1]
		if !r.hasDefaults {
			r.hasDefaults = true
			found = append(found, before[r]...)
		}
	}
}

// settleValues gives rules without a default that of the rule which they refer to, so
// that nobody has to follow a chain of references for each value. No chain is a loop.
func (c *compiler) settleValues() {
	settled := map[*rule]bool{}
	for _, r := range c.all {
		var chain []*rule
		for !settled[r] {
			settled[r] = true
			if r.value != nil || r.branch == nil || r.branch.ref == nil {
				break
			}
			chain = append(chain, r)
			r = r.branch.ref
		}
		for _, before := range chain {
			before.value = r.value
		}
	}
}

func (p property) hasDefault() bool { return p.rule != nil && p.rule.value != nil }

// towardsDefaults yields the rules that ApplyDefaults goes to from r.
func (r *rule) towardsDefaults(yield func(*rule) bool) {
	if b := r.branch; b != nil {
		if b.ref != nil && !yield(b.ref) {
			return
		}
		for _, one := range b.all {
			if !yield(one) {
				return
			}
		}
	}
	if r.object != nil {
		for _, p := range r.object.known {
			if p.rule != nil && !yield(p.rule) {
				return
			}
		}
	}
	if r.array != nil {
		for _, one := range append(slices.Clone(r.array.prefix), r.array.items) {
			if one != nil && !yield(one) {
				return
			}
		}
	}
}

// ApplyDefaults adds the members of objects that are absent and have a default in
// properties. It goes on inside members and elements that are there, by properties,
// items, prefixItems, $ref and allOf; what stands under a condition or an alternative adds
// nothing, and neither does a member that has two different defaults. What is there stays
// as it is, to the byte. When nothing is added, the result is v itself.
//
// The result need not fit the schema: defaults are annotations, and nobody has checked
// them (2020-12 validation, section 9.2). A default that is added is added as it stands:
// nothing is added inside it. Where all of it would exceed MaxWork of [Options], the
// error is an [*Error]: whoever went on without would take a value for another one than the
// schema promises. A v that is not one JSON value comes back as it is.
func (s *Schema) ApplyDefaults(v jsonrpc.Raw) (jsonrpc.Raw, error) {
	if !s.root.hasDefaults {
		return v, nil
	}
	r := s.newRun()
	defer s.endRun(r)
	if r.load(v) != nil {
		return v, nil
	}
	var d defaults
	d.run = r
	d.visit([]*rule{s.root}, 0)
	switch {
	case r.work < 0:
		return nil, r.beyond()
	case d.added == nil:
		return v, nil
	}
	out := make([]byte, 0, len(v)+d.bytes)
	from := int32(0)
	for _, a := range d.added {
		out = append(append(out, v[from:a.at]...), a.text...)
		from = a.at
	}
	return append(out, v[from:]...), nil
}

// defaults is one call of ApplyDefaults.
type defaults struct {
	*run
	added []addition // in the order of the text
	bytes int
}

type addition struct {
	at   int32
	text []byte
}

// visit adds what the rules together say about the value i.
func (d *defaults) visit(rules []*rule, i int32) {
	all := d.together(rules)
	if len(all) == 0 || !d.spend(len(all)) {
		return
	}
	switch n := &d.tape.nodes[i]; n.kind {
	case jsonrpc.KindObject:
		d.visitObject(all, i)
	case jsonrpc.KindArray:
		for c, k := i+1, 0; c < n.next; c, k = d.tape.nodes[c].next, k+1 {
			var inner []*rule
			for _, r := range all {
				if r.array == nil {
					continue
				}
				rule := r.array.items
				if k < len(r.array.prefix) {
					rule = r.array.prefix[k]
				}
				inner = append(inner, rule)
			}
			d.visit(inner, c)
		}
	}
}

// together are rules and what they lead to by $ref and allOf, as far as there are
// defaults behind them, each once.
func (d *defaults) together(rules []*rule) []*rule {
	var all []*rule
	var many map[*rule]bool // all, once they are many
	var add func(r *rule)
	add = func(r *rule) {
		if r == nil || !r.hasDefaults || many[r] || many == nil && slices.Contains(all, r) || !d.spend(1) {
			return
		}
		if all = append(all, r); len(all) == manyMembers {
			many = map[*rule]bool{}
			for _, known := range all {
				many[known] = true
			}
		} else if many != nil {
			many[r] = true
		}
		if r.branch != nil {
			add(r.branch.ref)
			for _, one := range r.branch.all {
				add(one)
			}
		}
	}
	for _, r := range rules {
		add(r)
	}
	return all
}

func (d *defaults) visitObject(all []*rule, i int32) {
	n := &d.tape.nodes[i]
	for c := i + 1; c < n.next; c = d.tape.nodes[c].next {
		var inner []*rule
		for _, r := range all {
			if r.object == nil {
				continue
			}
			if at := r.object.find(d.tape.nameOf(c), 0); at >= 0 {
				inner = append(inner, r.object.known[at].rule)
			}
		}
		d.visit(inner, c)
	}
	for _, r := range all {
		if r.object != nil && !d.spend(len(r.object.known)) {
			return
		}
	}
	empty := n.count == 0
	for _, p := range absentDefaults(all) {
		if d.tape.member(i, p.name) >= 0 || !d.spend(1+int(n.count)/8) {
			continue
		}
		var text []byte
		if !empty {
			text = append(text, ',')
		}
		empty = false
		text = append(jsonrpc.AppendString(text, p.name), ':')
		text = append(text, p.value...)
		if !d.spend(len(text)) {
			return
		}
		d.added = append(d.added, addition{at: n.end - 1, text: text})
		d.bytes += len(text)
	}
}

// namedDefault is a default that one name has. A nil value is more than one.
type namedDefault struct {
	name  string
	value jsonrpc.Raw
}

// absentDefaults are the defaults that the rules agree on, in the order of the schema.
func absentDefaults(all []*rule) []namedDefault {
	var list []namedDefault
	at := map[string]int{} // in list
	for _, r := range all {
		if r.object == nil {
			continue
		}
		for _, p := range r.object.known {
			if !p.hasDefault() {
				continue
			}
			value := p.rule.value
			known, twice := at[p.name]
			switch {
			case !twice:
				at[p.name] = len(list)
				list = append(list, namedDefault{p.name, value})
			case string(list[known].value) != string(value):
				list[known].value = nil
			}
		}
	}
	return slices.DeleteFunc(list, func(d namedDefault) bool { return d.value == nil })
}
