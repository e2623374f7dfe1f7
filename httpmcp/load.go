package httpmcp

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
)

// load is what an endpoint works on at the moment, and its end.
type load struct {
	ending chan struct{} // closed when nothing new is taken any more

	mu       sync.Mutex
	requests int                                  // worked on, streams aside
	streams  int                                  // open
	live     map[*jsonrpc.RequestContext]isStream // both
	over     bool                                 // ending is closed
	idle     chan struct{}                        // closed when over, and nothing is worked on
}

// isStream says of what is worked on that it stays open by nature.
type isStream bool

func (l *load) init() {
	l.ending = make(chan struct{})
	l.idle = make(chan struct{})
	l.live = make(map[*jsonrpc.RequestContext]isStream)
}

// enter takes one more request or stream on, known by its context; one that is worked on
// as a request already becomes a stream. It returns the status and the reason of a refusal,
// and 0 when there is room; then leave must follow.
func (l *load) enter(ctx *jsonrpc.RequestContext, as isStream, o *Options) (status int, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over:
		return http.StatusServiceUnavailable, "The server is shutting down"
	case bool(as) && l.streams >= o.maxStreams():
		return http.StatusServiceUnavailable, "Too many streams are open: try again later"
	case !bool(as) && l.requests >= o.maxInFlight():
		return http.StatusServiceUnavailable, "Too many requests are in flight: try again later"
	}
	l.countLocked(ctx, -1) // if it was a request
	l.live[ctx] = as
	l.countLocked(ctx, 1)
	return 0, ""
}

// enterSpare takes on what may be a client's answer to a question, or a cancellation, although enter
// has refused it: requests under way may wait for it, at the bound all of them, and then no
// place would ever be free. It is bounded as enter is.
func (l *load) enterSpare(ctx *jsonrpc.RequestContext, o *Options) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.requests >= 2*o.maxInFlight() {
		return false
	}
	l.live[ctx] = false
	l.countLocked(ctx, 1)
	return true
}

// leave ends what enter or enterSpare began.
func (l *load) leave(ctx *jsonrpc.RequestContext) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.countLocked(ctx, -1)
	delete(l.live, ctx)
	l.settleLocked()
}

func (l *load) countLocked(ctx *jsonrpc.RequestContext, by int) {
	switch as, known := l.live[ctx]; {
	case !known:
	case bool(as):
		l.streams += by
	default:
		l.requests += by
	}
}

func (l *load) settleLocked() {
	if !l.over || len(l.live) > 0 {
		return
	}
	select {
	case <-l.idle:
	default:
		close(l.idle)
	}
}

// end has nothing new taken.
func (l *load) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.over = true
		close(l.ending)
	}
	l.settleLocked()
}

// cancel ends the contexts of all that is worked on.
func (l *load) cancel() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for ctx := range l.live {
		ctx.Cancel(jsonrpc.ErrClosed)
	}
}

// isIdleWithin waits until nothing is worked on, for the given time at most.
func (l *load) isIdleWithin(most time.Duration) bool {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-l.idle:
		return true
	case <-late.C:
		return false
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
	e.load.end()
	defer e.sessions.end()
	select {
	case <-e.load.idle:
		return nil
	case <-ctx.Done():
	}
	e.load.cancel()
	e.sessions.cancel()
	if !e.load.isIdleWithin(lastWrites / 2) {
		e.sessions.end() // those whose handlers ignore their contexts are told by the session
		e.load.isIdleWithin(lastWrites / 2)
	}
	return fmt.Errorf("%w: %w", jsonrpc.ErrDrain, ctx.Err())
}
