package mcp

import (
	"errors"
	"fmt"
	"slices"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// formSchema is the schema of a form: an object whose properties are flat (2026-07-28
// client/elicitation, Requested Schema).
type formSchema struct {
	text       jsonrpc.Raw
	dialect    jsonrpc.Raw // $schema, nil when absent
	required   jsonrpc.Raw
	properties []formProperty
}

// formProperty is one field of a form.
type formProperty struct {
	name    string
	kind    *formKind
	members []schemaMember // in order
}

type schemaMember struct {
	name  string
	value jsonrpc.Raw
}

// formKind is one of the PrimitiveSchemaDefinitions (2026-07-28 schema).
type formKind struct {
	members []string // beside type, title, description and default
	check   func(p *formProperty) error
}

var (
	kindText    = &formKind{[]string{"minLength", "maxLength", "format"}, (*formProperty).checkFormat}
	kindNumber  = &formKind{[]string{"minimum", "maximum"}, nil}
	kindBoolean = &formKind{nil, nil}
	kindEnum    = &formKind{[]string{"enum", "enumNames"}, (*formProperty).checkEnum}
	kindTitled  = &formKind{[]string{"oneOf"}, func(p *formProperty) error { return checkTitled(p.member("oneOf")) }}
	kindSeveral = &formKind{[]string{"items", "minItems", "maxItems"}, (*formProperty).checkItems}
)

// formats are those that a text may have (2026-07-28 schema, StringSchema).
var formats = []string{"email", "uri", "date", "date-time"}

// readFormSchema checks that a schema is that of a form.
func readFormSchema(text jsonrpc.Raw) (*formSchema, error) {
	s := &formSchema{text: text}
	isObject, hasProperties := false, false
	o := jsonrpc.ReadObject(text)
	for o.Next() {
		switch v := o.Value(); string(o.Name()) {
		case "$schema":
			s.dialect = v
		case "type":
			isObject = v.Is("object")
		case "required":
			s.required = v
		case "properties":
			hasProperties = true
			if err := s.readProperties(v); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("its schema has the member %q: it may have type, properties, required and $schema", o.Name())
		}
	}
	switch {
	case o.Err() != nil:
		return nil, fmt.Errorf("its schema must be a JSON object: %w", o.Err())
	case !isObject || !hasProperties:
		return nil, errors.New(`its schema must have "type":"object" and properties`)
	}
	return s, nil
}

func (s *formSchema) readProperties(properties jsonrpc.Raw) error {
	o := jsonrpc.ReadObject(properties)
	for o.Next() {
		p, err := readFormProperty(string(o.Name()), o.Value())
		if err != nil {
			return fmt.Errorf("property %q: %w", o.Name(), err)
		}
		s.properties = append(s.properties, p)
	}
	if o.Err() != nil {
		return errors.New("properties must be an object without duplicate members")
	}
	return nil
}

func readFormProperty(name string, text jsonrpc.Raw) (p formProperty, err error) {
	p.name = name
	o := jsonrpc.ReadObject(text)
	for o.Next() {
		p.members = append(p.members, schemaMember{string(o.Name()), o.Value()})
	}
	if o.Err() != nil {
		return p, errors.New("it must be a schema that is an object")
	}
	if p.kind, err = p.kindOf(); err != nil {
		return p, err
	}
	for _, m := range p.members {
		switch {
		case slices.Contains([]string{"type", "title", "description", "default"}, m.name):
		case !slices.Contains(p.kind.members, m.name):
			return p, fmt.Errorf("a form cannot have %s here (2026-07-28 schema, PrimitiveSchemaDefinition): check it after the answer", m.name)
		}
	}
	if p.kind.check != nil {
		if err := p.kind.check(&p); err != nil {
			return p, err
		}
	}
	return p, p.checkDefault(text)
}

func (p *formProperty) member(name string) jsonrpc.Raw {
	for _, m := range p.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (p *formProperty) kindOf() (*formKind, error) {
	kind := p.member("type")
	switch {
	case kind.Is("string") && p.member("enum") != nil:
		return kindEnum, nil
	case kind.Is("string") && p.member("oneOf") != nil:
		return kindTitled, nil
	case kind.Is("string"):
		return kindText, nil
	case kind.Is("number"), kind.Is("integer"):
		return kindNumber, nil
	case kind.Is("boolean"):
		return kindBoolean, nil
	case kind.Is("array"):
		return kindSeveral, nil
	}
	return nil, errors.New("a form has strings, numbers, integers, booleans, and choices of strings, and nothing inside of them")
}

func (p *formProperty) checkFormat() error {
	if format := p.member("format"); format != nil && !slices.ContainsFunc(formats, format.Is) {
		return fmt.Errorf("the format of a text is one of %q", formats)
	}
	return nil
}

func (p *formProperty) checkEnum() error {
	values, err := textsOf(p.member("enum"))
	if err != nil || len(values) == 0 {
		return errors.New("enum must list strings")
	}
	if names := p.member("enumNames"); names != nil {
		if titles, err := textsOf(names); err != nil || len(titles) != len(values) {
			return errors.New("enumNames must list a string for each of enum")
		}
	}
	return nil
}

// checkItems checks a choice of several: plain strings, or strings with titles.
func (p *formProperty) checkItems() error {
	members := rawsOf(p.member("items"))
	titled := members["anyOf"]
	switch values, err := textsOf(members["enum"]); {
	case titled != nil && len(members) == 1:
		return checkTitled(titled)
	case members["type"].Is("string") && err == nil && len(values) > 0 && len(members) == 2:
		return nil
	}
	return errors.New(`the items of a list are {"type":"string","enum":[…]} or {"anyOf":[{"const":…,"title":…}]}`)
}

func checkTitled(choices jsonrpc.Raw) error {
	_, _, err := titledChoices(choices)
	return err
}

// titledChoices takes [{"const":…,"title":…},…] apart.
func titledChoices(choices jsonrpc.Raw) (values, titles []string, err error) {
	a := jsonrpc.ReadArray(choices)
	for a.Next() {
		members := rawsOf(a.Value())
		value, isText := members["const"].Text()
		title, hasTitle := members["title"].Text()
		if !isText || !hasTitle || len(members) != 2 {
			return nil, nil, errors.New(`a choice with a title is {"const":…,"title":…}, two strings`)
		}
		values, titles = append(values, value), append(titles, title)
	}
	if a.Err() != nil || len(values) == 0 {
		return nil, nil, errors.New("choices with titles must be a list")
	}
	return values, titles, nil
}

// checkDefault checks that the keywords have values that JSON Schema allows, and that
// the default fits them.
func (p *formProperty) checkDefault(text jsonrpc.Raw) error {
	schema, err := jsonschema.Compile(text, &jsonschema.Options{AssertFormat: true})
	if err != nil {
		return err
	}
	var e *jsonschema.Error
	if value := p.member("default"); value != nil && errors.As(schema.Validate(value), &e) {
		return errors.New(e.In("default"))
	}
	return nil
}

// several names a property that is a choice of several, "" when there is none.
func (s *formSchema) several() string {
	for _, p := range s.properties {
		if p.kind == kindSeveral {
			return p.name
		}
	}
	return ""
}

// write writes the schema as the revision can have it.
func (s *formSchema) write(w *writer, f *Form) {
	w.open("", '{')
	if f.FormDialect {
		w.raw("$schema", s.dialect)
	}
	w.text("type", "object")
	w.open("properties", '{')
	for _, p := range s.properties {
		w.comma()
		w.dst = append(jsonrpc.AppendString(w.dst, p.name), ':')
		p.write(w, f)
	}
	w.close('}')
	w.raw("required", s.required)
	w.close('}')
}

func (p *formProperty) write(w *writer, f *Form) {
	w.open("", '{')
	for _, m := range p.members {
		switch {
		case m.name == "default" && !f.FormDefaults && p.kind != kindBoolean:
		case p.kind == kindTitled && m.name == "oneOf" && !f.FormChoices:
			values, titles, _ := titledChoices(m.value) // checked before
			w.list("enum", values)
			w.list("enumNames", titles)
		default:
			w.raw(m.name, m.value)
		}
	}
	w.close('}')
}

// textsOf are the elements of an array of strings.
func textsOf(v jsonrpc.Raw) ([]string, error) {
	var texts []string
	a := jsonrpc.ReadArray(v)
	for a.Next() {
		text, ok := a.Value().Text()
		if !ok {
			return nil, errors.New("not a string")
		}
		texts = append(texts, text)
	}
	return texts, a.Err()
}
