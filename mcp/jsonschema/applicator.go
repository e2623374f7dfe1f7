package jsonschema

import (
	"fmt"

	"isthmus.internal/jsonrpc"
)

// applicator reads a keyword that applies schemas (2020-12 core, section 10), and reports
// whether name is one.
func (k *keywords) applicator(name string, s spot) (done bool, err error) {
	switch name {
	case "properties":
		return true, k.readProperties(s)
	case "patternProperties":
		return true, k.readPatternProperties(s)
	case "additionalProperties":
		return true, k.schema(s, &k.object().others)
	case "propertyNames":
		return true, k.schema(s, &k.object().names)
	case "dependencies":
		return true, k.readDependencies(s)
	case "items":
		return true, k.readItems(s)
	case "contains":
		return true, k.schema(s, &k.array().contains)
	case "allOf":
		return true, k.schemas(s, &k.branch().all)
	case "anyOf":
		return true, k.schemas(s, &k.branch().any)
	case "oneOf":
		return true, k.schemas(s, &k.branch().one)
	case "not":
		return true, k.schema(s, &k.branch().not)
	case "if":
		return true, k.schema(s, &k.branch().test)
	case "then":
		return true, k.schema(s, &k.branch().then)
	case "else":
		return true, k.schema(s, &k.branch().otherwise)
	}
	if k.dialect.draft7 {
		return false, nil
	}
	switch name {
	case "prefixItems":
		return true, k.schemas(s, &k.array().prefix)
	case "dependentSchemas":
		return true, k.readDependentSchemas(s)
	}
	return false, nil
}

func (k *keywords) branch() *branchRule {
	if k.rule.branch == nil {
		k.rule.branch = &branchRule{}
	}
	return k.rule.branch
}

func (k *keywords) array() *arrayRule {
	if k.rule.array == nil {
		k.rule.array = &arrayRule{max: -1, minContains: 1, maxContains: -1}
	}
	return k.rule.array
}

func (k *keywords) object() *objectRule {
	if k.rule.object == nil {
		k.rule.object = &objectRule{max: -1}
	}
	return k.rule.object
}

// property is the entry of a name, made if it is new.
func (k *keywords) property(name string) *property {
	o := k.object()
	if o.index == nil {
		o.index = map[string]int{}
	}
	at, ok := o.index[name]
	if !ok {
		at = len(o.known)
		o.index[name] = at
		o.known = append(o.known, property{name: name})
	}
	return &o.known[at]
}

// readReference reads $ref and $dynamicRef.
func (k *keywords) readReference(s spot) error {
	reference, ok := s.text()
	if !ok {
		return wrong(s, "a URI reference")
	}
	target, anchor, err := k.resolve(k.home, reference)
	if err != nil {
		return fmt.Errorf("at %s: %w", s, err)
	}
	rule := k.compiler.rule(target)
	if s.name() == "$ref" {
		k.branch().ref = rule
		return nil
	}
	d := &dynamicRef{rule: rule}
	if _, dynamic := k.homes[target].dynamic[anchor]; dynamic && anchor != "" {
		d.anchor = anchor
	}
	k.branch().dynamic = d
	k.dynamic = true
	return nil
}

func (k *keywords) readProperties(s spot) error {
	if s.kind() != jsonrpc.KindObject {
		return wrong(s, "an object of schemas")
	}
	for member := range s.inside {
		k.property(member.name()).rule = k.compiler.rule(member)
	}
	return nil
}

func (k *keywords) readPatternProperties(s spot) error {
	if s.kind() != jsonrpc.KindObject {
		return wrong(s, "an object of schemas by regular expressions")
	}
	for member := range s.inside {
		p, err := k.pattern(member.name(), member)
		if err != nil {
			return err
		}
		o := k.object()
		o.patterns = append(o.patterns, patternProperty{p, k.compiler.rule(member)})
	}
	return nil
}

// readItems reads items, and in draft-07 the list that is prefixItems now.
func (k *keywords) readItems(s spot) error {
	a := k.array()
	a.itemsKeyword = "items"
	if !k.dialect.draft7 {
		if s.kind() == jsonrpc.KindArray {
			return wrong(s, "one schema (a list of schemas is prefixItems in this dialect)")
		}
		return k.schema(s, &a.items)
	}
	if s.kind() != jsonrpc.KindArray {
		return k.schema(s, &a.items)
	}
	for element := range s.inside {
		a.prefix = append(a.prefix, k.compiler.rule(element))
	}
	if more, ok := k.rule.member("additionalItems"); ok {
		a.itemsKeyword = "additionalItems"
		return k.schema(more, &a.items)
	}
	return nil
}

func (k *keywords) readDependentSchemas(s spot) error {
	if s.kind() != jsonrpc.KindObject {
		return wrong(s, "an object of schemas")
	}
	for member := range s.inside {
		k.addDependency(member, nil, k.compiler.rule(member))
	}
	return nil
}

func (k *keywords) readDependentRequired(s spot) error {
	if s.kind() != jsonrpc.KindObject {
		return wrong(s, "an object of lists of names")
	}
	for member := range s.inside {
		names, err := readNames(member)
		if err != nil {
			return err
		}
		k.addDependency(member, names, nil)
	}
	return nil
}

// readDependencies reads the keyword that was split into the two above. Draft 2020-12
// does not have it, but schemas that name no dialect do, and mean it.
func (k *keywords) readDependencies(s spot) error {
	if s.kind() != jsonrpc.KindObject {
		return wrong(s, "an object of schemas or lists of names")
	}
	for member := range s.inside {
		if member.kind() != jsonrpc.KindArray {
			k.addDependency(member, nil, k.compiler.rule(member))
			continue
		}
		names, err := readNames(member)
		if err != nil {
			return err
		}
		k.addDependency(member, names, nil)
	}
	return nil
}

func (k *keywords) addDependency(member spot, names []string, r *rule) {
	o := k.object()
	o.needs = append(o.needs, dependency{spot: member, name: member.name(), required: names, rule: r})
}

// readNames reads a list of names.
func readNames(s spot) ([]string, error) {
	if s.kind() != jsonrpc.KindArray {
		return nil, wrong(s, "a list of names")
	}
	names := []string{}
	for element := range s.inside {
		name, ok := element.text()
		if !ok {
			return nil, wrong(element, "a name")
		}
		names = append(names, name)
	}
	return names, nil
}
