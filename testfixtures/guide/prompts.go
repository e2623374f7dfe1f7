package guide

import (
	"context"

	"isthmus.internal/mcp"
)

// NewPrompts makes a server with a prompt whose second argument depends on the first.
func NewPrompts() *mcp.Server {
	branches := map[string][]string{"api": {"main", "next"}, "site": {"main", "redesign"}}
	branch := func(ctx context.Context, c *mcp.Call, in mcp.Completing) (*mcp.Completion, error) {
		return mcp.CompleteFrom(branches[in.Context["project"]]...)(ctx, c, in)
	}
	s := mcp.NewServer("review", "1.0.0", nil)
	s.AddPrompt(mcp.Prompt{
		Name: "review", Title: "Review a branch", Description: "Asks for a review of all changes of a branch.",
		Arguments: []mcp.PromptArgument{
			{Name: "project", Description: "name of the project", Required: true, Complete: mcp.CompleteFrom("api", "site")},
			{Name: "branch", Description: "main when absent", Complete: branch},
		},
	}, func(ctx context.Context, c *mcp.Call) (*mcp.PromptResult, error) {
		project, _ := c.PromptArgument("project") // required, so it is there
		name, given := c.PromptArgument("branch")
		if !given {
			name = "main"
		}
		return mcp.PromptText("Review the branch " + name + " of " + project + ". Name the file and the line of each finding."), nil
	})
	return s
}
