package revisions_test

import (
	"strings"
	"testing"

	"isthmus.internal/testfixtures/revisions"
)

// TestSchema is the interpreter: every keyword, with what it takes and what it does not.
func TestSchema(t *testing.T) {
	s, err := revisions.ReadSchema([]byte(`{"$schema":"x","$defs":{
		"Text":{"type":"string","description":"d","format":"uri"},
		"Id":{"type":["string","integer"]},
		"Nothing":{"type":"null"},
		"Truth":{"type":"boolean"},
		"One":{"const":"one","type":"string"},
		"Two":{"enum":["a",2]},
		"Share":{"type":"number","minimum":0,"maximum":1},
		"Open":{"type":"object","properties":{"a":{"$ref":"#/$defs/Text"}},"required":["a"]},
		"Closed":{"type":"object","properties":{"a":{}},"additionalProperties":false},
		"Texts":{"type":"object","additionalProperties":{"type":"string"}},
		"List":{"type":"array","items":{"$ref":"#/$defs/Id"},"maxItems":2},
		"Either":{"anyOf":[{"$ref":"#/$defs/Text"},{"$ref":"#/$defs/Open"}]},
		"Both":{"allOf":[{"$ref":"#/$defs/Open"},{"properties":{"b":{"const":1}},"required":["b"]}]},
		"Lost":{"$ref":"#/$defs/Nowhere"},
		"Elsewhere":{"$ref":"other.json#/$defs/Text"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ definition, text, want string }{ // want: "" when it is valid
		{"Text", `"a"`, ""}, {"Text", `1`, "Text: is 1, must be of type string"}, {"Text", `"a`, "not JSON"}, {"Text", `"a" 1`, "not JSON"},
		{"Id", `"a"`, ""}, {"Id", `1`, ""}, {"Id", `1.0`, ""}, {"Id", `1.5`, "Id: is 1.5"}, {"Id", `null`, "Id: is null"},
		{"Nothing", `null`, ""}, {"Nothing", `false`, "Nothing: is false"},
		{"Truth", `true`, ""}, {"Truth", `"true"`, "Truth: is"},
		{"One", `"one"`, ""}, {"One", `"two"`, `One: is "two", must be "one"`},
		{"Two", `"a"`, ""}, {"Two", `2`, ""}, {"Two", `"2"`, `Two: is "2", must be one of ["a",2]`},
		{"Share", `0`, ""}, {"Share", `1`, ""}, {"Share", `0.5`, ""}, {"Share", `-0.1`, "Share: is -0.1, must be from 0 to 1"}, {"Share", `1.1`, "Share: is 1.1"},
		{"Open", `{"a":"x","b":1}`, ""}, {"Open", `{"b":1}`, "Open: a is missing"}, {"Open", `{"a":1}`, "Open.a: is 1, must be of type string"}, {"Open", `[]`, "Open: is []"},
		{"Closed", `{"a":null}`, ""}, {"Closed", `{"b":1}`, "Closed.b: nothing may stand here"},
		{"Texts", `{"a":"x"}`, ""}, {"Texts", `{"a":1}`, "Texts.a: is 1"},
		{"List", `[]`, ""}, {"List", `[1,"a"]`, ""}, {"List", `[1,2,3]`, "List: has 3 elements, must have at most 2"}, {"List", `[1,true]`, "List[1]: is true"},
		{"Either", `"a"`, ""}, {"Either", `{"a":"x"}`, ""}, {"Either", `{}`, "Either: is {}, which none of 2 alternatives allows"},
		{"Both", `{"a":"x","b":1}`, ""}, {"Both", `{"a":"x"}`, "Both: b is missing"}, {"Both", `{"b":1}`, "Both: a is missing"},
		{"Lost", `1`, "Lost: the schema refers to #/$defs/Nowhere"}, {"Elsewhere", `1`, "Elsewhere: the schema refers to other.json"},
		{"Other", `1`, "the schema does not define Other"},
	}
	for _, test := range tests {
		got := strings.Join(s.Check(test.definition, []byte(test.text)), "\n")
		if test.want == "" && got != "" || !strings.HasPrefix(got, test.want) {
			t.Errorf("%s as %s\n got %q\nwant %q", test.text, test.definition, got, test.want)
		}
	}
}

func TestReadSchema(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"definitions", `{"definitions":{"A":{"type":"string"}}}`, ""},
		{"$defs", `{"$defs":{"A":true}}`, ""},
		{"not JSON", `{`, "the schema is not JSON"},
		{"no definitions", `{"type":"string"}`, "neither definitions nor $defs"},
		{"unknown keyword", `{"$defs":{"A":{"pattern":"x"}}}`, "A: the keyword pattern is not understood"},
		{"unknown keyword inside", `{"$defs":{"A":{"properties":{"b":{"anyOf":[{"items":{"not":{}}}]}}}}}`, "A/properties/anyOf/items: the keyword not is not understood"},
	}
	for _, test := range tests {
		_, err := revisions.ReadSchema([]byte(test.text))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: ReadSchema(%s): %v, want %q", test.name, test.text, err, test.want)
		}
	}
}
