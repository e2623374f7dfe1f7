package discover

import (
	"context"
	"errors"
	"log/slog"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Transport makes the links of a client to one server. The methods are called by one
// goroutine at a time.
//
// h takes what the server sends of its own accord over the link, and log the faults that
// nobody is told. A link of the one era may be that of the other as well, as it is where
// both go over the same stream: the second method then returns what the first one has
// made, and h and log are the same. When that link has ended, and the transport can, either
// opens it anew: a command is started again.
//
// ctx bounds the opening alone. Links live until they are closed.
type Transport interface {
	// Modern opens the link for requests of the modern era.
	Modern(ctx context.Context, h jsonrpc.Handler, log *slog.Logger) (mcp.Link, error)
	// Legacy opens the link for a session of the legacy era, which begins with its
	// handshake.
	Legacy(ctx context.Context, h jsonrpc.Handler, log *slog.Logger) (mcp.Link, error)
}

// Connect connects a client to the server at the other end of t, in the era that the
// server speaks.
//
// ctx bounds the connecting alone. The verdict says what was found, and on what evidence.
func Connect(ctx context.Context, t Transport, o *ConnectOptions) (*mcp.Client, *Verdict, error) {
	return nil, nil, errors.ErrUnsupported
}
