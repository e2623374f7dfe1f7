package main

import (
	"context"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// leaveDefaults fills in nothing of a form in which each field has a default.
func leaveDefaults(ctx context.Context, s *session) error {
	s.fillIn = func(context.Context, *mcp.ElicitForm) (jsonrpc.Raw, error) { return jsonrpc.Raw("{}"), nil }
	if err := s.tools(ctx, nil, "test_client_elicitation_defaults"); err != nil {
		return err
	}
	return s.call(ctx, "test_client_elicitation_defaults", nil,
		`Elicitation completed: {"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}`)
}

// callOverTwoStreams calls a tool that ends its stream, and answers on the one that takes it
// up again.
func callOverTwoStreams(ctx context.Context, s *session) error {
	if err := s.tools(ctx, nil, "test_reconnection"); err != nil {
		return err
	}
	return s.call(ctx, "test_reconnection", nil, "Reconnection test completed successfully")
}
