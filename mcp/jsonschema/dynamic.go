package jsonschema

// dynamicRef is a $dynamicRef. Without an anchor it is like $ref, since what it leads to
// statically is no $dynamicAnchor (2020-12 core, section 8.2.3.2).
type dynamicRef struct {
	rule   *rule
	anchor string
}

// resolve finds the rule that d means here: that of the outermost resource in the dynamic
// scope which has the anchor.
func (r *run) resolve(d *dynamicRef) *rule {
	if d.anchor != "" {
		for _, res := range r.scope {
			if rule := res.dynamic[d.anchor]; rule != nil {
				return rule
			}
		}
	}
	return d.rule
}
