package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"isthmus.internal/jsonrpc"
)

// property is an argument of a tool, or a field of a form, as its schema has it.
type property struct {
	name, kind, title, description string
	required                       bool
	schema                         jsonrpc.Raw
}

// properties are those of a schema, in its order.
func properties(schema jsonrpc.Raw) (all []property) {
	required := make(map[string]bool) // a server may name very many
	for _, name := range textsOf(schema.Member("required")) {
		required[name] = true
	}
	for p := jsonrpc.ReadObject(schema.Member("properties")); p.Next(); {
		one := readProperty(string(p.Name()), bytes.Clone(p.Value()))
		one.required = required[one.name]
		all = append(all, one)
	}
	return all
}

// textsOf are the strings of an array, "" in place of what is none.
func textsOf(array jsonrpc.Raw) (all []string) {
	for a := jsonrpc.ReadArray(array); a.Next(); {
		text, _ := a.Value().Text()
		all = append(all, text)
	}
	return all
}

// kinds are the types of a schema.
var kinds = []string{"string", "integer", "number", "boolean", "object", "array", "null"}

// kindsOf are the types that a schema lets a value have, each once; none when it does not say.
func kindsOf(schema jsonrpc.Raw, depth int) (all []string) {
	var found []string
	for o := jsonrpc.ReadObject(schema); o.Next(); {
		name := string(o.Name())
		switch text, isText := o.Value().Text(); {
		case name == "type" && isText:
			found = append(found, text)
		case name == "type":
			found = append(found, textsOf(o.Value())...)
		case (name == "anyOf" || name == "oneOf") && depth > 0:
			for a := jsonrpc.ReadArray(o.Value()); a.Next(); {
				found = append(found, kindsOf(a.Value(), depth-1)...)
			}
		}
	}
	for _, kind := range found {
		if slices.Contains(kinds, kind) && !slices.Contains(all, kind) {
			all = append(all, kind)
		}
	}
	return all
}

// orKind stands between the types of a value that may have one of several.
const orKind = " or "

func readProperty(name string, schema jsonrpc.Raw) property {
	p := property{name: name, kind: "any", schema: schema}
	if kinds := kindsOf(schema, 2); len(kinds) > 0 {
		p.kind = strings.Join(kinds, orKind)
	}
	p.title, _ = schema.Member("title").Text()
	p.description, _ = schema.Member("description").Text()
	return p
}

// readArguments makes the arguments of a call: the object of -json, or one of the words
// NAME=VALUE, whose values are read as the schema has them. NAME:=JSON takes any value.
func (r *request) readArguments(ctx context.Context, words []string, schema jsonrpc.Raw) (jsonrpc.Raw, error) {
	if r.json != "" {
		if len(words) > 0 {
			return nil, &misuse{errors.New("give the arguments with -json or as NAME=VALUE, not both")}
		}
		return r.readJSON(ctx, r.json)
	}
	dst := []byte{'{'}
	seen := map[string]bool{}
	for _, word := range words {
		name, text, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return nil, &misuse{fmt.Errorf("argument %q: want NAME=VALUE, or NAME:=JSON", word)}
		}
		kind := "any"
		if bare, isJSON := strings.CutSuffix(name, ":"); isJSON {
			name, kind = bare, "json"
		} else {
			for _, p := range properties(schema) {
				if p.name == name {
					kind = p.kind
				}
			}
		}
		if seen[name] {
			return nil, &misuse{fmt.Errorf("argument %q stands twice", name)}
		}
		seen[name] = true
		value, err := readValue(text, kind)
		if err != nil {
			return nil, &misuse{fmt.Errorf("argument %s: %w", name, err)}
		}
		dst = jsonrpc.AppendMember(dst, name, value)
	}
	return append(dst, '}'), nil
}

// readValue reads the text of a value that has this type in a schema. Where it may have one of
// several, a string is what it is when it is nothing else.
func readValue(text, kind string) (jsonrpc.Raw, error) {
	switch kind {
	case "string", "any":
		return jsonrpc.AppendString(nil, text), nil
	}
	value, err := jsonrpc.AppendCompact(nil, []byte(text))
	if slices.Contains(strings.Split(kind, orKind), "string") && (err != nil || !fits(value, kind)) {
		return jsonrpc.AppendString(nil, text), nil
	}
	if err != nil || kind != "json" && !fits(value, kind) {
		if kind == "json" {
			kind = "JSON"
		}
		return nil, fmt.Errorf("%q: want %s", text, kind)
	}
	return value, nil
}

// fits reports whether the value has the type, or one of those.
func fits(value jsonrpc.Raw, kind string) bool {
	for one := range strings.SplitSeq(kind, orKind) {
		if one != kind && fits(value, one) {
			return true
		}
	}
	switch k := jsonrpc.Raw(value).Kind(); kind {
	case "integer", "number":
		return k == jsonrpc.KindNumber
	case "boolean":
		return k == jsonrpc.KindBool
	case "object":
		return k == jsonrpc.KindObject
	case "array":
		return k == jsonrpc.KindArray
	case "null":
		return k == jsonrpc.KindNull
	}
	return false
}

// readJSON reads the object of -json: the text itself, @FILE or, as -, the input.
func (r *request) readJSON(ctx context.Context, text string) (jsonrpc.Raw, error) {
	given := []byte(text)
	var err error
	switch {
	case text == "-":
		given, err = await(ctx, func() ([]byte, error) { return io.ReadAll(r.env.In) })
	case strings.HasPrefix(text, "@"):
		given, err = os.ReadFile(text[1:])
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &misuse{fmt.Errorf("-json: %w", err)}
	}
	raw, err := jsonrpc.AppendCompact(nil, given)
	if err != nil || jsonrpc.Raw(raw).Kind() != jsonrpc.KindObject || !json.Valid(given) {
		return nil, &misuse{fmt.Errorf("-json: want one JSON object, or @FILE or - that holds one")}
	}
	return raw, nil
}

// readPairs reads words NAME=VALUE whose values are all text.
func readPairs(words []string) (map[string]string, error) {
	pairs := make(map[string]string, len(words))
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if _, twice := pairs[name]; !ok || name == "" || twice {
			return nil, &misuse{fmt.Errorf("argument %q: want NAME=VALUE, each name once", word)}
		}
		if bare, isJSON := strings.CutSuffix(name, ":"); isJSON {
			return nil, &misuse{fmt.Errorf("argument %q: arguments of prompts and templates are text: %s=%s", word, bare, value)}
		}
		pairs[name] = value
	}
	return pairs, nil
}
