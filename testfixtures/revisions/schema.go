package revisions

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// Schema is the published schema of one revision: definitions that are looked up by name,
// for the validator of package jsonschema to check messages with.
type Schema struct {
	text        jsonrpc.Raw
	dialect     string
	keyword     string // under which the definitions stand: "definitions" or "$defs"
	definitions map[string]definition
	compiled    map[string]*jsonschema.Schema
}

// definition is what is looked at in a definition beside the validator.
type definition struct {
	Properties map[string]definition
	Required   []string
	Type       any
}

// ReadSchema reads the text of a schema.
func ReadSchema(text []byte) (*Schema, error) {
	var root map[string]json.RawMessage
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("revisions: the schema is not JSON: %w", err)
	}
	for _, keyword := range []string{"definitions", "$defs"} {
		if root[keyword] == nil {
			continue
		}
		s := &Schema{text: text, keyword: keyword, compiled: map[string]*jsonschema.Schema{}}
		if err := json.Unmarshal(root["$schema"], &s.dialect); err != nil {
			return nil, fmt.Errorf("revisions: the schema names no dialect: %w", err)
		}
		if err := json.Unmarshal(root[keyword], &s.definitions); err != nil {
			return nil, fmt.Errorf("revisions: the definitions of the schema cannot be read: %w", err)
		}
		return s, nil
	}
	return nil, errors.New("revisions: the schema has neither definitions nor $defs")
}

// Check validates a text against a definition and returns what is wrong with it. A format
// is an assertion. It must not be called twice at once.
func (s *Schema) Check(definition string, text []byte) []string {
	compiled, err := s.compile(definition)
	if err != nil {
		return []string{err.Error()}
	}
	err = compiled.Validate(text)
	var e *jsonschema.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return []string{e.In(definition)}
	}
	return []string{definition + ": " + err.Error()}
}

// compile makes a schema of one definition, once.
func (s *Schema) compile(definition string) (*jsonschema.Schema, error) {
	if known := s.compiled[definition]; known != nil {
		return known, nil
	}
	if _, ok := s.definitions[definition]; !ok {
		return nil, fmt.Errorf("the schema does not define %s", definition)
	}
	const whole = "mcp:schema"
	text := fmt.Sprintf(`{"$schema":%q,"$ref":%q}`, s.dialect, whole+"#/"+s.keyword+"/"+definition)
	compiled, err := jsonschema.Compile(jsonrpc.Raw(text), &jsonschema.Options{
		AssertFormat: true,
		Remotes:      map[string]jsonrpc.Raw{whole: s.text},
	})
	if err != nil {
		return nil, err
	}
	s.compiled[definition] = compiled
	return compiled, nil
}

// Members returns the members that a definition lists and those that it requires, both
// sorted; ok is false when it is not defined, or not as an object. A path such as
// "Tool/inputSchema" leads from a definition to one of its members.
func (s *Schema) Members(path string) (listed, required []string, ok bool) {
	name, rest, _ := strings.Cut(path, "/")
	d, ok := s.definitions[name]
	for rest != "" && ok {
		name, rest, _ = strings.Cut(rest, "/")
		d, ok = d.Properties[name]
	}
	if !ok || d.Type != "object" {
		return nil, nil, false
	}
	return slices.Sorted(maps.Keys(d.Properties)), slices.Sorted(slices.Values(d.Required)), true
}
