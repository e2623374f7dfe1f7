package httpmcp

import (
	"context"
	"errors"
	"log/slog"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// newLegacyLink makes a link for the handshake. Nothing is sent yet.
func newLegacyLink(w *wire, h jsonrpc.Handler, log *slog.Logger) mcp.Link {
	return &legacyLink{life: newLife(), wire: w}
}

// legacyLink is a client's link of the legacy era.
type legacyLink struct {
	*life
	wire *wire
}

var errLater = errors.New("httpmcp: not there yet")

// Call implements [mcp.Link].
func (l *legacyLink) Call(context.Context, *mcp.Outgoing) (jsonrpc.Raw, error) { return nil, errLater }

// Notify implements [mcp.Link].
func (l *legacyLink) Notify(context.Context, *mcp.Outgoing) error { return errLater }

// Close implements [mcp.Link].
func (l *legacyLink) Close() error {
	l.end()
	return nil
}
