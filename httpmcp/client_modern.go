package httpmcp

import (
	"context"
	"log/slog"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// modernLink is a client's link of the modern era: every request is a POST, and its response is
// all that comes for it (2026-07-28 basic/transports/streamable-http).
type modernLink struct {
	*life
	wire *wire
	h    jsonrpc.Handler
	log  *slog.Logger
}

func newModernLink(w *wire, h jsonrpc.Handler, log *slog.Logger) mcp.Link {
	return &modernLink{life: newLife(), wire: w, h: h, log: log}
}

// Call implements [mcp.Link].
func (l *modernLink) Call(ctx context.Context, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	return nil, mcp.ErrLinkClosed
}

// Notify implements [mcp.Link].
func (l *modernLink) Notify(ctx context.Context, out *mcp.Outgoing) error {
	return mcp.ErrLinkClosed
}

// Close implements [mcp.Link].
func (l *modernLink) Close() error {
	if l.end() {
		l.wire.closeIdle()
	}
	return nil
}
