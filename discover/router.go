package discover

import (
	"context"
	"log/slog"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// Inner names the members of params whose own members routing and tools need: a
// connection that feeds a Router has its scanner record them
// ([jsonrpc.Options.Inner]).
func Inner() []string { return []string{"_meta", "arguments"} }

// Router answers what arrives on one connection, in the era in which each message
// speaks. It is a [jsonrpc.Handler].
type Router struct {
	modern *Modern
	sender Sender
	legacy *legacy.Session
	log    *slog.Logger
}

// RouterOptions are what a router is told of its connection. A nil pointer, and every
// zero field, means the default that the field's comment gives.
type RouterOptions struct {
	// Principal is who the peer is, as the transport has proved it. Default:
	// nobody in particular.
	Principal *mcp.Principal

	// Outlet carries what the legacy session says outside of requests. Default:
	// it is dropped.
	Outlet legacy.Outlet
}

// NewRouter makes the router of one connection. It holds the connection's legacy
// session, so connections do not share one. A nil o means all defaults.
func NewRouter(s *mcp.Server, o *RouterOptions) *Router {
	if o == nil {
		o = &RouterOptions{}
	}
	return &Router{
		modern: NewModern(s),
		sender: Sender{Principal: o.Principal},
		legacy: legacy.NewSession(s, &legacy.Options{Principal: o.Principal, Outlet: o.Outlet}),
		log:    s.Logger(),
	}
}

// Close ends what the router runs beside the requests, and waits for it. Call it when
// the connection has ended.
func (r *Router) Close() { r.legacy.Close() }

// era decides which era a message of the connection belongs to.
func (r *Router) era(m *jsonrpc.Message) Era { return EraOf(m, r.legacy.Opened(), "") }

// Request implements [jsonrpc.Handler].
func (r *Router) Request(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer, dst []byte) ([]byte, error) {
	switch r.era(m) {
	case ModernEra:
		return r.modern.Request(ctx, m, p, r.sender, dst)
	case LegacyEra:
		return r.legacy.Request(ctx, m, p, dst)
	}
	if string(m.Method) == "ping" {
		// Allowed before the handshake (2025-11-25 basic/lifecycle,
		// Initialization), and it tells nothing of the era.
		return r.legacy.Request(ctx, m, p, dst)
	}
	return dst, NeitherEra()
}

// Notification implements [jsonrpc.Handler]. A cancellation needs no era: it names
// a request by its id, which is the connection's (2026-07-28
// basic/patterns/cancellation, and basic/utilities/cancellation before it).
func (r *Router) Notification(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer) {
	if string(m.Method) == "notifications/cancelled" {
		if id, ok := legacy.Cancelled(m, r.log); ok {
			p.Cancel(id)
		}
		return
	}
	switch r.era(m) {
	case ModernEra:
		r.modern.Notification(ctx, m, p, r.sender)
	case LegacyEra:
		r.legacy.Notification(ctx, m, p)
	}
}

// AllowBatch implements [jsonrpc.Handler]. Batches came with 2025-03-26
// (basic/index, Batching) and went with 2025-06-18 (changelog).
func (r *Router) AllowBatch() *jsonrpc.Error {
	if r.legacy.AllowsBatches() {
		return nil
	}
	return jsonrpc.Errorf(jsonrpc.InvalidRequest, "Batches are taken only in sessions of revision 2025-03-26: send each message on its own line")
}

// Abandoned tells the client that the server no longer waits for the answer to a
// request of its own. Only the legacy session makes any. It fits
// [jsonrpc.Options.Abandoned].
func (r *Router) Abandoned(id jsonrpc.ID) (method string, params []byte) {
	return legacy.Abandoned(id)
}

// InOrder reports whether what is behind a request must wait for its answer: it
// must behind initialize, which decides what later messages mean, and which
// cannot be cancelled (2025-11-25 basic/utilities/cancellation, Behavior
// Requirements). It fits [jsonrpc.Options.InOrder].
func (r *Router) InOrder(method []byte) bool { return string(method) == "initialize" }

// LongLived reports whether a request stays open by nature. It fits
// [jsonrpc.Options.LongLived].
func (r *Router) LongLived(method []byte) bool { return string(method) == "subscriptions/listen" }

// Label implements [jsonrpc.Handler]: the debug log names the era of each message.
func (r *Router) Label(m *jsonrpc.Message) slog.Attr {
	return slog.String("era", r.era(m).String())
}
