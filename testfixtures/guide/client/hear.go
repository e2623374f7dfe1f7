package client

import (
	"context"
	"log/slog"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Hearing are the options of a client that hears what servers tell of their own accord.
func Hearing(log *slog.Logger) *mcp.ClientOptions {
	return &mcp.ClientOptions{
		LogLevel: mcp.LogWarning, // and what is graver; SetLogLevel changes it
		Log: func(m *mcp.LogMessageParams) {
			log.Info("server log", "level", m.Level, "logger", m.Logger, "data", string(m.Data))
		},
		Changed: func(change mcp.Change) { log.Info("changed", "kind", change.Kind, "uri", change.URI) },
		Notice: func(method string, params jsonrpc.Raw) { // of extensions
			log.Info("notification", "method", method, "params", string(params))
		},
		Logger: log.With(slog.String("from", "client")), // faults that nobody else is told of
	}
}

// Louder has the server log more for a while.
func Louder(ctx context.Context, c *mcp.Client, do func() error) error {
	if err := c.SetLogLevel(ctx, mcp.LogDebug); err != nil {
		return err
	}
	err := do()
	_ = c.SetLogLevel(ctx, mcp.LogWarning) // do's error counts for more
	return err
}
