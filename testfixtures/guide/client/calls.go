package client

import (
	"context"
	"errors"
	"fmt"

	"isthmus.internal/mcp"
)

// Forecast is what the tool get_forecast gives.
type Forecast struct {
	City    string  `json:"city"`
	Celsius float64 `json:"celsius"`
	Rain    bool    `json:"rain"`
}

// Umbrella asks whether to take one.
func Umbrella(ctx context.Context, c *mcp.Client, city string) (bool, error) {
	forecast, err := mcp.CallTool[Forecast](ctx, c, "get_forecast", map[string]any{"city": city}, nil)
	var failed *mcp.ToolError
	if errors.As(err, &failed) { // the tool says why, for a model or a user to read
		return false, fmt.Errorf("no forecast for %s: %w", city, failed)
	}
	return forecast.Rain, err
}

// Report calls a tool of which nothing is known beforehand, and shows all kinds of content.
func Report(ctx context.Context, c *mcp.Client, city string) ([]string, error) {
	result, err := c.CallTool(ctx, "get_report", map[string]any{"city": city}, nil)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, block := range result.Content { // whether or not result.IsError
		switch block := block.(type) {
		case *mcp.TextContent:
			lines = append(lines, block.Text)
		case *mcp.ResourceLink:
			lines = append(lines, "see "+block.URI)
		case *mcp.EmbeddedResource, *mcp.ImageContent, *mcp.AudioContent:
			lines = append(lines, "(something to show)")
		default: // of a revision to come
			lines = append(lines, "(something that this program does not know)")
		}
	}
	return lines, nil
}
