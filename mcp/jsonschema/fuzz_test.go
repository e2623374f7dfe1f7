package jsonschema_test

import (
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// FuzzValidate compiles whatever comes and checks whatever comes against it. Nothing
// panics or runs away, and what is said about the value keeps its form.
func FuzzValidate(f *testing.F) {
	for _, seed := range [][2]string{
		{flat, flatValue},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`, `["a",1]`},
		{`{"$id":"http://h/","$dynamicAnchor":"x","items":{"$dynamicRef":"#x"},"$defs":{"a":{"$anchor":"y"}},"not":{"$ref":"#y"}}`, `[[1]]`},
		{`{"patternProperties":{"^\\p{L}[^\\s]{1,3}$":{"multipleOf":0.01}},"unevaluatedProperties":{"minimum":-1e400}}`, `{"abc":1.005,"x":2e-999}`},
		{`{"oneOf":[{"const":{"a":[1,2.0]}},{"enum":["x",null]}],"uniqueItems":true}`, `[1,1.0,{"a":[1]}]`},
		{`{"if":{"required":["a"]},"then":{"dependentRequired":{"a":["b"]}},"else":{"contains":true,"minContains":2}}`, `{"a":1}`},
		{`{"properties":{"a":{"default":1,"$ref":"#/$defs/b"}},"$defs":{"b":{"properties":{"c":{"default":[]}}}}}`, `{"a":{}}`},
		{`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `{"type":["string"],"minLength":-1}`},
		{`{"format":"uri","propertyNames":{"format":"date-time"}}`, `"http://h/%zz"`},
	} {
		f.Add(seed[0], seed[1])
	}
	o := &jsonschema.Options{MaxBytes: 1 << 14, MaxSchemas: 1000, MaxWork: 100_000, AssertFormat: true}
	scanner := jsonrpc.Scanner{Depth: jsonrpc.MaxDepth}
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, err := jsonschema.Compile(jsonrpc.Raw(schema), o)
		if err != nil {
			if s != nil || strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("Compile(%q) = %v, %q", schema, s, err)
			}
			return
		}
		err = s.Validate(jsonrpc.Raw(value))
		if again := s.Validate(jsonrpc.Raw(value)); (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() {
			t.Fatalf("schema %q, value %q: %v, then %v", schema, value, err, again)
		}
		if err != nil && (strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 20_000) {
			t.Fatalf("schema %q, value %q: error %q", schema, value, err)
		}
		valid := scanner.Valid([]byte(value))
		if err == nil && !valid {
			t.Fatalf("schema %q takes %q, which is no JSON", schema, value)
		}
		if full, err := s.ApplyDefaults(jsonrpc.Raw(value)); err == nil && valid && !scanner.Valid(full) {
			t.Fatalf("schema %q, value %q: ApplyDefaults = %q", schema, value, full)
		}
	})
}

// FuzzPattern translates whatever comes, and what is translated matches in bounded time.
func FuzzPattern(f *testing.F) {
	f.Add(`^(?<a>\p{L}|[^\s\d-])+?\u{1F600}$`, "é😀")
	f.Add(`(?=a)\1[\b]{2,3}`, "aa")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		s, err := jsonschema.Compile(patternSchema(pattern), nil)
		if err != nil {
			return
		}
		s.Validate(jsonrpc.AppendString(nil, text))
	})
}
