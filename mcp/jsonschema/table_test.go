package jsonschema_test

import (
	"errors"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// compile compiles a schema that must compile.
func compile(t testing.TB, schema string, o *jsonschema.Options) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.Compile(jsonrpc.Raw(schema), o)
	if err != nil {
		t.Fatalf("Compile(%.200s): %v", schema, err)
	}
	return s
}

// fault is what Validate finds wrong, "" for nothing, and the keyword that says so.
func fault(t testing.TB, s *jsonschema.Schema, value string) (text, schemaPath string) {
	t.Helper()
	err := s.Validate(jsonrpc.Raw(value))
	if err == nil {
		return "", ""
	}
	var e *jsonschema.Error
	if !errors.As(err, &e) {
		t.Fatalf("Validate(%.200s) = %T, want *Error", value, err)
	}
	return e.In("args"), e.SchemaPath
}

// valueRow is a value and what is wrong with it: "" for nothing.
type valueRow struct{ value, fault, schemaPath string }

// schemaRow is a schema and values for it.
type schemaRow struct {
	name, schema string
	values       []valueRow
}

func runTable(t *testing.T, o *jsonschema.Options, table []schemaRow) {
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := compile(t, row.schema, o)
			for _, v := range row.values {
				text, path := fault(t, s, v.value)
				if text != v.fault || path != v.schemaPath {
					t.Errorf("schema %s\n value %s\n   got %s (%s)\n  want %s (%s)", row.schema, v.value, text, path, v.fault, v.schemaPath)
				}
			}
		})
	}
}
