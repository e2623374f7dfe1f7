package mcp_test

import (
	"context"
	"log/slog"

	"isthmus.internal/mcp"
)

// A prompt with an argument that is completed while the user types, and a second one
// whose suggestions depend on the first.
func ExampleServer_AddPrompt() {
	frameworks := map[string]mcp.Completer{
		"go":     mcp.CompleteFrom("net/http"),
		"python": mcp.CompleteFrom("django", "fastapi", "flask"),
	}
	s := mcp.NewServer("review", "1.0.0", nil)
	s.AddPrompt(mcp.Prompt{
		Name:        "review",
		Description: "Asks for a review of a service.",
		Arguments: []mcp.PromptArgument{
			{Name: "language", Required: true, Complete: mcp.CompleteFrom("go", "python")},
			{Name: "framework", Complete: func(ctx context.Context, c *mcp.Call, in mcp.Completing) (*mcp.Completion, error) {
				if known, ok := frameworks[in.Context["language"]]; ok {
					return known(ctx, c, in)
				}
				return nil, nil // no suggestions
			}},
		},
	}, func(ctx context.Context, c *mcp.Call) (*mcp.PromptResult, error) {
		language, _ := c.PromptArgument("language") // required, so it is there
		text := "Review this service in " + language + "."
		if framework, given := c.PromptArgument("framework"); given {
			text += " It uses " + framework + "."
		}
		return mcp.PromptText(text), nil
	})
}

// Records of log/slog for the client: those at the level that it asks for, and none when
// it asks for none.
func ExampleNewLogHandler() {
	s := mcp.NewServer("import", "1.0.0", &mcp.ServerOptions{Logging: true})
	s.AddTool(mcp.Tool{Name: "import"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		log := slog.New(mcp.NewLogHandler(c, "import"))
		log.Warn("row skipped", "row", 7, "reason", "no date")
		return mcp.TextResult("99 rows imported"), nil
	})
}
