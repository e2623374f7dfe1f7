package revisions

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Schema is a published schema of one revision: definitions in the part of JSON Schema
// that they are written in.
type Schema struct {
	definitions map[string]any
}

// asserts are the keywords that are understood, remarks those that assert nothing here.
var (
	asserts = []string{"$ref", "type", "required", "properties", "additionalProperties", "items", "anyOf", "allOf", "enum", "const", "minimum", "maximum", "maxItems"}
	remarks = []string{"$schema", "description", "format", "default", "title", "deprecated"}
)

// ReadSchema reads the text of a schema. A keyword that is not understood is an error, so
// that no assertion is passed over in silence.
func ReadSchema(text []byte) (*Schema, error) {
	v, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("revisions: the schema is not JSON: %w", err)
	}
	root, _ := v.(map[string]any)
	for _, name := range []string{"definitions", "$defs"} {
		definitions, ok := root[name].(map[string]any)
		if !ok {
			continue
		}
		for _, d := range slices.Sorted(maps.Keys(definitions)) {
			if err := understood(d, definitions[d]); err != nil {
				return nil, err
			}
		}
		return &Schema{definitions}, nil
	}
	return nil, errors.New("revisions: the schema has neither definitions nor $defs")
}

// understood looks for keywords that are not known, at and below v.
func understood(at string, v any) error {
	schema, ok := v.(map[string]any)
	if !ok {
		return nil // true or false
	}
	for keyword, value := range schema {
		var inner []any
		switch keyword {
		case "properties":
			inner = slices.Collect(maps.Values(value.(map[string]any)))
		case "items", "additionalProperties":
			inner = []any{value}
		case "anyOf", "allOf":
			inner = value.([]any)
		}
		for _, v := range inner {
			if err := understood(at+"/"+keyword, v); err != nil {
				return err
			}
		}
		if !slices.Contains(asserts, keyword) && !slices.Contains(remarks, keyword) {
			return fmt.Errorf("revisions: %s: the keyword %s is not understood", at, keyword)
		}
	}
	return nil
}

// Check validates a text against a definition and returns what is wrong with it.
func (s *Schema) Check(definition string, text []byte) []string {
	v, err := decode(text)
	if err != nil {
		return []string{"not JSON: " + err.Error()}
	}
	d, ok := s.definitions[definition]
	if !ok {
		return []string{"the schema does not define " + definition}
	}
	return s.check(definition, d, v)
}

func (s *Schema) check(at string, schema, v any) (faults []string) {
	fail := func(format string, args ...any) { faults = append(faults, at+": "+fmt.Sprintf(format, args...)) }
	if allowed, ok := schema.(bool); ok {
		if !allowed {
			fail("nothing may stand here")
		}
		return faults
	}
	k := schema.(map[string]any)
	if ref, ok := k["$ref"].(string); ok {
		name := ref[strings.LastIndex(ref, "/")+1:]
		if ref != "#/definitions/"+name && ref != "#/$defs/"+name || s.definitions[name] == nil {
			fail("the schema refers to %s, which is not there", ref)
		} else {
			faults = append(faults, s.check(at, s.definitions[name], v)...)
		}
	}
	if !isType(k["type"], v) {
		fail("is %s, must be of type %v", shown(v), k["type"])
	}
	if want, ok := k["const"]; ok && !reflect.DeepEqual(want, v) {
		fail("is %s, must be %s", shown(v), shown(want))
	}
	if values, ok := k["enum"].([]any); ok && !slices.ContainsFunc(values, func(e any) bool { return reflect.DeepEqual(e, v) }) {
		fail("is %s, must be one of %s", shown(v), shown(values))
	}
	if least, most := k["minimum"], k["maximum"]; !inRange(least, most, v) {
		fail("is %s, must be from %v to %v", shown(v), least, most)
	}
	for _, part := range list(k["allOf"]) {
		faults = append(faults, s.check(at, part, v)...)
	}
	if options := list(k["anyOf"]); options != nil && !slices.ContainsFunc(options, func(o any) bool { return s.check(at, o, v) == nil }) {
		fail("is %s, which none of %d alternatives allows", shown(v), len(options))
	}
	switch v := v.(type) {
	case map[string]any:
		faults = append(faults, s.checkObject(at, k, v)...)
	case []any:
		if most, ok := k["maxItems"].(json.Number); ok && !inRange(nil, most, json.Number(strconv.Itoa(len(v)))) {
			fail("has %d elements, must have at most %s", len(v), most)
		}
		for i, e := range v {
			if items, ok := k["items"]; ok {
				faults = append(faults, s.check(fmt.Sprintf("%s[%d]", at, i), items, e)...)
			}
		}
	}
	return faults
}

func (s *Schema) checkObject(at string, k map[string]any, v map[string]any) (faults []string) {
	for _, name := range list(k["required"]) {
		if _, there := v[name.(string)]; !there {
			faults = append(faults, fmt.Sprintf("%s: %s is missing", at, name))
		}
	}
	properties, _ := k["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(v)) {
		schema, listed := properties[name]
		if !listed {
			schema = k["additionalProperties"]
		}
		if schema != nil {
			faults = append(faults, s.check(at+"."+name, schema, v[name])...)
		}
	}
	return faults
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// isType reports whether v has the type, or one of the types, that a schema names.
func isType(t, v any) bool {
	if t == nil {
		return true
	}
	if several := list(t); several != nil {
		return slices.ContainsFunc(several, func(t any) bool { return isType(t, v) })
	}
	switch v := v.(type) {
	case nil:
		return t == "null"
	case bool:
		return t == "boolean"
	case string:
		return t == "string"
	case []any:
		return t == "array"
	case map[string]any:
		return t == "object"
	case json.Number:
		f, ok := new(big.Rat).SetString(string(v))
		return t == "number" || t == "integer" && ok && f.IsInt()
	}
	return false
}

// inRange compares numbers; other values have no range.
func inRange(least, most, v any) bool {
	n, ok := v.(json.Number)
	if !ok {
		return true
	}
	value, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return false
	}
	beyond := func(bound any, sign int) bool {
		b, ok := bound.(json.Number)
		if !ok {
			return false
		}
		limit, ok := new(big.Rat).SetString(string(b))
		return !ok || value.Cmp(limit) == sign
	}
	return !beyond(least, -1) && !beyond(most, 1)
}

// shown is a value for an error message.
func shown(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > 200 {
		return string(text[:200]) + "…"
	}
	return string(text)
}

// Members returns the members that a definition lists and those that it requires, both
// sorted; ok is false when it is not defined, or not as an object.
func (s *Schema) Members(definition string) (listed, required []string, ok bool) {
	k, _ := s.definitions[definition].(map[string]any)
	if k["type"] != "object" {
		return nil, nil, false
	}
	properties, _ := k["properties"].(map[string]any)
	for _, name := range list(k["required"]) {
		required = append(required, name.(string))
	}
	return slices.Sorted(maps.Keys(properties)), required, true
}
