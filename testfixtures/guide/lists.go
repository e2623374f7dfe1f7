package guide

import (
	"context"
	"fmt"
	"time"

	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
)

// NewLists makes a server with more tools than one page should hold.
func NewLists() *mcp.Server {
	s := mcp.NewServer("many", "1.0.0", &mcp.ServerOptions{
		PageSize:   50,
		Keys:       seal.RandomKeys(), // the cursors are good while this process runs
		ToolsCache: &mcp.CacheHint{TTL: time.Hour, Public: true},
	})
	for n := range 120 {
		name := fmt.Sprintf("tool_%03d", n)
		mcp.AddTool(s, mcp.Tool{Name: name, Description: "One of many."},
			func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) { return name, nil })
	}
	return s
}
