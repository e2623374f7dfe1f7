package jsonschema_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// protocolSchema reads the published schema of one revision and its definitions.
func protocolSchema(t *testing.T, revision string) (o *jsonschema.Options, definitions jsonrpc.Raw, pointer string) {
	t.Helper()
	if *suites == "" {
		t.Skip("no -suites given")
	}
	text, err := os.ReadFile(filepath.Join(*suites, "mcp-schema", revision, "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	o = &jsonschema.Options{Remotes: map[string]jsonrpc.Raw{"mcp:schema": text}, AssertFormat: true}
	if definitions := member(text, "$defs"); definitions != nil {
		return o, definitions, "mcp:schema#/$defs/"
	}
	return o, member(text, "definitions"), "mcp:schema#/definitions/"
}

// TestSuiteProtocolSchemas compiles every definition of the protocol's own schemas.
func TestSuiteProtocolSchemas(t *testing.T) {
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		o, definitions, pointer := protocolSchema(t, revision)
		var refs []string
		for d := jsonrpc.ReadObject(definitions); d.Next(); {
			refs = append(refs, `{"$ref":"`+pointer+string(d.Name())+`"}`)
		}
		if len(refs) < 50 {
			t.Errorf("only %d definitions in %s", len(refs), revision)
		}
		compile(t, `{"anyOf":[`+strings.Join(refs, ",")+`]}`, o)
	}
}

// TestSuiteProtocolExamples holds the official examples against their definitions; and
// each without one of its members, as far as that is required, is refused.
func TestSuiteProtocolExamples(t *testing.T) {
	const revision = "2026-07-28"
	o, definitions, pointer := protocolSchema(t, revision)
	files, err := filepath.Glob(filepath.Join(*suites, "mcp-schema", revision, "examples", "*", "*.json"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%d examples, error %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(file))
		s := compile(t, `{"$ref":"`+pointer+name+`"}`, o)
		if err := s.Validate(text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		required := jsonrpc.ReadArray(member(member(definitions, name), "required"))
		for required.Next() {
			missing, _ := required.Value().Text()
			err := s.Validate(without(text, missing))
			if err == nil || !strings.Contains(err.Error(), `the required member "`+missing+`"`) {
				t.Errorf("%s without %s: %v", file, missing, err)
			}
		}
	}
}

// without is an object without one of its members.
func without(object jsonrpc.Raw, name string) jsonrpc.Raw {
	text := []byte{'{'}
	for o := jsonrpc.ReadObject(object); o.Next(); {
		if string(o.Name()) == name {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(jsonrpc.AppendStringBytes(text, o.Name()), ':')
		text = append(text, o.Value()...)
	}
	return append(text, '}')
}
