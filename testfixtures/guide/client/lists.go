package client

import (
	"context"

	"isthmus.internal/mcp"
)

// Texts reads all resources of a server that are text.
func Texts(ctx context.Context, c *mcp.Client) (map[string]string, error) {
	texts := make(map[string]string)
	for resource, err := range c.Resources(ctx) { // over all pages
		if err != nil {
			return nil, err
		}
		read, err := c.ReadResource(ctx, resource.URI, nil)
		if err != nil {
			return nil, err
		}
		for _, contents := range read.Contents {
			if text, ok := contents.(*mcp.TextResource); ok {
				texts[resource.URI] = text.Text
			}
		}
	}
	return texts, nil
}

// ReviewNext has the argument of a prompt completed, and the prompt filled in.
func ReviewNext(ctx context.Context, c *mcp.Client, project, typed string) (*mcp.PromptResult, error) {
	branches, err := c.Complete(ctx, &mcp.CompleteParams{
		Prompt: "review", Argument: "branch", Value: typed,
		Context: map[string]string{"project": project},
	}, nil)
	if err != nil || len(branches.Values) == 0 {
		return nil, err
	}
	return c.GetPrompt(ctx, "review", map[string]string{"project": project, "branch": branches.Values[0]}, nil)
}
