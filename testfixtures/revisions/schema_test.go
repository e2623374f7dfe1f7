package revisions_test

import (
	"strings"
	"testing"

	"isthmus.internal/testfixtures/revisions"
)

// TestSchema: definitions of both dialects are found and asserted.
func TestSchema(t *testing.T) {
	const definitions = `{
		"Text":{"type":"string","format":"uri"},
		"Open":{"type":"object","properties":{"a":{"$ref":"#/KEYWORD/Text"},"in":{"type":"object","properties":{"b":{}},"required":["b"]}},"required":["a"]},
		"List":{"type":"array","items":{"$ref":"#/KEYWORD/Open"}},
		"Lost":{"$ref":"#/KEYWORD/Nowhere"},
		"Elsewhere":{"$ref":"https://a.example/other.json#/KEYWORD/Text"}}`
	tests := []struct{ definition, text, want string }{ // want: "" when it is valid
		{"Text", `"a:b"`, ""},
		{"Text", `1`, "Text: expected "},
		{"Text", `"no uri"`, "Text: expected "},
		{"Text", `"a`, "Text: "},
		{"Open", `{"a":"a:b","c":1}`, ""},
		{"Open", `{}`, "Open: expected "},
		{"Open", `{"a":"a:b","in":{}}`, "Open.in: expected "},
		{"List", `[{"a":"a:b"},{"a":1}]`, "List[1].a: expected "},
		{"Lost", `1`, "jsonschema: "},
		{"Elsewhere", `1`, "jsonschema: "},
		{"Other", `1`, "the schema does not define Other"},
	}
	for _, d := range []struct{ dialect, keyword string }{
		{"http://json-schema.org/draft-07/schema#", "definitions"},
		{"https://json-schema.org/draft/2020-12/schema", "$defs"},
	} {
		s, err := revisions.ReadSchema([]byte(`{"$schema":"` + d.dialect + `","` + d.keyword + `":` + strings.ReplaceAll(definitions, "KEYWORD", d.keyword) + `}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range tests {
			for range 2 { // the second time it is compiled already
				got := strings.Join(s.Check(test.definition, []byte(test.text)), "\n")
				if test.want == "" && got != "" || !strings.HasPrefix(got, test.want) {
					t.Errorf("%s: %s as %s\n got %q\nwant %q", d.dialect, test.text, test.definition, got, test.want)
				}
			}
		}
		checkMembers(t, s)
	}
}

func checkMembers(t *testing.T, s *revisions.Schema) {
	t.Helper()
	tests := []struct{ path, listed, required string }{
		{"Open", "a in", "a"}, {"Open/in", "b", "b"},
		{"Open/a", "-", ""}, {"Open/none", "-", ""}, {"Text", "-", ""}, {"None", "-", ""}, {"None/a", "-", ""},
	}
	for _, test := range tests {
		listed, required, ok := s.Members(test.path)
		if !ok {
			listed = []string{"-"}
		}
		if strings.Join(listed, " ") != test.listed || strings.Join(required, " ") != test.required {
			t.Errorf("Members(%s) = %v, %v, %t, want %s and %s", test.path, listed, required, ok, test.listed, test.required)
		}
	}
}

func TestReadSchema(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"definitions", `{"$schema":"s","definitions":{"A":{"type":"string"}}}`, ""},
		{"$defs", `{"$schema":"s","$defs":{"A":{}}}`, ""},
		{"not JSON", `{`, "the schema is not JSON"},
		{"no definitions", `{"type":"string"}`, "neither definitions nor $defs"},
		{"no dialect", `{"$defs":{}}`, "the schema names no dialect"},
		{"definitions that are none", `{"$schema":"s","$defs":[]}`, "the definitions of the schema cannot be read"},
	}
	for _, test := range tests {
		_, err := revisions.ReadSchema([]byte(test.text))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: ReadSchema(%s): %v, want %q", test.name, test.text, err, test.want)
		}
	}
}
