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
	asked, err := c.readCompleting()
	if err != nil {
		return Reply{}, err
	}
	completer, err := c.findCompleter(&asked)
	if err != nil {
		return Reply{}, err
	}
	if completer == nil { // the argument is there, and has no suggestions
		return Reply{body: &Completion{}}, nil
	}
	result, err := completer(ctx, c, Completing{Argument: asked.Argument, Value: asked.Value, Context: asked.Context})
	switch {
	case err != nil:
		return Reply{}, fmt.Errorf("mcp: completion of %q of %q: %w", asked.Argument, c.name, err)
	case result == nil:
		result = &Completion{}
	}
	return Reply{body: result}, nil
}

// readCompleting reads the params, those of them that the form has.
func (c *Call) readCompleting() (p CompleteParams, err error) {
	for _, part := range [...]struct {
		name string
		to   interface{ readJSON(jsonrpc.Raw) *Malformed }
	}{{"ref", (*reference)(&p)}, {"argument", (*partial)(&p)}, {"context", (*settled)(&p)}} {
		raw := c.asked.Message.Param(part.name)
		if part.name == "context" && (raw == nil || !c.asked.Form.CompletionContext) {
			continue
		}
		if m := part.to.readJSON(raw); m != nil {
			return p, m.at("params." + part.name).Refusal()
		}
	}
	return p, nil
}

// findCompleter finds what completes the argument, nil when the argument is there and
// nothing does.
func (c *Call) findCompleter(p *CompleteParams) (Completer, error) {
	if p.Prompt != "" {
		return c.promptCompleter(p.Prompt, p.Argument)
	}
	return c.templateCompleter(p.URI, p.Argument)
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
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "Unknown resource template: %s", jsonrpc.Clip([]byte(uri)))
	}
	c.name = t.Name
	if !slices.Contains(t.variables, argument) {
		return nil, unknownArgument(argument)
	}
	return t.Complete[argument], nil
}

func unknownArgument(name string) error {
	return jsonrpc.Errorf(jsonrpc.InvalidParams, "Unknown argument: %s", jsonrpc.Clip([]byte(name)))
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
