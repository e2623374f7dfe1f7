package jsonschema

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"isthmus.internal/jsonrpc"
)

// apply puts what the tags of a field say into its schema. A tag that speaks of a
// value stands, on a list, for each of its items.
func (t *tags) apply(n *draft) error {
	for _, tag := range t.list {
		target := n
		kinds := kindsOf(tag.key)
		if n.kind == "array" && n.items != nil && kinds != nil && !slices.Contains(kinds, "array") && tag.key != "x-mcp-header" {
			target = n.items
		}
		if kinds != nil && !slices.Contains(kinds, target.kind) {
			return fmt.Errorf("tag %s: it is for %s, and the field is %s", tag.key, strings.Join(kinds, ", "), target.what())
		}
		value, err := tag.read(target)
		if err != nil {
			return fmt.Errorf("tag %s: %w", tag.key, err)
		}
		if err := target.narrow(tag.key, value); err != nil {
			return fmt.Errorf("tag %s: %w", tag.key, err)
		}
		if tag.key == "x-mcp-header" {
			n.keepSafe()
		}
	}
	return n.checkOrder()
}

// read makes a tag's value JSON.
func (t tag) read(n *draft) (jsonrpc.Raw, error) {
	switch t.key {
	case "enum":
		return readEnum(t.value, n.kind)
	case "default":
		return readValue(t.value, n.kind)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return readValue(t.value, n.kind)
	case "multipleOf":
		value, err := readValue(t.value, n.kind)
		if f, _ := value.Float(); err == nil && f <= 0 {
			return nil, fmt.Errorf("%s is not above 0", t.value)
		}
		return value, err
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		if count, ok := jsonrpc.Raw(t.value).Int(); !ok || count < 0 {
			return nil, fmt.Errorf("%q is no count: 0, 1, 2 and so on", t.value)
		}
		return jsonrpc.Raw(t.value), nil
	case "format":
		if meant := meantFormat(t.value); meant != "" {
			return nil, fmt.Errorf("%q would be passed over; it is spelt %s", t.value, meant)
		}
	case "uniqueItems":
		_, err := readBool(t.value)
		return jsonrpc.Raw(t.value), err
	}
	return jsonrpc.AppendString(nil, t.value), nil // title, mcp, pattern, format, x-mcp-header
}

// readValue reads a value of one kind: a string as it stands, all else as JSON.
func readValue(text, kind string) (jsonrpc.Raw, error) {
	raw := jsonrpc.Raw(text)
	switch kind {
	case "string":
		return jsonrpc.AppendString(nil, text), nil
	case "integer":
		_, signed := raw.Int()
		_, err := strconv.ParseUint(text, 10, 64)
		if !signed && (err != nil || text[0] == '0' || text[0] == '+') {
			return nil, fmt.Errorf("%q is no integer", text)
		}
		return raw, nil
	}
	value, err := jsonrpc.AppendCompact(nil, raw)
	if err != nil {
		return nil, fmt.Errorf("%q is not JSON", text)
	}
	raw = value
	switch got := raw.Kind(); {
	case kind == "number" && got != jsonrpc.KindNumber,
		kind == "boolean" && got != jsonrpc.KindBool,
		kind == "array" && got != jsonrpc.KindArray,
		kind == "object" && got != jsonrpc.KindObject:
		return nil, fmt.Errorf("%q is no %s", text, kind)
	}
	return raw, nil
}

// readEnum reads a list of values, with commas between them, or a JSON array of
// strings where these have commas themselves.
func readEnum(text, kind string) (jsonrpc.Raw, error) {
	var values []jsonrpc.Raw
	if kind == "string" && strings.HasPrefix(text, "[") {
		a := jsonrpc.ReadArray(jsonrpc.Raw(text))
		for a.Next() {
			if a.Value().Kind() != jsonrpc.KindString {
				return nil, fmt.Errorf("%s is no string", a.Value())
			}
			values = append(values, a.Value())
		}
		if a.Err() != nil || len(values) == 0 {
			return nil, fmt.Errorf("%q is no JSON array of strings", text)
		}
	} else {
		for one := range strings.SplitSeq(text, ",") {
			one = strings.TrimSpace(one)
			if one == "" {
				return nil, fmt.Errorf("%q has an empty value", text)
			}
			value, err := readValue(one, kind)
			if err != nil {
				return nil, err
			}
			values = append(values, value)
		}
	}
	list := []byte{'['}
	for i, value := range values {
		if slices.ContainsFunc(values[:i], func(v jsonrpc.Raw) bool { return bytes.Equal(v, value) }) {
			return nil, fmt.Errorf("%s stands twice", value)
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, value...)
	}
	return append(list, ']'), nil
}

// narrow sets a keyword. What the Go type can hold is not widened by a tag.
func (n *draft) narrow(key string, value jsonrpc.Raw) error {
	held := n.keyword(key)
	if key == "format" && held != nil && string(held) != string(value) {
		return fmt.Errorf("%s is another form than %s, which the type has", value, held)
	}
	if held != nil {
		new, _ := value.Float()
		old, isNumber := held.Float()
		switch {
		case isNumber && (key == "minimum" || key == "minItems" || key == "minLength") && new < old,
			isNumber && (key == "maximum" || key == "maxItems" || key == "maxLength") && new > old:
			return fmt.Errorf("%s is beyond %s, which the type has", value, held)
		}
	}
	if key == "mcp" {
		key = "description"
	}
	n.set(key, value)
	return nil
}

// keepSafe bounds an integer that is mirrored into a header: it must be one that a
// double holds exactly (2026-07-28 server/tools, x-mcp-header).
func (n *draft) keepSafe() {
	if n.kind != "integer" {
		return
	}
	const lowest, highest = "-9007199254740991", "9007199254740991"
	if f, ok := n.keyword("minimum").Float(); !ok || f < -9007199254740991 {
		n.set("minimum", jsonrpc.Raw(lowest))
	}
	if f, ok := n.keyword("maximum").Float(); !ok || f > 9007199254740991 {
		n.set("maximum", jsonrpc.Raw(highest))
	}
}

// checkOrder finds bounds that no value can keep.
func (n *draft) checkOrder() error {
	for _, pair := range [][2]string{
		{"minimum", "maximum"}, {"exclusiveMinimum", "exclusiveMaximum"}, {"minLength", "maxLength"},
		{"minItems", "maxItems"}, {"minProperties", "maxProperties"},
	} {
		low, ok1 := n.keyword(pair[0]).Float()
		high, ok2 := n.keyword(pair[1]).Float()
		if ok1 && ok2 && low > high {
			return fmt.Errorf("tag %s: %s is above %s, %s", pair[0], n.keyword(pair[0]), pair[1], n.keyword(pair[1]))
		}
	}
	if n.kind == "array" && n.items != nil {
		return n.items.checkOrder()
	}
	return nil
}

// checkValues holds a default and an enum to the rest of the schema. What refers to a
// type that contains itself is not complete yet, and its default is not checked.
func (n *draft) checkValues() error {
	if n.kind == "array" && n.items != nil && n.items.keyword("enum") != nil {
		if err := n.items.checkValues(); err != nil {
			return err
		}
	}
	enum, initial := n.keyword("enum"), n.keyword("default")
	if enum == nil && initial == nil || bytes.Contains(n.append(nil), []byte(`"$ref":"#`)) {
		return nil
	}
	if initial != nil {
		if err := n.fits(initial); err != nil {
			return fmt.Errorf("tag default: %w", err)
		}
	}
	rest := *n
	rest.keywords = slices.DeleteFunc(slices.Clone(n.keywords), func(k keyword) bool { return k.name == "enum" })
	for a := jsonrpc.ReadArray(enum); a.Next(); {
		if err := rest.fits(a.Value()); err != nil {
			return fmt.Errorf("tag enum: %w", err)
		}
	}
	return nil
}

// fits checks a value against the schema.
func (n *draft) fits(v jsonrpc.Raw) error {
	s, err := Compile(n.append(nil), &Options{AssertFormat: true})
	if err != nil {
		return err
	}
	return s.Validate(v)
}
