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
	requests int                                  // worked on, streams and those that wait aside
	streams  int                                  // open
	live     map[*jsonrpc.RequestContext]standing // all of them
	over     bool                                 // ending is closed
	idle     chan struct{}                        // closed when over, and nothing is worked on
}

// standing is how something counts.
type standing uint8

const (
	asRequest standing = iota
	asStream           // it stays open by nature
	asWaiting          // a request whose handler waits for the client: only the connections bound those
)

func (l *load) init() {
	l.ending = make(chan struct{})
	l.idle = make(chan struct{})
	l.live = make(map[*jsonrpc.RequestContext]standing)
}

// enter takes one more request or stream on, known by its context; one that is worked on
// as a request already becomes a stream. It returns the status and the reason of a refusal,
// and 0 when there is room; then leave must follow.
func (l *load) enter(ctx *jsonrpc.RequestContext, as standing, o *Options) (status int, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over:
		return http.StatusServiceUnavailable, "The server is shutting down"
	case as == asStream && l.streams >= o.maxStreams():
		return http.StatusServiceUnavailable, "Too many streams are open: try again later"
	case as == asRequest && l.requests >= o.maxInFlight():
		return http.StatusServiceUnavailable, "Too many requests are in flight: try again later"
	}
	l.countLocked(ctx, -1) // if it was a request
	l.live[ctx] = as
	l.countLocked(ctx, 1)
	return 0, ""
}

// enterSpare takes on what may be a client's answer to a question, or a cancellation, although enter
// has refused it: that is what frees a place, and what the end waits for. What it is shows when it has
// been read. There are as many places for such as enter has.
func (l *load) enterSpare(ctx *jsonrpc.RequestContext, o *Options) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.requests >= 2*o.maxInFlight() {
		return false
	}
	l.live[ctx] = asRequest
	l.countLocked(ctx, 1)
	return true
}

// stand has a request count as waiting, or as a request again: then it may exceed the bound, as
// it goes on with what it has begun.
func (l *load) stand(ctx *jsonrpc.RequestContext, as standing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.live[ctx]; known {
		l.countLocked(ctx, -1)
		l.live[ctx] = as
		l.countLocked(ctx, 1)
	}
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
	case as == asStream:
		l.streams += by
	case as == asRequest:
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
