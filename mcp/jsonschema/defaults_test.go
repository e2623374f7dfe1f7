package jsonschema_test

import (
	"errors"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

func TestApplyDefaults(t *testing.T) {
	const nested = `{"properties":{
		"page":{"$ref":"#/$defs/page"},
		"rows":{"items":{"properties":{"n":{"default":[1, 2]}}}},
		"pair":{"prefixItems":[{"properties":{"x":{"default":0}}}]}
	},"$defs":{"page":{"properties":{"size":{"type":"integer","default":20},"at":{"default":null}}}}}`
	for _, row := range []struct{ name, schema, value, want string }{
		{"absent", `{"properties":{"n":{"default":10},"s":{"default":"a\u00e9"}}}`, `{}`, `{"n":10,"s":"a\u00e9"}`},
		{"beside others", `{"properties":{"n":{"default":10}}}`, ` { "a" : 1 } `, ` { "a" : 1 ,"n":10} `},
		{"zero stays", `{"properties":{"n":{"default":10}}}`, `{"n":0}`, ``},
		{"null stays", `{"properties":{"n":{"default":10}}}`, `{"n":null}`, ``},
		{"escaped names are names", `{"properties":{"n":{"default":10}}}`, `{"\u006e":0}`, ``},
		{"no object", `{"properties":{"n":{"default":10}}}`, `[]`, ``},
		{"no JSON", `{"properties":{"n":{"default":10}}}`, `{`, ``},
		{"no defaults", `{"properties":{"n":{}}}`, `{}`, ``},
		{"default of the whole", `{"default":{"a":1}}`, `{}`, ``},
		{"names are escaped", `{"properties":{"a\"b":{"default":1}}}`, `{}`, `{"a\"b":1}`},
		{"by $ref", nested, `{"page":{}}`, `{"page":{"size":20,"at":null}}`},
		{"in elements", nested, `{"rows":[{},{"n":1},{}],"page":{"at":1}}`, `{"rows":[{"n":[1,2]},{"n":1},{"n":[1,2]}],"page":{"at":1,"size":20}}`},
		{"in the first of two", nested, `{"pair":[{},{}]}`, `{"pair":[{"x":0},{}]}`},
		{"not inside what is absent", nested, `{}`, ``},
		{"beside $ref", `{"properties":{"a":{"$ref":"#/$defs/d","default":1}},"$defs":{"d":{"default":2}}}`, `{}`, `{"a":1}`},
		{"behind $ref", `{"properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"default":2}}}`, `{}`, `{"a":2}`},
		{"allOf", `{"allOf":[{"properties":{"a":{"default":1}}},{"properties":{"b":{"default":2}}}]}`, `{}`, `{"a":1,"b":2}`},
		{"allOf agrees", `{"allOf":[{"properties":{"a":{"default":1}}},{"properties":{"a":{"default":1}}}]}`, `{}`, `{"a":1}`},
		{"allOf does not agree", `{"allOf":[{"properties":{"a":{"default":1}}},{"properties":{"a":{"default":2}}}]}`, `{}`, ``},
		{"anyOf is open", `{"anyOf":[{"properties":{"a":{"default":1}}}],"if":true,"then":{"properties":{"b":{"default":1}}}}`, `{}`, ``},
		{"recursive", `{"properties":{"n":{"default":1},"next":{"$ref":"#"}}}`, `{"next":{"next":{}}}`, `{"next":{"next":{"n":1},"n":1},"n":1}`},
		{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"properties":{"a":{"default":1}}}]}`, `[{},{}]`, `[{"a":1},{}]`},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := compile(t, row.schema, nil)
			value := jsonrpc.Raw(row.value)
			got, err := s.ApplyDefaults(value)
			switch {
			case err != nil:
				t.Errorf("schema %s\nvalue %s\n  got %v", row.schema, row.value, err)
			case row.want == "" && (len(got) != len(value) || &got[0] != &value[0]):
				t.Errorf("schema %s\nvalue %s\n  got %s, want the value itself", row.schema, row.value, got)
			case row.want != "" && string(got) != row.want:
				t.Errorf("schema %s\nvalue %s\n  got %s\n want %s", row.schema, row.value, got, row.want)
			}
		})
	}
}

// A long default in each of many elements would make a value of any size.
func TestApplyDefaultsIsBounded(t *testing.T) {
	s := compile(t, `{"items":{"properties":{"a":{"default":"`+strings.Repeat("x", 100_000)+`"}}}}`, &jsonschema.Options{MaxWork: 1_000_000})
	value := jsonrpc.Raw("[" + strings.TrimSuffix(strings.Repeat("{},", 10_000), ",") + "]")
	got, err := s.ApplyDefaults(value)
	var e *jsonschema.Error
	if got != nil || !errors.As(err, &e) || !strings.HasSuffix(e.Got, "which takes too many steps") {
		t.Errorf("%d bytes became %d, with the error %v; want an error about too many steps", len(value), len(got), err)
	}
}
