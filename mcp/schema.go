package mcp

import (
	"errors"
	"fmt"

	"isthmus.internal/jsonrpc"
)

// schema is what registration has found out about a tool's input or output schema.
type schema struct {
	text   jsonrpc.Raw
	object bool // its type is "object"
	// plain is the schema for revisions in which every property is described by an
	// object: there true and false are written as the objects that mean the same.
	plain jsonrpc.Raw
}

// readSchema checks the parts of a schema that the protocol itself speaks of: it
// is an object, properties is one whose members are schemas, and required lists
// names (2026-07-28 schema, Tool; the schemas of earlier revisions, Tool). Whether
// the rest is a schema is for a validator to say.
func readSchema(text jsonrpc.Raw) (schema, error) {
	s := schema{text: text, plain: text}
	o := jsonrpc.ReadObject(text)
	for o.Next() {
		switch value := o.Value(); string(o.Name()) {
		case "type":
			s.object = value.Is("object")
		case "properties":
			if err := s.readProperties(value); err != nil {
				return s, err
			}
		case "required":
			if err := checkNames(value); err != nil {
				return s, err
			}
		}
	}
	if o.Err() != nil {
		return s, fmt.Errorf("it must be a JSON object: %w", o.Err())
	}
	return s, nil
}

// readProperties checks properties and, where a boolean stands for a schema,
// makes the plain form.
func (s *schema) readProperties(properties jsonrpc.Raw) error {
	w := writer{}
	w.open("", '{')
	booleans := false
	o := jsonrpc.ReadObject(properties)
	for o.Next() {
		value := o.Value()
		switch allowed, isBool := value.Bool(); {
		case isBool && allowed:
			value, booleans = jsonrpc.Raw(`{}`), true
		case isBool:
			value, booleans = jsonrpc.Raw(`{"not":{}}`), true
		case value.Kind() != jsonrpc.KindObject:
			return fmt.Errorf("properties.%s must be a schema: an object, true or false", o.Name())
		}
		w.member(string(o.Name()), value)
	}
	w.close('}')
	if o.Err() != nil {
		return errors.New("properties must be an object without duplicate members")
	}
	if booleans {
		s.plain = s.withProperties(w.dst)
	}
	return w.err
}

// withProperties is the schema with other properties.
func (s *schema) withProperties(properties jsonrpc.Raw) jsonrpc.Raw {
	w := writer{}
	w.open("", '{')
	for o := jsonrpc.ReadObject(s.text); o.Next(); {
		value := o.Value()
		if string(o.Name()) == "properties" {
			value = properties
		}
		w.member(string(o.Name()), value)
	}
	w.close('}')
	return w.dst
}

func checkNames(required jsonrpc.Raw) error {
	a := jsonrpc.ReadArray(required)
	for a.Next() {
		if a.Value().Kind() != jsonrpc.KindString {
			return errors.New("required must list names of properties")
		}
	}
	if a.Err() != nil {
		return errors.New("required must be an array")
	}
	return nil
}

// in returns the schema as the form has it.
func (s *schema) in(f *Form) jsonrpc.Raw {
	if f.BooleanSchemas {
		return s.text
	}
	return s.plain
}
