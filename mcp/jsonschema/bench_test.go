package jsonschema_test

import (
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// flat is a schema as tools have them.
const flat = `{"type":"object","properties":{
	"name":{"type":"string","minLength":1,"maxLength":40},
	"count":{"type":"integer","minimum":0,"maximum":100},
	"mode":{"enum":["fast","slow"]}
},"required":["name","count"],"additionalProperties":false}`

const flatValue = `{"name":"somebody","count":7,"mode":"slow"}`

// BenchmarkValidateFlat is what the arguments of a common tool cost.
func BenchmarkValidateFlat(b *testing.B) {
	s, err := jsonschema.Compile(jsonrpc.Raw(flat), nil)
	if err != nil {
		b.Fatal(err)
	}
	value := jsonrpc.Raw(flatValue)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Validate(value); err != nil {
			b.Fatal(err)
		}
	}
}
