package mcp

import (
	"context"
	"fmt"
	"slices"

	"isthmus.internal/jsonrpc"
)

// complete answers completion/complete (2026-07-28 server/utilities/completion,
// Requesting Completions).
func (s *Server) complete(ctx context.Context, c *Call) (Reply, error) {
	in, err := c.readCompleting()
	if err != nil {
		return Reply{}, err
	}
	completer, err := c.findCompleter(in.Argument)
	if err != nil {
		return Reply{}, err
	}
	if completer == nil { // the argument is there, and has no suggestions
		return Reply{body: &Completion{}}, nil
	}
	result, err := completer(ctx, c, in)
	switch {
	case err != nil:
		return Reply{}, fmt.Errorf("mcp: completion of %q of %q: %w", in.Argument, c.name, err)
	case result == nil:
		result = &Completion{}
	}
	return Reply{body: result}, nil
}

// readCompleting reads params.argument and params.context.
func (c *Call) readCompleting() (in Completing, err error) {
	fields, err := readStrings(c.asked.Message.Param("argument"), "params.argument", "name", "value")
	if err != nil {
		return in, err
	}
	in.Argument, in.Value = fields["name"], fields["value"]
	if !c.asked.Form.CompletionContext || c.asked.Message.Param("context") == nil {
		return in, nil
	}
	o := jsonrpc.ReadObject(c.asked.Message.Param("context"))
	for o.Next() {
		if string(o.Name()) == "arguments" {
			if in.Context, err = readStringMap(o.Value(), "params.context.arguments"); err != nil {
				return in, err
			}
		}
	}
	if o.Err() != nil {
		return in, objectFault("params.context", c.asked.Message.Param("context"))
	}
	return in, nil
}

// findCompleter finds what completes the argument of params.ref, nil when the
// argument is there and nothing does.
func (c *Call) findCompleter(argument string) (Completer, error) {
	ref := c.asked.Message.Param("ref")
	kind, err := readStrings(ref, "params.ref", "type")
	if err != nil {
		return nil, err
	}
	switch kind["type"] {
	case "ref/prompt":
		fields, err := readStrings(ref, "params.ref", "name")
		if err != nil {
			return nil, err
		}
		return c.promptCompleter(fields["name"], argument)
	case "ref/resource":
		fields, err := readStrings(ref, "params.ref", "uri")
		if err != nil {
			return nil, err
		}
		return c.templateCompleter(fields["uri"], argument)
	}
	return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, `params.ref.type must be "ref/prompt" or "ref/resource"`)
}

func (c *Call) promptCompleter(name, argument string) (Completer, error) {
	p, err := c.findPrompt(name)
	if err != nil {
		return nil, err
	}
	c.name = p.Name
	a := p.argument(argument)
	if a == nil {
		return nil, unknownArgument(argument)
	}
	return a.Complete, nil
}

// templateCompleter takes the template as it is registered or a uri that it
// matches: both are references (2026-07-28 server/utilities/completion,
// CompleteRequest).
func (c *Call) templateCompleter(uri, argument string) (Completer, error) {
	c.read = &reading{uri: uri}
	t, ok := c.reg.shelves[templateKind].named[uri].(*resourceTemplate)
	for _, item := range c.reg.shelves[templateKind].items {
		if ok {
			break
		}
		t = item.(*resourceTemplate)
		c.read.variables, ok = t.match(uri)
	}
	if !ok || !c.visible(t) {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "Unknown resource template: %s", clip([]byte(uri)))
	}
	c.name = t.Name
	if !slices.Contains(t.variables, argument) {
		return nil, unknownArgument(argument)
	}
	return t.Complete[argument], nil
}

func unknownArgument(name string) error {
	return jsonrpc.Errorf(jsonrpc.InvalidParams, "Unknown argument: %s", clip([]byte(name)))
}

// readStrings reads the members of these names, each of which must be a string.
func readStrings(raw jsonrpc.Raw, where string, names ...string) (map[string]string, error) {
	found := make(map[string]string)
	o := jsonrpc.ReadObject(raw)
	for o.Next() {
		if !slices.Contains(names, string(o.Name())) {
			continue
		}
		if text, ok := o.Value().Text(); ok {
			found[string(o.Name())] = text
		}
	}
	if o.Err() != nil {
		return nil, objectFault(where, raw)
	}
	for _, name := range names {
		if _, ok := found[name]; !ok {
			return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "%s.%s must be a string", where, name)
		}
	}
	return found, nil
}

// readStringMap reads an object whose members are all strings.
func readStringMap(raw jsonrpc.Raw, where string) (map[string]string, error) {
	found := make(map[string]string)
	o := jsonrpc.ReadObject(raw)
	for o.Next() {
		text, ok := o.Value().Text()
		if !ok {
			return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "%s.%s must be a string", where, clip(o.Name()))
		}
		found[string(o.Name())] = text
	}
	if o.Err() != nil {
		return nil, objectFault(where, raw)
	}
	return found, nil
}

// checkCompleters checks that what completes a template's variables completes some.
func (t *resourceTemplate) checkCompleters() error {
	for name, completer := range t.Complete {
		if !slices.Contains(t.variables, name) || completer == nil {
			return fmt.Errorf("Complete has the name %q, which is no variable of the template or has no Completer", name)
		}
	}
	return nil
}
