package mcp

import (
	"context"
	"fmt"
	"strings"

	"isthmus.internal/jsonrpc"
)

// listPrompts answers prompts/list (2026-07-28 server/prompts, Listing Prompts).
func (s *Server) listPrompts(_ context.Context, c *Call) (Reply, error) {
	return list(c, promptKind, s.opts.listCache(s.opts.PromptsCache))
}

// getPrompt answers prompts/get (2026-07-28 server/prompts, Getting a Prompt).
func (s *Server) getPrompt(ctx context.Context, c *Call) (Reply, error) {
	name, err := c.paramText("name")
	if err != nil {
		return Reply{}, err
	}
	p, err := c.findPrompt(name)
	if err != nil {
		return Reply{}, err
	}
	c.name = p.Name
	if err := p.checkArguments(c); err != nil {
		return Reply{}, err
	}
	result, err := p.handler(ctx, c)
	switch {
	case err != nil:
		return Reply{}, fmt.Errorf("mcp: prompt %q: %w", p.Name, err)
	case result == nil:
		return Reply{}, fmt.Errorf("mcp: prompt %q returned neither a result nor an error", p.Name)
	}
	return Reply{body: result, meta: result.Meta}, nil
}

// findPrompt finds the prompt that this name is for the one who asks.
func (c *Call) findPrompt(name string) (*prompt, error) {
	p, ok := c.reg.shelves[promptKind].named[name].(*prompt)
	if !ok || !c.visible(p) {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "Unknown prompt: %s", jsonrpc.Clip([]byte(name)))
	}
	return p, nil
}

// checkArguments checks what a prompt is to be filled with (2026-07-28
// server/prompts, Error Handling). Arguments that the prompt does not have are not
// refused, as they do no harm, and a client's list may be older than the prompt.
func (p *prompt) checkArguments(c *Call) error {
	for o := jsonrpc.ReadObject(c.Arguments()); o.Next(); {
		if o.Value().Kind() != jsonrpc.KindString {
			return jsonrpc.Errorf(jsonrpc.InvalidParams, "params.arguments%s must be a string", step(o.Name()))
		}
	}
	var missing []string
	for _, a := range p.Arguments {
		if a.Required && c.Argument(a.Name) == nil {
			missing = append(missing, a.Name)
		}
	}
	if missing != nil {
		return jsonrpc.Errorf(jsonrpc.InvalidParams, "Missing arguments of prompt %s: %s", p.Name, strings.Join(missing, ", "))
	}
	return nil
}

// PromptArgument is an argument of the prompt, and false when it was not given.
func (c *Call) PromptArgument(name string) (string, bool) { return c.Argument(name).Text() }
