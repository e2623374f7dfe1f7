package mcp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"isthmus.internal/jsonrpc"
)

// headerKeyword marks an argument that clients repeat in an HTTP header, for what
// stands between them and the server (2026-07-28 server/tools, x-mcp-header).
const headerKeyword = "x-mcp-header"

// HeaderParam is one argument of a tool that clients repeat in a header of each call
// (2026-07-28 basic/transports/streamable-http, Custom Headers from Tool Parameters).
type HeaderParam struct {
	// Name is the header's, in canonical form: Mcp-Param-Region.
	Name string
	// Path leads from params.arguments to the value, from object to object. It has one
	// name at least.
	Path []string
	// Type is what the schema says of the value: string, integer or boolean.
	Type string
}

// HeaderParams returns the arguments of the tool of this name that clients repeat in
// headers, in the order of its schema: nil for most tools, for a name that no tool has,
// and for a tool that p may not know of, so that a missing header does not give it away.
// They were read when the tool was registered and must not be changed.
func (s *Server) HeaderParams(name []byte, p *Principal) []HeaderParam {
	if s.front != nil {
		return s.front.headerParams(string(name))
	}
	t, ok := s.registry().shelves[toolKind].named[string(name)].(*tool)
	if !ok || t.mirrored == nil || t.Visible != nil && !t.Visible(p) {
		return nil
	}
	return t.mirrored
}

// readHeaders finds the marks of an input schema and holds them to the rules for
// x-mcp-header: clients drop a tool that breaks them (2026-07-28
// basic/transports/streamable-http, Custom Headers from Tool Parameters).
func readHeaders(schema jsonrpc.Raw) ([]HeaderParam, error) {
	h := headers{}
	err := h.schema(schema, atRoot)
	return h.found, err
}

// headers are the marks of one schema.
type headers struct {
	found []HeaderParam
	path  []string // to the schema that is read, as far as it is of properties
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
		h.path = append(h.path, name)
		if err := h.schema(o.Value(), at); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		h.path = h.path[:len(h.path)-1]
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
	header := canonicalHeader("mcp-param-" + name)
	for _, other := range h.found {
		if other.Name == header {
			return fmt.Errorf("x-mcp-header %q stands twice, letter case aside", name)
		}
	}
	typ, _ := kind.Text()
	h.found = append(h.found, HeaderParam{Name: header, Path: slices.Clone(h.path), Type: typ})
	return nil
}

// canonicalHeader is the form in which Go keeps the name of a header: capitals at the
// start and behind each hyphen, small letters elsewhere. The library's own function would
// bring its network with it.
func canonicalHeader(name string) string {
	b := []byte(strings.ToLower(name))
	for i := range b {
		if (i == 0 || b[i-1] == '-') && 'a' <= b[i] && b[i] <= 'z' {
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}
