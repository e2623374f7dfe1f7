package mcp

import (
	"errors"
	"fmt"
	"strings"

	"isthmus.internal/jsonrpc"
)

// headerKeyword marks an argument that clients repeat in an HTTP header, for what
// stands between them and the server (2026-07-28 server/tools, x-mcp-header).
const headerKeyword = "x-mcp-header"

// checkHeaders holds an input schema to the rules for x-mcp-header: clients drop a
// tool that breaks them (2026-07-28 basic/transports/streamable-http, Custom Headers
// from Tool Parameters).
func checkHeaders(schema jsonrpc.Raw) error {
	h := headers{names: map[string]bool{}}
	return h.schema(schema, atRoot)
}

// headers are the marks of one schema.
type headers struct {
	names map[string]bool // in lower case
}

// place is where in the schema a schema stands.
type place uint8

const (
	atRoot      place = iota
	atProperty        // reached by the keyword properties alone
	atElsewhere       // by another keyword: the value's path is not known
)

// schema checks a schema and all within it.
func (h *headers) schema(schema jsonrpc.Raw, at place) error {
	var mark, kind jsonrpc.Raw
	o := jsonrpc.ReadObject(schema)
	for o.Next() {
		value, inner := o.Value(), atElsewhere
		var err error
		switch string(o.Name()) {
		case headerKeyword:
			mark = value
		case "type":
			kind = value
		case "properties":
			if at != atElsewhere {
				inner = atProperty
			}
			err = h.members(value, inner)
		case "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions":
			err = h.members(value, inner)
		case "allOf", "anyOf", "oneOf", "prefixItems":
			err = h.elements(value)
		case "items", "additionalItems", "contains", "additionalProperties", "propertyNames",
			"unevaluatedItems", "unevaluatedProperties", "not", "if", "then", "else", "contentSchema":
			err = h.schema(value, inner)
			if value.Kind() == jsonrpc.KindArray { // items of draft-07
				err = h.elements(value)
			}
		}
		if err != nil {
			return err
		}
	}
	if mark == nil {
		return nil
	}
	return h.mark(mark, kind, at)
}

// members checks the schemas that are members of an object.
func (h *headers) members(schemas jsonrpc.Raw, at place) error {
	for o := jsonrpc.ReadObject(schemas); o.Next(); {
		name := string(o.Name())
		if err := h.schema(o.Value(), at); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (h *headers) elements(schemas jsonrpc.Raw) error {
	for a := jsonrpc.ReadArray(schemas); a.Next(); {
		if err := h.schema(a.Value(), atElsewhere); err != nil {
			return err
		}
	}
	return nil
}

// mark checks one x-mcp-header, which stands beside a type.
func (h *headers) mark(mark, kind jsonrpc.Raw, at place) error {
	name, ok := mark.Text()
	switch {
	case !ok || !isToken(name):
		return fmt.Errorf("x-mcp-header is %s: it must be the name of a header: letters, digits and !#$%%&'*+-.^_`|~", jsonrpc.Clip(mark))
	case at == atRoot:
		return errors.New("x-mcp-header is for a property, not for the arguments as a whole")
	case at == atElsewhere:
		return fmt.Errorf("x-mcp-header %q: it is only for a property that is reached by properties alone, not for items, alternatives or a $ref", name)
	case !kind.Is("string") && !kind.Is("integer") && !kind.Is("boolean"):
		return fmt.Errorf(`x-mcp-header %q: the type beside it must be "string", "integer" or "boolean"`, name)
	}
	lower := strings.ToLower(name)
	if h.names[lower] {
		return fmt.Errorf("x-mcp-header %q stands twice, letter case aside", name)
	}
	h.names[lower] = true
	return nil
}
