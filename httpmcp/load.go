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

// shutdown has nothing new taken and waits until nothing is worked on. When ctx ends before that, late is
// called, to cancel what there is and to wait a little for it.
func (l *load) shutdown(ctx context.Context, late func()) error {
	l.end()
	select {
	case <-l.idle:
		return nil
	case <-ctx.Done():
	}
	late()
	return fmt.Errorf("%w: %w", jsonrpc.ErrDrain, ctx.Err())
}
