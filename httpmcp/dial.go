package httpmcp

import (
	"context"
	"log/slog"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Dial names a server that is reached over HTTP, for [discover.Connect]: the URL of its MCP
// endpoint, or of the stream of a server of 2024-11-05. Nothing is sent before the first
// link is opened, and a URL that is none is an error there.
//
// The links of one Dial share their connections, and those end with the last link that is
// closed. It may be used for several clients, also at once.
func Dial(url string, o *DialOptions) discover.Transport {
	return &dialed{wire: newWire(url, o)}
}

// dialed is a server that is known by its URL.
type dialed struct{ wire *wire }

// Modern implements [discover.Transport]: every message is a POST that stands for itself
// (2026-07-28 basic/transports/streamable-http).
func (d *dialed) Modern(_ context.Context, h jsonrpc.Handler, log *slog.Logger) (mcp.Link, error) {
	if d.wire.fault != nil {
		return nil, d.wire.fault
	}
	return newModernLink(d.wire, h, log), nil
}

// Legacy implements [discover.Transport]: Streamable HTTP with sessions, or the transport
// of 2024-11-05, whichever the server turns out to speak (2025-11-25 basic/transports,
// Backwards Compatibility).
func (d *dialed) Legacy(_ context.Context, h jsonrpc.Handler, log *slog.Logger) (mcp.Link, error) {
	if d.wire.fault != nil {
		return nil, d.wire.fault
	}
	return newLegacyLink(d.wire, h, log), nil
}
