package jsonschema

import (
	"regexp"

	"isthmus.internal/jsonrpc"
)

// verdict is what a boolean schema says without looking at the value.
type verdict uint8

const (
	depends verdict = iota // on the keywords
	always
	never
)

// typeSet is a set of the names that type knows (2020-12 validation, section 6.1.1).
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeNumber
	typeString
	typeArray
	typeObject
	typeInteger
)

// typesOfKind are the types that every value of a kind has. Whether a number is an
// integer depends on its digits.
var typesOfKind = [...]typeSet{
	jsonrpc.KindNull:   typeNull,
	jsonrpc.KindBool:   typeBoolean,
	jsonrpc.KindNumber: typeNumber,
	jsonrpc.KindString: typeString,
	jsonrpc.KindArray:  typeArray,
	jsonrpc.KindObject: typeObject,
}

// rule is one subschema, compiled. Rules refer to each other, in cycles where the
// schema does. They never change once Compile has returned.
type rule struct {
	spot               // where it stands
	resource *resource // for the dynamic scope; nil in a schema without $dynamicRef
	verdict  verdict
	types    typeSet
	simple   bool // there is nothing to do but for types, values and the keywords of one kind

	values *valueRule
	number *numberRule
	text   *textRule
	array  *arrayRule
	object *objectRule
	branch *branchRule

	unevaluatedItems, unevaluatedProperties *rule

	value       jsonrpc.Raw // of default, here or else where $ref leads
	hasDefaults bool        // here, or where ApplyDefaults goes from here
}

// valueRule is const or enum.
type valueRule struct {
	spot                        // of the keyword
	choices []int32             // nodes of the document
	strings map[string]struct{} // the strings among the choices, when there are many
	others  []int32             // the choices that are not in strings
	also    *valueRule          // const beside enum
}

// numberRule bounds a number. A nil bound is none.
type numberRule struct {
	minimum, maximum, above, below *number
	multipleOf                     *divisor

	// For numbers of few digits all bounds are within these, if plain.
	plain       bool
	least, most int64
}

// textRule is about strings. max is -1 when there is none.
type textRule struct {
	min, max int
	pattern  *pattern
	format   *format
}

// pattern is a regular expression, and how the schema spells it.
type pattern struct {
	source string
	re     *regexp.Regexp
	size   int // what matching one character may cost
}

// arrayRule is about arrays. A max is -1 when there is none.
type arrayRule struct {
	min, max                 int
	unique                   bool
	prefix                   []*rule
	items                    *rule // behind prefix
	contains                 *rule
	minContains, maxContains int
	itemsKeyword             string // how the schema spells items
}

// objectRule is about objects. max is -1 when there is none.
type objectRule struct {
	min, max int
	known    []property     // from properties and required
	index    map[string]int // into known when there are many
	required int            // how many of known are
	patterns []patternProperty
	others   *rule // additionalProperties
	names    *rule
	needs    []dependency
}

// property is what an object rule says about one name.
type property struct {
	name     string
	rule     *rule // nil when the name is only required
	required bool
}

type patternProperty struct {
	pattern *pattern
	rule    *rule
}

// dependency holds when an object has the member name.
type dependency struct {
	spot
	name     string
	required []string
	rule     *rule // nil when there are only names
}

// branchRule is what applies other rules to the same value.
type branchRule struct {
	ref             *rule
	dynamic         *dynamicRef
	all             []*rule
	any             []*rule
	one             []*rule
	not             *rule
	test            *rule // if
	then, otherwise *rule // else
}

// find returns the place of name in known, -1 when it is not there. hint is where it
// probably is: members mostly come in the order of the schema.
func (o *objectRule) find(name []byte, hint int) int {
	if hint < len(o.known) && string(name) == o.known[hint].name {
		return hint
	}
	if o.index != nil {
		if k, ok := o.index[string(name)]; ok {
			return k
		}
		return -1
	}
	for k := range o.known {
		if string(name) == o.known[k].name {
			return k
		}
	}
	return -1
}
