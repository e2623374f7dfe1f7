package discover

import (
	"context"
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

// Connect connects a client to the server at the other end of t, in the era that the server
// speaks (2026-07-28 basic/versioning, Backward Compatibility with Initialization-Based
// Versions). It asks for server/discover first:
//
//	supportedVersions, one of them modern and known here     modern
//	the error -32022 that names one                          modern
//	the errors -32020 and -32021                             modern
//	either of the first two with versions of the handshake   legacy, by the handshake
//	either of the first two with none in common              an error
//	the request itself, word for word, and nothing else      an error: it is no server
//	anything else, silence and the end of the connection     legacy, by the handshake
//
// The handshake is tried after a refusal for want of authorization, too, since a server may
// want that of the one and not of the other. A server that was silent and then refuses the
// handshake may have been slow to start, and is asked once more. When neither era works, the
// error says what came of both; a [*mcp.Rejected] or a [*jsonrpc.Error] can be found in it.
//
// ctx bounds the connecting alone. The client has to be closed. The verdict says what was
// found, and on what evidence. A nil o means all defaults.
func Connect(ctx context.Context, t Transport, o *ConnectOptions) (*mcp.Client, *Verdict, error) {
	k, err := newConnecting(t, o)
	if err != nil {
		return nil, nil, err
	}
	x, verdict, err := k.connect(ctx)
	if err != nil {
		k.closeBut(nil)
		return nil, nil, err
	}
	k.client.Attach(x)
	return k.client, verdict, nil
}
