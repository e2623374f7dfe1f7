package guide

import (
	"context"
	"strconv"
	"sync/atomic"

	"isthmus.internal/mcp"
)

// NewChanges makes a server whose resource changes, and which gets a tool while it serves.
func NewChanges() *mcp.Server {
	var degrees atomic.Int64
	s := mcp.NewServer("heating", "1.0.0", nil)
	s.AddResource(mcp.Resource{URI: "heating://degrees", Name: "degrees", MIMEType: "application/json"},
		func(ctx context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
			text := strconv.FormatInt(degrees.Load(), 10)
			return []mcp.ResourceContents{&mcp.TextResource{Text: text}}, nil
		})
	type setting struct {
		Degrees int64 `json:"degrees" minimum:"5" maximum:"30"`
	}
	mcp.AddTool(s, mcp.Tool{Name: "set_degrees", Description: "Sets the temperature."},
		func(ctx context.Context, c *mcp.Call, in setting) (string, error) {
			degrees.Store(in.Degrees)
			s.ResourceUpdated("heating://degrees")
			return "set", nil
		})
	mcp.AddTool(s, mcp.Tool{Name: "remove_controls", Description: "Makes the temperature read-only."},
		func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
			if !s.RemoveTool("set_degrees") {
				return "it was read-only before", nil
			}
			return "read-only", nil
		})
	return s
}
