package jsonschema_test

import (
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// A metaschema that Options hands over says which vocabularies count.
func TestVocabularies(t *testing.T) {
	const vocab = "https://json-schema.org/draft/2020-12/vocab/"
	meta := func(names string) jsonrpc.Raw {
		var b strings.Builder
		b.WriteString(`{"$schema":"https://json-schema.org/draft/2020-12/schema","$vocabulary":{"http://h/unknown":false`)
		for name := range strings.FieldsSeq(names) {
			b.WriteString(`,"` + vocab + name + `":true`)
		}
		return jsonrpc.Raw(b.String() + `}}`)
	}
	const schema = `{"$schema":"http://h/meta","type":"string","items":false,"unevaluatedItems":false,"format":"date","default":1}`
	for _, row := range []struct{ name, vocabularies, refused string }{
		{"core", "core", ``},
		{"validation", "core validation", `1 [] [1]`},
		{"applicator", "core applicator", `[1]`},
		{"unevaluated", "core unevaluated", `[1]`},
		{"format", "core format-annotation", ``},
		{"format asserted", "core format-assertion", `"x"`},
	} {
		o := &jsonschema.Options{Remotes: map[string]jsonrpc.Raw{"http://h/meta": meta(row.vocabularies)}}
		s := compile(t, schema, o)
		var refused []string
		for _, value := range []string{`"x"`, `1`, `[]`, `[1]`} {
			if s.Validate(jsonrpc.Raw(value)) != nil {
				refused = append(refused, value)
			}
		}
		if got := strings.Join(refused, " "); got != row.refused {
			t.Errorf("%s: refused are %s, want %s", row.name, got, row.refused)
		}
	}
}

// A document that names no dialect has that of the schema which refers to it.
func TestDialectOfRemotes(t *testing.T) {
	o := &jsonschema.Options{Remotes: map[string]jsonrpc.Raw{
		"http://h/plain": jsonrpc.Raw(`{"items":[{"type":"string"}],"$id":"#here"}`),
		"http://h/new":   jsonrpc.Raw(`{"$schema":"https://json-schema.org/draft/2020-12/schema","prefixItems":[{"type":"string"}]}`),
	}}
	s := compile(t, `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"http://h/plain#here"},"b":{"$ref":"http://h/new"}}}`, o)
	for value, want := range map[string]string{
		`{"a":["x"],"b":["x"]}`: ``,
		`{"a":[1]}`:             `args.a[0]: expected a string, got the number 1`,
		`{"b":[1]}`:             `args.b[0]: expected a string, got the number 1`,
	} {
		if got, _ := fault(t, s, value); got != want {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
	if _, err := jsonschema.Compile(jsonrpc.Raw(`{"$ref":"http://h/plain"}`), o); err == nil {
		t.Error("items as a list is taken in draft 2020-12")
	}
}

// The metaschemas are made of a table. They must take what Compile takes, and refuse what
// it refuses for its shape.
func TestMetaschemas(t *testing.T) {
	meta2020 := compile(t, `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, nil)
	meta7 := compile(t, `{"$ref":"http://json-schema.org/draft-07/schema#"}`, nil)
	validation := compile(t, `{"$ref":"https://json-schema.org/draft/2020-12/meta/validation"}`, nil)
	for _, row := range []struct {
		schema                    string
		ok2020, ok7, okValidation bool
	}{
		{flat, true, true, true},
		{`{"$defs":{"a":{"$anchor":"b","$dynamicRef":"#c"}},"$vocabulary":{"http://h/":true}}`, true, true, true},
		{`{"type":"int"}`, false, false, false},
		{`{"type":["null","null"]}`, false, false, false},
		{`{"properties":{"a":{"minLength":-1}}}`, false, false, true},
		{`{"items":[true]}`, false, true, true},
		{`{"items":{"required":[1]}}`, false, false, true},
		{`{"dependentRequired":{"a":1}}`, false, true, false},
		{`{"dependencies":{"a":1}}`, true, false, true},
		{`{"allOf":[]}`, false, false, true},
		{`{"$anchor":"#"}`, false, true, true},
		{`{"multipleOf":0}`, false, false, false},
		{`{"unevaluatedItems":1}`, false, true, true},
		{`{"format":1}`, false, false, true},
		{`{"title":1}`, false, false, true},
		{`{"contentSchema":{"not":1}}`, false, true, true},
		{`{"if":1}`, false, false, true},
		{`1`, false, false, false},
	} {
		for _, one := range []struct {
			name string
			s    *jsonschema.Schema
			want bool
		}{{"2020-12", meta2020, row.ok2020}, {"draft-07", meta7, row.ok7}, {"meta/validation", validation, row.okValidation}} {
			if err := one.s.Validate(jsonrpc.Raw(row.schema)); (err == nil) != one.want {
				t.Errorf("%s by the metaschema %s: %v", row.schema, one.name, err)
			}
		}
	}
	if _, err := jsonschema.Compile(jsonrpc.Raw(`{"$ref":"https://json-schema.org/draft/2020-12/meta/nothing"}`), nil); err == nil {
		t.Error("a metaschema that does not exist is found")
	}
}

// Extending a tree by $dynamicRef is what the keyword is for.
func TestDynamicRef(t *testing.T) {
	tree := jsonrpc.Raw(`{"$id":"http://h/tree","$dynamicAnchor":"node","type":"object",
		"properties":{"data":true,"children":{"type":"array","items":{"$dynamicRef":"#node"}}}}`)
	o := &jsonschema.Options{Remotes: map[string]jsonrpc.Raw{"http://h/tree": tree}}
	strict := compile(t, `{"$id":"http://h/strict","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false}`, o)
	loose := compile(t, `{"$ref":"http://h/tree"}`, o)
	const misspelt = `{"children":[{"daat":1}]}`
	if got, _ := fault(t, loose, misspelt); got != "" {
		t.Errorf("the loose tree: %s", got)
	}
	want := `args.children[0]: expected no other members than "data" and "children", got the unknown member "daat" (did you mean "data"?)`
	if got, path := fault(t, strict, misspelt); got != want || path != "#/unevaluatedProperties" {
		t.Errorf("the strict tree\n got %s (%s)\nwant %s", got, path, want)
	}
	if got, _ := fault(t, strict, `{"children":[{"data":1,"children":[]}]}`); got != "" {
		t.Errorf("the strict tree: %s", got)
	}
}
