package jsonschema_test

import (
	"errors"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

func TestCompileErrors(t *testing.T) {
	remotes := map[string]jsonrpc.Raw{
		"http://h/broken":    jsonrpc.Raw(`{"type":`),
		"http://h/wrong":     jsonrpc.Raw(`{"type":1}`),
		"http://h/strange":   jsonrpc.Raw(`{"$vocabulary":{"http://h/vocabulary":true}}`),
		"http://h/novalue":   jsonrpc.Raw(`{"$vocabulary":{"http://h/vocabulary":1}}`),
		"http://h/unreadble": jsonrpc.Raw(`{`),
	}
	for _, row := range []struct{ name, schema, want string }{
		{"no JSON", `{"type":"string"`, `the schema cannot be read: unexpected end at byte 16`},
		{"two members", `{"type":"string","type":"null"}`, `the schema cannot be read: an object has two members "type", in front of what stands at byte 31`},
		{"no schema", `[]`, `at #: expected a schema (an object, true or false), got an empty array`},
		{"no schema inside", `{"properties":{"a/b":"string"}}`, `at #/properties/a~1b: expected a schema (an object, true or false), got the string "string"`},
		{"unknown type", `{"type":"int"}`, `at #/type: expected one of the types null, boolean, number, string, array, object, integer, got the string "int"`},
		{"no type", `{"type":[]}`, `at #/type: expected at least one type, got an empty array`},
		{"type in a list", `{"type":["string",1]}`, `at #/type/1: expected one of the types null, boolean, number, string, array, object, integer, got the number 1`},
		{"enum", `{"enum":"a"}`, `at #/enum: expected a list of values, got the string "a"`},
		{"minimum", `{"properties":{"a":{"minimum":"1"}}}`, `at #/properties/a/minimum: expected a number, got the string "1"`},
		{"multipleOf", `{"multipleOf":0.0}`, `at #/multipleOf: expected a number above 0, got the number 0.0`},
		{"minLength", `{"minLength":-1}`, `at #/minLength: expected an integer that is not negative, got the number -1`},
		{"maxItems", `{"maxItems":1.5}`, `at #/maxItems: expected an integer that is not negative, got the number 1.5`},
		{"uniqueItems", `{"uniqueItems":null}`, `at #/uniqueItems: expected true or false, got null`},
		{"required", `{"required":"a"}`, `at #/required: expected a list of names, got the string "a"`},
		{"required name", `{"required":["a",1]}`, `at #/required/1: expected a name, got the number 1`},
		{"properties", `{"properties":[]}`, `at #/properties: expected an object of schemas, got an empty array`},
		{"patternProperties", `{"patternProperties":[]}`, `at #/patternProperties: expected an object of schemas by regular expressions, got an empty array`},
		{"dependentRequired", `{"dependentRequired":[]}`, `at #/dependentRequired: expected an object of lists of names, got an empty array`},
		{"dependentRequired names", `{"dependentRequired":{"a":{}}}`, `at #/dependentRequired/a: expected a list of names, got an empty object`},
		{"dependentSchemas", `{"dependentSchemas":1}`, `at #/dependentSchemas: expected an object of schemas, got the number 1`},
		{"dependencies", `{"dependencies":1}`, `at #/dependencies: expected an object of schemas or lists of names, got the number 1`},
		{"dependencies names", `{"dependencies":{"a":[1]}}`, `at #/dependencies/a/0: expected a name, got the number 1`},
		{"allOf", `{"allOf":{}}`, `at #/allOf: expected a list of schemas that is not empty, got an empty object`},
		{"anyOf", `{"anyOf":[]}`, `at #/anyOf: expected a list of schemas that is not empty, got an empty array`},
		{"items as a list", `{"items":[{}]}`, `at #/items: expected one schema (a list of schemas is prefixItems in this dialect), got the array [{}]`},
		{"format", `{"format":1}`, `at #/format: expected the name of a format, got the number 1`},
		{"pattern", `{"pattern":1}`, `at #/pattern: expected a regular expression, got the number 1`},
		{"lookahead", `{"pattern":"a(?=b)"}`, `at #/pattern: the pattern "a(?=b)" cannot be used: the lookahead (?= is not supported: ` +
			`it cannot be matched in bounded time; allOf and not with patterns of their own can say the same at byte 1`},
		{"pattern of properties", `{"patternProperties":{"(":true}}`, `at #/patternProperties/(: the pattern "(" cannot be used: a group is not closed`},
		{"$id", `{"$id":1}`, `at #: $id must be a string, not the number 1`},
		{"$id with a fragment", `{"$id":"http://h/#a"}`, `at #: $id "http://h/#a" must not have a fragment; use $anchor`},
		{"$id that is no URI", `{"$id":"http://[/"}`, `at #: "http://[/" is not a URI reference`},
		{"$id twice", `{"$defs":{"a":{"$id":"http://h/a"},"b":{"$id":"http://h/a"}}}`, `at #/$defs/b: $id "http://h/a" is also that of #/$defs/a`},
		{"$anchor", `{"$anchor":1}`, `at #: $anchor must be a string, not the number 1`},
		{"$anchor twice", `{"$anchor":"a","items":{"$anchor":"a"}}`, `at #/items: the anchor "a" is also that of #`},
		{"$defs", `{"$defs":[]}`, `at #/$defs: expected an object of schemas, got an empty array`},
		{"$defs that nothing refers to", `{"$defs":{"a":{"items":{"type":"int"}}}}`,
			`at #/$defs/a/items/type: expected one of the types null, boolean, number, string, array, object, integer, got the string "int"`},
		{"definitions", `{"definitions":{"a":1}}`, `at #/definitions/a: expected a schema (an object, true or false), got the number 1`},
		{"then without if", `{"then":{"type":"int"}}`,
			`at #/then/type: expected one of the types null, boolean, number, string, array, object, integer, got the string "int"`},
		{"$ref", `{"$ref":1}`, `at #/$ref: expected a URI reference, got the number 1`},
		{"$ref to nothing", `{"$ref":"#/$defs/a"}`, `at #/$ref: it refers to "#/$defs/a", but there is no "$defs" at #`},
		{"$ref to no anchor", `{"$ref":"#a"}`, `at #/$ref: it refers to "#a", but there is no anchor "a"`},
		{"$ref into an array", `{"$ref":"#/allOf/01","allOf":[true]}`, `at #/$ref: it refers to "#/allOf/01", but there is no "01" at #/allOf`},
		{"$ref with a bad escape", `{"$ref":"#%zz"}`, `at #/$ref: "#%zz" is not a URI reference`},
		{"$ref that is no URI", `{"$ref":"http://[/"}`, `at #/$ref: "http://[/" is not a URI reference`},
		{"$ref to what is no schema", `{"$ref":"#/x","x":1}`, `at #/x: expected a schema (an object, true or false), got the number 1`},
		{"$ref over the network", `{"$ref":"http://127.0.0.1:9/x.json"}`, `at #/$ref: it refers to "http://127.0.0.1:9/x.json", ` +
			`which is not in the schema; no document is ever fetched: hand it over in Options.Remotes`},
		{"$ref to a broken document", `{"$ref":"http://h/broken"}`, `at #/$ref: http://h/broken: the schema cannot be read: unexpected end at byte 8`},
		{"$ref to a wrong document", `{"$ref":"http://h/wrong"}`,
			`at http://h/wrong#/type: expected one of the types null, boolean, number, string, array, object, integer, got the number 1`},
		{"unknown dialect", `{"$schema":"https://json-schema.org/draft/2019-09/schema"}`,
			`at #: $schema names a dialect that is not known, "https://json-schema.org/draft/2019-09/schema"; ` +
				`known are https://json-schema.org/draft/2020-12/schema and http://json-schema.org/draft-07/schema#`},
		{"$schema", `{"$schema":7}`, `at #: $schema must be a string, not the number 7`},
		{"unknown vocabulary", `{"$schema":"http://h/strange"}`, `at #: at http://h/strange#/$vocabulary/http:~1~1h~1vocabulary: the vocabulary is required and not known`},
		{"wrong vocabulary", `{"$schema":"http://h/novalue"}`, `at #: at http://h/novalue#/$vocabulary/http:~1~1h~1vocabulary: expected true or false, got the number 1`},
		{"unreadable metaschema", `{"$schema":"http://h/unreadble"}`, `at #: the metaschema http://h/unreadble: the schema cannot be read: unexpected end at byte 1`},
		{"$ref to itself", `{"$ref":"#"}`, `at #: the schema applies itself to the same value again, without end`},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := jsonschema.Compile(jsonrpc.Raw(row.schema), &jsonschema.Options{Remotes: remotes})
			if err == nil || strings.TrimPrefix(err.Error(), "jsonschema: ") != row.want {
				t.Errorf("Compile(%s)\n got %v\nwant jsonschema: %s", row.schema, err, row.want)
			}
		})
	}
}

// Schemas that apply themselves to the same value have no end, whichever keyword does it.
// TestCompileForeign: what cannot be known of a schema is told from what is wrong in it.
func TestCompileForeign(t *testing.T) {
	for _, row := range []struct {
		schema string
		want   bool
	}{
		{`{"$ref":"https://example.com/s"}`, true},
		{`{"properties":{"a":{"items":{"$ref":"other.json#/a"}}}}`, true},
		{`{"$dynamicRef":"https://example.com/s#a"}`, true},
		{`{"$schema":"http://json-schema.org/draft-04/schema#"}`, true},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema"}`, true},
		{`{"$defs":{"a":{"$id":"https://example.com/a","$schema":"https://example.com/dialect"}},"$ref":"https://example.com/a"}`, true},
		{`{"$ref":"#/$defs/a"}`, false},
		{`{"$ref":"#a"}`, false},
		{`{"type":"wish"}`, false},
		{`{"pattern":"a(?=b)"}`, false},
		{`{"$schema":1}`, false},
	} {
		_, err := jsonschema.Compile(jsonrpc.Raw(row.schema), nil)
		if err == nil || errors.Is(err, jsonschema.ErrForeign) != row.want {
			t.Errorf("Compile(%s) = %v, want an error that matches ErrForeign: %t", row.schema, err, row.want)
		}
	}
}

func TestCompileRefusesLoops(t *testing.T) {
	for name, schema := range map[string]string{
		"allOf":            `{"allOf":[{"$ref":"#"}]}`,
		"anyOf":            `{"anyOf":[{"type":"string"},{"$ref":"#"}]}`,
		"oneOf":            `{"oneOf":[{"type":"string"},{"$ref":"#"}]}`,
		"not":              `{"not":{"$ref":"#"}}`,
		"if":               `{"if":{"$ref":"#"}}`,
		"then":             `{"if":true,"then":{"$ref":"#"}}`,
		"else":             `{"if":true,"else":{"$ref":"#"}}`,
		"dependentSchemas": `{"dependentSchemas":{"a":{"$ref":"#"}}}`,
		"two":              `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
	} {
		_, err := jsonschema.Compile(jsonrpc.Raw(schema), nil)
		if err == nil || !strings.HasSuffix(err.Error(), "applies itself to the same value again, without end") {
			t.Errorf("%s: Compile(%s) = %v, want a refusal", name, schema, err)
		}
	}
	for name, schema := range map[string]string{
		"properties":           `{"properties":{"a":{"$ref":"#"}}}`,
		"additionalProperties": `{"additionalProperties":{"$ref":"#"}}`,
		"items":                `{"items":{"$ref":"#"}}`,
		"contains":             `{"contains":{"anyOf":[true,{"$ref":"#"}]}}`,
		"propertyNames":        `{"propertyNames":{"$ref":"#"}}`,
		"unevaluated":          `{"unevaluatedItems":{"$ref":"#"},"unevaluatedProperties":{"$ref":"#"}}`,
	} {
		if _, err := jsonschema.Compile(jsonrpc.Raw(schema), nil); err != nil {
			t.Errorf("%s: Compile(%s) = %v, want no error: the value gets smaller", name, schema, err)
		}
	}
}

func TestCompileRemotes(t *testing.T) {
	o := &jsonschema.Options{Remotes: map[string]jsonrpc.Raw{
		"http://h/a.json":     jsonrpc.Raw(`{"$defs":{"s":{"$ref":"sub/b.json"}}}`),
		"http://h/sub/b.json": jsonrpc.Raw(`{"$anchor":"top","type":"string"}`),
		"http://h/meta":       jsonrpc.Raw(`{"$schema":"https://json-schema.org/draft/2020-12/schema"}`),
	}}
	s := compile(t, `{"$schema":"http://h/meta","$id":"http://h/","properties":{"x":{"$ref":"a.json#/$defs/s"},"y":{"$ref":"sub/b.json#top"}}}`, o)
	o.Remotes["http://h/sub/b.json"] = jsonrpc.Raw(`false`) // a compiled schema does not look at it again
	for value, want := range map[string]string{
		`{"x":"a","y":"b"}`: ``,
		`{"x":1}`:           `args.x: expected a string, got the number 1`,
		`{"y":1}`:           `args.y: expected a string, got the number 1`,
	} {
		if text, path := fault(t, s, value); text != want || text != "" && path != "http://h/sub/b.json#/type" {
			t.Errorf("%s: got %s (%s), want %s (http://h/sub/b.json#/type)", value, text, path, want)
		}
	}
}

// Large $defs are looked up by an index.
func TestCompileManyDefinitions(t *testing.T) {
	var defs, properties strings.Builder
	for k := range 2000 {
		name := string(jsonrpc.AppendInt(nil, int64(k)))
		defs.WriteString(`,"d` + name + `":{"const":` + name + `}`)
		properties.WriteString(`,"p` + name + `":{"$ref":"#/$defs/d` + name + `"}`)
	}
	s := compile(t, `{"$defs":{`+defs.String()[1:]+`},"properties":{`+properties.String()[1:]+`}}`, nil)
	if got, path := fault(t, s, `{"p0":0,"p1234":1}`); got != `args.p1234: expected 1234, got the number 1` || path != `#/$defs/d1234/const` {
		t.Errorf("got %s (%s)", got, path)
	}
}

// The text belongs to the caller, who may write over it.
func TestCompileKeepsNothingOfTheText(t *testing.T) {
	text := jsonrpc.Raw(`{"properties":{"a":{"const":"x","default":"x"}}}`)
	s, err := jsonschema.Compile(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	clear(text)
	if got, _ := fault(t, s, `{"a":"y"}`); got != `args.a: expected "x", got the string "y"` {
		t.Errorf("after the text is gone: %s", got)
	}
	if got, err := s.ApplyDefaults(jsonrpc.Raw(`{}`)); err != nil || string(got) != `{"a":"x"}` {
		t.Errorf("after the text is gone: ApplyDefaults = %s, %v", got, err)
	}
}
