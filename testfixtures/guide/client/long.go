package client

import (
	"context"
	"time"

	"isthmus.internal/mcp"
)

// Convert has a book converted, and shows how far it is. To give up, end ctx.
func Convert(ctx context.Context, c *mcp.Client, pages int, show func(done float64, what string)) (string, error) {
	return mcp.CallTool[string](ctx, c, "convert_book", map[string]any{"pages": pages}, &mcp.CallOptions{
		Timeout:    10 * time.Second, // without any sign of the server
		MaxTimeout: time.Hour,        // altogether
		Progress: func(p mcp.ProgressParams) {
			if p.Total != nil {
				show(p.Progress / *p.Total, p.Message)
			}
		},
	})
}
