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

	mu          sync.Mutex
	requests    int           // worked on, streams and those that wait aside
	streams     int           // open
	kept        int           // bytes that those keep which keep much
	first, last *place        // all of them
	over        bool          // ending is closed
	cancelled   bool          // cancel was called
	idle        chan struct{} // closed when over, and nothing is worked on

	sentry
}

// place is what one request or stream takes of the load, from enter to leave.
type place struct {
	bound
	silence

	// Under load.mu:
	as         standing
	kept       int                     // of load.kept
	ctx        *jsonrpc.RequestContext // of bind; nil where others end the handler
	prev, next *place
}

// standing is how something counts.
type standing uint8

const (
	asNothing standing = iota // it has not entered
	asRequest
	asStream  // it stays open by nature
	asWaiting // a request whose handler waits for the client: only the connections bound those
)

func (l *load) init(o *Options) {
	l.ending = make(chan struct{})
	l.idle = make(chan struct{})
	l.sentry.init(o)
}

// enter takes one more request or stream on. It returns the status and the reason of a
// refusal, and 0 when there is room; then leave must follow.
func (l *load) enter(p *place, as standing, o *Options) (status int, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over:
		return http.StatusServiceUnavailable, "The server is shutting down"
	case as == asStream && l.streams >= o.maxStreams():
		return http.StatusServiceUnavailable, "Too many streams are open: try again later"
	case as == asStream && p.kept > 0 && l.kept+p.kept > mostKept:
		return http.StatusServiceUnavailable, "The requests of the streams that are open are too long together: try again later, or ask for less"
	case as == asRequest && l.requests >= o.maxInFlight():
		return http.StatusServiceUnavailable, "Too many requests are in flight: try again later"
	}
	l.addLocked(p, as)
	return 0, ""
}

// The request of a stream is kept as long as that is open. So many bytes of it are bounded by the
// number of streams, and beyond that all have a share: who sends long ones keeps no others out.
const (
	littleKept = 4 << 10
	mostKept   = 64 << 20
)

// weigh notes what the request of a stream makes it keep, before enter: its target as it came and as
// it was read, its headers, and its body.
func (p *place) weigh(r *http.Request, body []byte) {
	const eachHeader = 64 // bytes, about, beside its text
	size := len(body) + len(r.Host) + 2*len(r.RequestURI)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(value) + eachHeader
		}
	}
	if size > littleKept {
		p.kept = size
	}
}

// enterSpare takes on what may be a client's answer to a question, or a cancellation, although enter
// has refused it: that is what frees a place, and what the end waits for. What it is shows when it has
// been read. There are as many places for such as enter has.
func (l *load) enterSpare(p *place, o *Options) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.requests >= 2*o.maxInFlight() {
		return false
	}
	l.addLocked(p, asRequest)
	return true
}

func (l *load) addLocked(p *place, as standing) {
	p.as, p.prev, p.next = as, l.last, nil
	if l.last == nil {
		l.first = p
	} else {
		l.last.next = p
	}
	l.last = p
	l.countLocked(p, 1)
	l.watchLocked(p)
}

// stand has a request count as waiting, or as a request again: then it may exceed the bound, as
// it goes on with what it has begun.
func (l *load) stand(p *place, as standing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.as != asNothing {
		l.countLocked(p, -1)
		p.as = as
		l.countLocked(p, 1)
	}
}

// bind has ctx, that of the handler, ended by cancel.
func (l *load) bind(p *place, ctx *jsonrpc.RequestContext) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.ctx = ctx
	if l.cancelled && ctx != nil {
		ctx.Cancel(jsonrpc.ErrClosed)
	}
}

// leave ends what enter or enterSpare began.
func (l *load) leave(p *place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.countLocked(p, -1)
	if p.prev == nil {
		l.first = p.next
	} else {
		p.prev.next = p.next
	}
	if p.next == nil {
		l.last = p.prev
	} else {
		p.next.prev = p.prev
	}
	p.as, p.kept, p.ctx, p.prev, p.next = asNothing, 0, nil, nil, nil
	l.settleLocked()
}

func (l *load) countLocked(p *place, by int) {
	switch p.as {
	case asStream:
		l.streams += by
		l.kept += by * p.kept
	case asRequest:
		l.requests += by
	}
}

func (l *load) settleLocked() {
	if !l.over || l.first != nil {
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
	l.cancelled = true
	for p := l.first; p != nil; p = p.next {
		if p.ctx != nil {
			p.ctx.Cancel(jsonrpc.ErrClosed)
		}
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
