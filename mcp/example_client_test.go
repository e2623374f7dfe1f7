package mcp_test

import (
	"context"
	"errors"
	"fmt"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// A call can fail in several ways, and each is told apart. c is of discover.Connect.
func ExampleCallTool() {
	weather := func(ctx context.Context, c *mcp.Client, city string) (string, error) {
		type report struct {
			Degrees float64 `json:"degrees"`
		}
		r, err := mcp.CallTool[report](ctx, c, "weather", map[string]string{"city": city}, nil)
		var failed *mcp.ToolError
		var refused *jsonrpc.Error
		switch {
		case err == nil:
			return fmt.Sprintf("%.1f °C", r.Degrees), nil
		case errors.As(err, &failed):
			return "the tool says why not", err
		case errors.As(err, &refused):
			return "the server does not understand the call", err
		case errors.Is(err, context.DeadlineExceeded):
			return "the server takes too long", err
		}
		return "there is no server any more, or it does not keep to the protocol", err
	}
	_ = weather
}

// Progress is told while the call runs, in order, and gives it more time. c is of
// discover.Connect.
func ExampleClient_CallTool() {
	index := func(ctx context.Context, c *mcp.Client) (*mcp.Result, error) {
		return c.CallTool(ctx, "index", nil, &mcp.CallOptions{
			Progress: func(p mcp.ProgressParams) { fmt.Println(p.Progress, p.Message) },
		})
	}
	_ = index
}
