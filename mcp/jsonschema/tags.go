package jsonschema

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// tagKeys are the keys of struct tags that speak of schemas, and for which types of JSON
// they are; nil for all. Each stands for the keyword of its name, mcp for the description.
// required is none: it says whether the field is listed.
var tagKeys = []tagKey{
	{"title", nil},
	{"mcp", nil},
	{"enum", []string{"string", "integer", "number"}},
	{"default", nil},
	{"minimum", []string{"integer", "number"}},
	{"maximum", []string{"integer", "number"}},
	{"exclusiveMinimum", []string{"integer", "number"}},
	{"exclusiveMaximum", []string{"integer", "number"}},
	{"multipleOf", []string{"integer", "number"}},
	{"minLength", []string{"string"}},
	{"maxLength", []string{"string"}},
	{"pattern", []string{"string"}},
	{"format", []string{"string"}},
	{"minItems", []string{"array"}},
	{"maxItems", []string{"array"}},
	{"uniqueItems", []string{"array"}},
	{"minProperties", []string{"object"}},
	{"maxProperties", []string{"object"}},
	{"required", nil},
	{"x-mcp-header", []string{"string", "integer", "boolean"}},
}

// tagKey is one of tagKeys.
type tagKey struct {
	key   string
	kinds []string
}

// kindsOf returns the types of JSON that a tag is for, nil for all.
func kindsOf(key string) []string {
	for i := range tagKeys {
		if tagKeys[i].key == key {
			return tagKeys[i].kinds
		}
	}
	return nil
}

// tag is a part of a struct tag: key:"value".
type tag struct{ key, value string }

// tagPairs are all parts of a struct tag.
type tagPairs []tag

func (p tagPairs) lookup(key string) (string, bool) {
	for _, t := range p {
		if t.key == key {
			return t.value, true
		}
	}
	return "", false
}

// tags are the parts of a struct tag that speak of the schema, in the order of tagKeys.
type tags struct {
	list     []tag // without required
	required *bool
}

func (t *tags) has(key string) bool {
	return slices.ContainsFunc(t.list, func(t tag) bool { return t.key == key })
}

// first names a tag for an error message.
func (t *tags) first() string {
	if len(t.list) == 0 {
		return "required"
	}
	return t.list[0].key
}

// readTags picks the tags that speak of the schema. Keys of other packages are left
// alone, but not those that can only be ours, spelt wrong.
func readTags(pairs tagPairs) (t tags, err error) {
	for _, p := range pairs {
		if meant := meantKey(p.key); meant != "" {
			return t, fmt.Errorf("tag %s: it would be passed over; it is spelt %s", p.key, meant)
		}
	}
	for i := range tagKeys {
		key := tagKeys[i].key
		value, ok := pairs.lookup(key)
		switch {
		case !ok:
		case key == "required":
			required, err := readBool(value)
			if err != nil {
				return t, fmt.Errorf("tag required: %w", err)
			}
			t.required = &required
		case value == "" && key != "default":
			return t, fmt.Errorf("tag %s: it is empty", key)
		default:
			t.list = append(t.list, tag{key, value})
		}
	}
	if t.required != nil && *t.required && t.has("default") {
		return t, errors.New("tag default: a field that is required has no default")
	}
	return t, nil
}

// splitTag takes a struct tag apart. [reflect.StructTag] passes over what it cannot
// read, and with it all that follows; here it is an error.
func splitTag(text string) (tagPairs, error) {
	var pairs tagPairs
	for {
		text = strings.TrimLeft(text, " ")
		if text == "" {
			return pairs, nil
		}
		key, rest, ok := strings.Cut(text, ":")
		if !ok || key == "" || strings.ContainsAny(key, " \"") || !strings.HasPrefix(rest, `"`) {
			return nil, fmt.Errorf("the struct tag is malformed at %q: it is written key:\"value\"", text)
		}
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return nil, fmt.Errorf("the struct tag is malformed at %q: the value does not end", text)
		}
		value, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("the struct tag is malformed at %q: %w", text, err)
		}
		if _, twice := pairs.lookup(key); twice {
			return nil, fmt.Errorf("tag %s: it stands twice", key)
		}
		pairs = append(pairs, tag{key, value})
		text = rest[len(quoted):]
	}
}

func readBool(value string) (bool, error) {
	switch value {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", value)
}
