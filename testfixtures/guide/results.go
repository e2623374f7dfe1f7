package guide

import (
	"context"
	"fmt"

	"isthmus.internal/mcp"
)

// forecast is structured content: its type is the tool's output schema.
type forecast struct {
	City    string  `json:"city"`
	Celsius float64 `json:"celsius" mcp:"the highest temperature of the day"`
	Rain    bool    `json:"rain"`
}

// NewResults makes a server with a structured result and one of several blocks.
func NewResults() *mcp.Server {
	type place struct {
		City string `json:"city"`
	}
	s := mcp.NewServer("weather", "1.0.0", nil)
	mcp.AddTool(s, mcp.Tool{Name: "get_forecast", Description: "Forecasts tomorrow's weather."},
		func(ctx context.Context, c *mcp.Call, in place) (forecast, error) {
			return forecast{City: in.City, Celsius: 21.5}, nil
		})
	mcp.AddTool(s, mcp.Tool{Name: "get_report", Description: "Reports on the weather, with a link to the whole record."},
		func(ctx context.Context, c *mcp.Call, in place) (*mcp.Result, error) {
			return &mcp.Result{Content: []mcp.Content{
				&mcp.TextContent{Text: fmt.Sprintf("It was dry in %s.", in.City)},
				&mcp.ResourceLink{Resource: mcp.Resource{URI: "weather://record/2026", Name: "record", MIMEType: "text/csv"}},
			}}, nil
		})
	return s
}
