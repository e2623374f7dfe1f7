package main

import (
	"context"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// endpoint is what is measured.
type endpoint struct {
	*httpmcp.Endpoint
	server *mcp.Server
	there  bool // the tool that comes and goes
}

func newEndpoint() *endpoint {
	s := mcp.NewServer("streams", "1.0.0", nil)
	s.AddTool(tool("first"), nothing)
	return &endpoint{Endpoint: httpmcp.Handler(s, nil), server: s}
}

// change adds a tool, or removes it again.
func (e *endpoint) change(string) {
	if e.there = !e.there; e.there {
		e.server.AddTool(tool("second"), nothing)
		return
	}
	e.server.RemoveTool("second")
}

func tool(name string) mcp.Tool {
	return mcp.Tool{Name: name, Description: "Does nothing.", InputSchema: jsonrpc.Raw(`{"type":"object"}`)}
}

func nothing(context.Context, *mcp.Call) (*mcp.Result, error) {
	return mcp.TextResult("nothing done"), nil
}
