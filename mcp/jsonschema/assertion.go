package jsonschema

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"isthmus.internal/jsonrpc"
)

// assertion reads a keyword of the validation vocabulary (2020-12 validation, section 6).
func (k *keywords) assertion(name string, s spot) error {
	switch name {
	case "type":
		return k.readType(s)
	case "const", "enum":
		return k.readChoices(s)
	case "minimum":
		return k.readNumber(s, &k.number().minimum)
	case "maximum":
		return k.readNumber(s, &k.number().maximum)
	case "exclusiveMinimum":
		return k.readNumber(s, &k.number().above)
	case "exclusiveMaximum":
		return k.readNumber(s, &k.number().below)
	case "multipleOf":
		return k.readMultipleOf(s)
	case "minLength":
		return readCount(s, &k.text().min)
	case "maxLength":
		return readCount(s, &k.text().max)
	case "pattern":
		return k.readPattern(s)
	case "minItems":
		return readCount(s, &k.array().min)
	case "maxItems":
		return readCount(s, &k.array().max)
	case "uniqueItems":
		return k.readUnique(s)
	case "minProperties":
		return readCount(s, &k.object().min)
	case "maxProperties":
		return readCount(s, &k.object().max)
	case "required":
		return k.readRequired(s)
	}
	if k.dialect.draft7 {
		return nil
	}
	switch name {
	case "minContains":
		return readCount(s, &k.array().minContains)
	case "maxContains":
		return readCount(s, &k.array().maxContains)
	case "dependentRequired":
		return k.readDependentRequired(s)
	}
	return nil
}

func (k *keywords) number() *numberRule {
	if k.rule.number == nil {
		k.rule.number = &numberRule{}
	}
	return k.rule.number
}

func (k *keywords) text() *textRule {
	if k.rule.text == nil {
		k.rule.text = &textRule{max: -1}
	}
	return k.rule.text
}

// typeNames are the values of type in the order of their bits.
var typeNames = []string{"null", "boolean", "number", "string", "array", "object", "integer"}

func (k *keywords) readType(s spot) error {
	list := s.inside
	if s.kind() != jsonrpc.KindArray {
		list = only(s)
	}
	k.rule.types = 0
	for element := range list {
		name, _ := element.text()
		bit := slices.Index(typeNames, name)
		if bit < 0 {
			return wrong(element, "one of the types "+strings.Join(typeNames, ", "))
		}
		k.rule.types |= 1 << bit
	}
	if k.rule.types == 0 {
		return wrong(s, "at least one type")
	}
	return nil
}

// readChoices reads const and enum.
func (k *keywords) readChoices(s spot) error {
	v := &valueRule{spot: s, also: k.rule.values}
	if s.name() == "const" {
		v.choices = []int32{s.node}
	} else {
		if s.kind() != jsonrpc.KindArray {
			return wrong(s, "a list of values")
		}
		for element := range s.inside {
			v.choices = append(v.choices, element.node)
		}
	}
	if len(v.choices) > manyMembers {
		v.strings = map[string]struct{}{}
		rest := v.choices[:0:0]
		for _, c := range v.choices {
			if text, ok := s.at(c).text(); ok {
				v.strings[text] = struct{}{}
			} else {
				rest = append(rest, c)
			}
		}
		v.others = rest
	} else {
		v.others = v.choices
	}
	k.rule.values = v
	return nil
}

func (k *keywords) readNumber(s spot, to **number) error {
	if s.kind() != jsonrpc.KindNumber {
		return wrong(s, "a number")
	}
	n := parseNumber(s.raw(), nil)
	n.source = string(s.raw())
	*to = &n
	return nil
}

func (k *keywords) readMultipleOf(s spot) error {
	var n *number
	if err := k.readNumber(s, &n); err != nil || n.sign() <= 0 {
		return wrong(s, "a number above 0")
	}
	if len(n.digits) > mostDivisorDigits {
		return wrong(s, fmt.Sprintf("a number of at most %d digits", mostDivisorDigits))
	}
	k.number().multipleOf = newDivisor(*n)
	return nil
}

// readCount reads an integer that is not negative. What is beyond an int bounds nothing
// that fits into memory.
func readCount(s spot, to *int) error {
	if s.kind() == jsonrpc.KindNumber {
		n := parseNumber(s.raw(), nil)
		if n.integer() && n.sign() >= 0 {
			*to = n.count()
			return nil
		}
	}
	return wrong(s, "an integer that is not negative")
}

// count is an integer that is not negative as an int, at most math.MaxInt32.
func (n *number) count() int {
	if n.exponent > 9 {
		return math.MaxInt32
	}
	return number10(string(n.digits) + strings.Repeat("0", int(n.exponent)-len(n.digits)))
}

func (k *keywords) readUnique(s spot) error {
	unique, ok := s.raw().Bool()
	if !ok {
		return wrong(s, "true or false")
	}
	k.array().unique = unique
	return nil
}

func (k *keywords) readRequired(s spot) error {
	names, err := readNames(s)
	if err != nil {
		return err
	}
	for _, name := range names {
		if p := k.property(name); !p.required {
			p.required = true
			k.object().required++
		}
	}
	return nil
}

func (k *keywords) readPattern(s spot) error {
	source, ok := s.text()
	if !ok {
		return wrong(s, "a regular expression")
	}
	p, err := k.pattern(source, s)
	k.text().pattern = p
	return err
}

// pattern compiles a regular expression, once for each spelling.
func (k *keywords) pattern(source string, s spot) (*pattern, error) {
	if p := k.patterns[source]; p != nil {
		return p, nil
	}
	p, err := compilePattern(source)
	if err != nil {
		return nil, fmt.Errorf("at %s: the pattern %s cannot be used: %w", s, quoted(source), err)
	}
	if k.patternsSize += p.size; k.patternsSize > maxPatternsSize {
		return nil, fmt.Errorf("at %s: the patterns together have more than %d characters, repetitions written out", s, maxPatternsSize)
	}
	k.patterns[source] = p
	return p, nil
}

// readFormat reads format. A format that is not known is an annotation, also where
// formats are asserted.
func (k *keywords) readFormat(s spot) error {
	name, ok := s.text()
	if !ok {
		return wrong(s, "the name of a format")
	}
	knows := k.dialect.knows
	asserted := knows&vocabularyFormatAssertion != 0 || knows&vocabularyFormatAnnotation != 0 && k.options.assertFormat()
	if f := formatOf(name); f != nil && asserted {
		k.text().format = f
	}
	return nil
}

// combine settles what several keywords say together.
func (k *keywords) combine() {
	r := k.rule
	if r.number != nil {
		r.number.settle()
	}
	if o := r.object; o != nil && len(o.known) <= fewProperties {
		o.index = nil
	}
	if b := r.branch; b != nil && b.test == nil {
		b.then, b.otherwise = nil, nil // they mean nothing without if
	}
}

// fewProperties is up to where names are compared one after the other.
const fewProperties = 8
