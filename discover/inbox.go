package discover

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// inbox takes what a server sends of its own accord, and passes it on to the exchange of the
// era that is spoken. It is there before the era is known, since links are opened with it.
type inbox struct {
	host  *mcp.Client
	to    atomic.Pointer[receiver] // nil while there is no exchange
	known chan struct{}            // closed when there is one
	once  sync.Once
}

func newInbox(c *mcp.Client) *inbox { return &inbox{host: c, known: make(chan struct{})} }

// receiver is an exchange, in a type of its own so that it can be stored at once.
type receiver struct{ jsonrpc.Handler }

// pass passes everything from now on to h.
func (b *inbox) pass(h jsonrpc.Handler) {
	b.to.Store(&receiver{h})
	b.once.Do(func() { close(b.known) })
}

// Request implements [jsonrpc.Handler]. It waits until the era is known: in the modern one
// nothing is answered, in the other one only whether the client is there, before the handshake
// (2025-11-25 basic/lifecycle, Initialization).
func (b *inbox) Request(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer, dst []byte) ([]byte, error) {
	select {
	case <-b.known:
		return b.to.Load().Request(ctx, m, p, dst)
	case <-ctx.Done():
		return dst, ctx.Err()
	}
}

// Notification implements [jsonrpc.Handler]. What comes before the era is known is about no
// request: log messages for example.
func (b *inbox) Notification(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer) {
	if to := b.to.Load(); to != nil {
		to.Notification(ctx, m, p)
		return
	}
	b.host.Hear(ctx, string(m.Method), m.Params)
}

// AllowBatch implements [jsonrpc.Handler].
func (b *inbox) AllowBatch() *jsonrpc.Error {
	if to := b.to.Load(); to != nil {
		return to.AllowBatch()
	}
	return jsonrpc.Errorf(jsonrpc.InvalidRequest, "Batches are not taken")
}

// Answers implements [jsonrpc.Answerer]. Before the era is known nothing is answered, since a
// client of the modern one sends no responses (2026-07-28 basic/transports/stdio, Sending
// Messages).
func (b *inbox) Answers() bool {
	to := b.to.Load()
	if to == nil {
		return false
	}
	a, ok := to.Handler.(jsonrpc.Answerer)
	return !ok || a.Answers()
}

// Arrive implements [jsonrpc.Arriver].
func (b *inbox) Arrive(ctx context.Context) context.Context {
	if to := b.to.Load(); to != nil {
		return jsonrpc.Arrive(ctx, to.Handler)
	}
	return ctx
}

// SessionEnded implements [mcp.SessionWatcher].
func (b *inbox) SessionEnded() {
	if to := b.to.Load(); to != nil {
		if w, ok := to.Handler.(mcp.SessionWatcher); ok {
			w.SessionEnded()
		}
	}
}

// Label implements [jsonrpc.Handler].
func (b *inbox) Label(m *jsonrpc.Message) slog.Attr {
	if to := b.to.Load(); to != nil {
		return to.Label(m)
	}
	return slog.String("era", Neither.String())
}

var (
	_ jsonrpc.Handler    = (*inbox)(nil)
	_ jsonrpc.Answerer   = (*inbox)(nil)
	_ jsonrpc.Arriver    = (*inbox)(nil)
	_ mcp.SessionWatcher = (*inbox)(nil)
)
