package jsonschema

import (
	"fmt"
	"iter"

	"isthmus.internal/jsonrpc"
)

// keywords reads the keywords of one schema object into a rule.
type keywords struct {
	*compiler
	rule    *rule
	home    *resource
	dialect *dialect
}

// read reads all members. A keyword of a vocabulary that the dialect does not have, and
// any other name, means nothing.
func (k *keywords) read() error {
	if ref, ok := k.rule.member("$ref"); ok && k.dialect.draft7 {
		return k.readReference(ref) // the rest is not there (draft-07 core, section 8.3)
	}
	for member := range k.rule.inside {
		if err := k.keyword(member.name(), member); err != nil {
			return err
		}
	}
	k.combine()
	return nil
}

// keyword reads one member, by the vocabulary that its name is of.
func (k *keywords) keyword(name string, s spot) error {
	knows := k.dialect.knows
	switch {
	case name == "$ref" || name == "$dynamicRef" && !k.dialect.draft7:
		return k.readReference(s)
	case name == "default":
		var err error
		k.rule.value, err = jsonrpc.AppendCompact(nil, s.raw())
		return err
	case name == "format":
		return k.readFormat(s)
	case name == "$defs" || name == "definitions":
		if s.kind() != jsonrpc.KindObject {
			return wrong(s, "an object of schemas")
		}
	case knows&vocabularyUnevaluated != 0 && name == "unevaluatedItems":
		return k.schema(s, &k.rule.unevaluatedItems)
	case knows&vocabularyUnevaluated != 0 && name == "unevaluatedProperties":
		return k.schema(s, &k.rule.unevaluatedProperties)
	}
	if knows&vocabularyApplicator != 0 {
		if done, err := k.applicator(name, s); done || err != nil {
			return err
		}
	}
	if knows&vocabularyValidation != 0 {
		return k.assertion(name, s)
	}
	return nil
}

// wrong is the error for a keyword with a value that it cannot have.
func wrong(s spot, expected string) error {
	return fmt.Errorf("at %s: expected %s, got %s", s, expected, shown(s.raw()))
}

// schema reads a keyword whose value is a schema.
func (k *keywords) schema(s spot, to **rule) error {
	*to = k.compiler.rule(s)
	return nil
}

// schemas reads a keyword whose value is a list of schemas, not empty.
func (k *keywords) schemas(s spot, to *[]*rule) error {
	if s.kind() != jsonrpc.KindArray || s.doc.tape.nodes[s.node].count == 0 {
		return wrong(s, "a list of schemas that is not empty")
	}
	for element := range s.inside {
		*to = append(*to, k.compiler.rule(element))
	}
	return nil
}

// subschemas yields the schemas that the keyword member holds by its definition in d.
// The value may be of another shape, which is an error later.
func subschemas(member spot, d *dialect) iter.Seq[spot] {
	name, kind := member.name(), member.kind()
	isSchema := kind == jsonrpc.KindObject || kind == jsonrpc.KindBool
	switch name {
	case "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "items":
		if isSchema {
			return only(member)
		}
		if name == "items" && d.draft7 {
			return member.inside
		}
	case "additionalItems":
		if isSchema && d.draft7 {
			return only(member)
		}
	case "unevaluatedItems", "unevaluatedProperties", "contentSchema":
		if isSchema && !d.draft7 {
			return only(member)
		}
	case "allOf", "anyOf", "oneOf":
		if kind == jsonrpc.KindArray {
			return member.inside
		}
	case "prefixItems":
		if kind == jsonrpc.KindArray && !d.draft7 {
			return member.inside
		}
	case "dependencies":
		return func(yield func(spot) bool) {
			for s := range member.inside {
				if s.kind() != jsonrpc.KindArray && !yield(s) { // a list has names
					return
				}
			}
		}
	case "properties", "patternProperties", "definitions":
		if kind == jsonrpc.KindObject {
			return member.inside
		}
	case "$defs", "dependentSchemas":
		if kind == jsonrpc.KindObject && !d.draft7 {
			return member.inside
		}
	}
	return func(func(spot) bool) {}
}

func only(s spot) iter.Seq[spot] {
	return func(yield func(spot) bool) { yield(s) }
}
