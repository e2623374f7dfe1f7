package guide

import (
	"context"

	"isthmus.internal/mcp"
)

// NewAnnotations makes a server whose tools tell what they do to the world.
func NewAnnotations() *mcp.Server {
	type mail struct {
		ID string `json:"id"`
	}
	s := mcp.NewServer("mail", "1.0.0", nil)
	mcp.AddTool(s, mcp.Tool{
		Name: "read_mail", Description: "Reads one mail.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: mcp.Ptr(true), OpenWorldHint: mcp.Ptr(false)},
	}, func(ctx context.Context, c *mcp.Call, in mail) (string, error) { return "Dear all", nil })
	mcp.AddTool(s, mcp.Tool{
		Name: "delete_mail", Description: "Deletes one mail for good.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: mcp.Ptr(false), DestructiveHint: mcp.Ptr(true), IdempotentHint: mcp.Ptr(true), OpenWorldHint: mcp.Ptr(false)},
	}, func(ctx context.Context, c *mcp.Call, in mail) (string, error) { return "deleted", nil })
	return s
}
