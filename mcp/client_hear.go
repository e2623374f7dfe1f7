package mcp

import (
	"context"
	"log/slog"

	"isthmus.internal/jsonrpc"
)

// Hear takes a notification that the exchange has no use for itself: a log message, a
// change, and every one that it does not know. It returns at once: what is told to the
// functions of the options is told beside. Changes are heard here whatever has asked for
// them, each once, also those of subscriptions. params may be nil, and is not kept. It is
// for packages that make exchanges.
func (c *Client) Hear(ctx context.Context, method string, params jsonrpc.Raw) {}

// deliveries is what waits to be told to the functions of the options.
type deliveries struct{ log *slog.Logger }

// close drops what waits, and waits for the function that runs.
func (d *deliveries) close() {}
