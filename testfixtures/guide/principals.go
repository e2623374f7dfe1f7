package guide

import (
	"context"
	"slices"

	"isthmus.internal/mcp"
)

// NewPrincipals makes a server that shows a tool to some callers only.
func NewPrincipals() *mcp.Server {
	admin := func(p *mcp.Principal) bool { return p != nil && slices.Contains(p.Scopes, "admin") }
	type user struct {
		Name string `json:"name"`
	}
	s := mcp.NewServer("accounts", "1.0.0", nil)
	mcp.AddTool(s, mcp.Tool{Name: "who_am_i", Description: "Tells who is calling."},
		func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
			if p := c.Principal(); p != nil {
				return p.ID, nil
			}
			return "nobody in particular", nil
		})
	mcp.AddTool(s, mcp.Tool{Name: "lock_account", Description: "Locks an account.", Visible: admin},
		func(ctx context.Context, c *mcp.Call, in user) (string, error) {
			return "locked " + in.Name, nil // only an admin comes this far
		})
	return s
}
