package mcp

import "isthmus.internal/jsonrpc"

// noArguments stands for params.arguments where that is absent.
var noArguments = jsonrpc.Raw(`{}`)

// Arguments is the object of the arguments of the tool or prompt, {} when there are
// none. That it is an object, and has no member twice, was checked when it was read
// (2026-07-28 schema, CallToolRequestParams and GetPromptRequestParams).
func (c *Call) Arguments() jsonrpc.Raw {
	if a := c.asked.Message.Param("arguments"); a != nil {
		return a
	}
	return noArguments
}

// Argument is one argument of the tool or prompt by its exact name, nil when it is
// absent:
//
//	text, ok := c.Argument("text").Text()
func (c *Call) Argument(name string) jsonrpc.Raw { return c.asked.Message.Inner("arguments", name) }
