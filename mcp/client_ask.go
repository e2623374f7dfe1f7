package mcp

import (
	"context"

	"isthmus.internal/jsonrpc"
)

// ElicitRequest is what the server asks the user for: exactly one of Form and Page is set
// (2026-07-28 client/elicitation).
type ElicitRequest struct {
	Form *ElicitForm
	Page *ElicitURL
	Meta Meta
}

// asks bounds what is asked at once.
type asks struct{}

// Answer answers what the server asks: elicitation/create, sampling/createMessage or
// roots/list. It gives the result, in the form f, or the error that the server is told.
// params may be nil, and is not kept. It is for packages that make exchanges.
func (c *Client) Answer(ctx context.Context, method string, params jsonrpc.Raw, f *Form) (jsonrpc.Raw, error) {
	return nil, jsonrpc.Errorf(jsonrpc.MethodNotFound, "Method not found")
}
