package guide

import (
	"context"
	"log/slog"
	"time"

	"isthmus.internal/mcp"
)

// NewMiddleware makes a server that writes one line for each request.
func NewMiddleware(log *slog.Logger) *mcp.Server {
	logging := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
			start := time.Now()
			reply, err := next(ctx, c)
			log.Info("request", "method", c.Method(), "name", c.Name(),
				"failed", err != nil || reply.ToolError(), "time", time.Since(start))
			return reply, err
		}
	}
	s := mcp.NewServer("clock", "1.0.0", &mcp.ServerOptions{Middleware: []mcp.Middleware{logging}})
	mcp.AddTool(s, mcp.Tool{Name: "get_time", Description: "Tells the time in UTC."},
		func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
			return time.Now().UTC().Format(time.RFC3339), nil
		})
	return s
}
