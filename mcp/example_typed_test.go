package mcp_test

import (
	"context"
	"fmt"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// The smallest tool: its schema is inferred from the handler's argument, and a string is
// its answer.
func ExampleAddTool() {
	s := mcp.NewServer("echo", "1.0.0", nil)
	type echo struct {
		Text string `json:"text" mcp:"what to send back"`
	}
	mcp.AddTool(s, mcp.Tool{Name: "echo", Description: "Echoes text."},
		func(ctx context.Context, c *mcp.Call, in echo) (string, error) {
			return "echo: " + in.Text, nil
		})
}

// A struct as the result is structured content, with an output schema. Tags bound the
// arguments, so that the handler need not check them.
func ExampleAddTool_structured() {
	s := mcp.NewServer("orders", "1.0.0", nil)
	type search struct {
		Customer string   `json:"customer" mcp:"name of the customer, or its beginning" minLength:"1"`
		States   []string `json:"states,omitempty" enum:"open,paid,sent" uniqueItems:"true"`
		Limit    int      `json:"limit" default:"10" minimum:"1" maximum:"100"`
		Region   string   `json:"region" enum:"eu,us" x-mcp-header:"Region"`
	}
	type order struct {
		ID    int64   `json:"id"`
		Total float64 `json:"total"`
	}
	type found struct {
		Orders []order `json:"orders"`
		More   bool    `json:"more"`
	}
	mcp.AddTool(s, mcp.Tool{Name: "find_orders"},
		func(ctx context.Context, c *mcp.Call, in search) (found, error) {
			if in.Customer == "nobody" {
				return found{}, fmt.Errorf("there is no customer %q; use find_customers first", in.Customer) // for the model
			}
			return found{Orders: []order{{ID: 1, Total: 9.5}}}, nil
		})
}

// A schema written by hand is kept byte for byte and enforced, also for a handler that
// takes the arguments as they came.
func ExampleAddTool_raw() {
	s := mcp.NewServer("mirror", "1.0.0", nil)
	schema := jsonrpc.Raw(`{"type":"object","minProperties":1,"additionalProperties":{"type":"integer","minimum":0}}`)
	mcp.AddTool(s, mcp.Tool{Name: "mirror", InputSchema: schema},
		func(ctx context.Context, c *mcp.Call, in jsonrpc.Raw) (*mcp.Result, error) {
			return &mcp.Result{Structured: in}, nil
		})
}
