package httpmcp

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Endpoint serves one [mcp.Server] at one URL, in both eras. It is an [http.Handler] and
// may be mounted at any path, behind prefixes and middleware. All its methods may be
// called from several goroutines at once.
type Endpoint struct {
	server    *mcp.Server
	opts      *Options
	modern    *discover.Modern
	scan      jsonrpc.Scanner
	log       *slog.Logger
	debug     bool // messages are logged
	exchanges sync.Pool
	load      load
	sessions  *sessions   // of legacy clients
	enlisted  atomic.Bool // a [Serve] will shut it down
}

// Handler makes the endpoint of a server. A nil o means all defaults. Call
// [Endpoint.Shutdown] when it is no longer used; [Serve] does it. It panics when the
// lists of the options have what is no host or no origin.
func Handler(s *mcp.Server, o *Options) *Endpoint {
	o.mustHaveLists()
	e := &Endpoint{
		server: s,
		opts:   o,
		modern: discover.NewModern(s),
		scan:   jsonrpc.Scanner{Inner: discover.Inner()},
		log:    s.Logger(),
	}
	e.debug = e.log.Enabled(context.Background(), slog.LevelDebug)
	e.load.init(o)
	e.sessions = newSessions(e)
	e.exchanges.New = func() any { return &exchange{endpoint: e} }
	return e
}

// ServeHTTP implements [http.Handler].
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.debug {
		witnessed(e.log, w, r, e.serve)
		return
	}
	e.serve(w, r)
}

func (e *Endpoint) serve(w http.ResponseWriter, r *http.Request) {
	if !e.opts.receive(w, r, e.opts.methods(), e.log) {
		return
	}
	if !e.enlisted.Load() && enlist(r, e) {
		e.enlisted.Store(true)
	}
	switch r.Method {
	case http.MethodPost:
		// What stays open does so on a shallow stack: most of what an open stream costs is its
		// stack, and the runtime halves those of which little is used.
		if stream := e.post(w, r); stream != nil {
			stream.listen()
		}
	case http.MethodGet:
		e.legacyGet(w, r)
	case http.MethodDelete:
		e.legacyDelete(w, r)
	default:
		refuseMethod(w, e.opts.methods(), "Method not allowed: send messages with POST")
	}
}

// Shutdown ends the endpoint in order: new requests are answered with 503, streams end, and
// what is worked on is finished. When ctx ends before that, the contexts of the handlers
// are cancelled and their answers still waited for, a second at most, since a handler may
// ignore its context; the error is [jsonrpc.ErrDrain] and that of ctx. An [http.Server]
// waits for its handlers and tells them nothing, so call this before its own Shutdown, which takes no new
// connections: those that calls under way may wait for an answer on. It may be called more
// than once.
func (e *Endpoint) Shutdown(ctx context.Context) error {
	defer e.load.retire()
	defer e.sessions.end() // and with them their streams, before those that are being opened are waited for
	return e.load.shutdown(ctx, func() {
		e.load.cancel()
		e.sessions.cancel()
		if !e.load.isIdleWithin(lastWrites / 2) {
			e.sessions.end() // those whose handlers ignore their contexts are told by the session
			e.load.isIdleWithin(lastWrites / 2)
		}
	})
}
