package httpmcp

import (
	"context"
	"net/http"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
)

// legacyPost is one POST with requests of a session while they are worked on. The handlers run
// on goroutines of their own, so that they can outlive it: the connection may break, or be let
// go.
type legacyPost struct {
	session *session
	x       *exchange
	stream  stream
	carrier carrier
	first   call // the only one, unless the POST is a batch

	mu       sync.Mutex
	answered bool
	late     *jsonrpc.RequestContext // stands for what runs on behind the response; nil before its end
}

func newLegacyPost(s *session, x *exchange) *legacyPost {
	p := &legacyPost{session: s, x: x}
	p.carrier = carrier{w: x.w, wake: make(chan struct{}, 1)}
	p.stream.session, p.stream.carrier, p.stream.plain = s, &p.carrier, !x.accepts.events
	return p
}

// answer answers the POST of one request.
func (s *session) answer(x *exchange) {
	p := newLegacyPost(s, x)
	c := &p.first
	c.post, c.msg, c.ctx = p, &x.msg, s.context(x.r)
	if r := s.register(c); r != nil {
		x.turnDown(r)
		return
	}
	p.serve(p.runOne)
}

// runOne runs the handler of the only request.
func (p *legacyPost) runOne() {
	p.first.run(p.x.out[:0], func(reply []byte) {
		p.x.out = reply
		p.finish([][]byte{reply})
	})
}

// serve runs the handlers, and stays until all is answered or the response is at its end for
// another reason.
func (p *legacyPost) serve(run func()) {
	x := p.x
	if !x.accepts.json {
		p.stream.open()
	}
	go run()
	gone := p.wait()
	answered := p.settle()
	p.stream.leave(&p.carrier, gone)
	switch {
	case p.carrier.events != nil || gone:
		// All is said, or nobody listens.
	case !answered:
		p.turnDown()
	case len(x.out) > 0:
		x.endpoint.traceLegacy("out", x.out)
		x.endpoint.opts.replyJSON(x.w, http.StatusOK, x.out)
	default:
		x.replyNothing()
	}
}

// turnDown answers for requests that are not answered because their session has ended. The
// exchange is left to what still runs, so nothing in it is written to.
func (p *legacyPost) turnDown() {
	x := p.x
	r := x.endpoint.refusalOfEnded()
	if r.status == http.StatusServiceUnavailable {
		x.w.Header()["Retry-After"] = retryAfter
	}
	x.endpoint.opts.replyJSON(x.w, r.status, jsonrpc.AppendError(nil, x.msg.ID, r.told))
}

// wait waits for the end of the response, and reports whether its client is gone. A client that
// has waited for so long that somebody might take the connection for a dead one gets a stream.
func (p *legacyPost) wait() (gone bool) {
	quiet := time.NewTimer(p.x.endpoint.opts.keepAlive())
	defer quiet.Stop()
	for {
		select {
		case <-p.carrier.wake:
			if p.isAnswered() || p.stream.carried() != &p.carrier {
				return false
			}
		case <-p.session.ctx.Done():
			return false
		case <-p.x.r.Context().Done():
			return true
		case <-quiet.C:
			p.stream.open()
		}
	}
}

func (p *legacyPost) isAnswered() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.answered
}

// settle reports whether all is answered. If not, the exchange is left to what still runs, which
// counts as it did before.
func (p *legacyPost) settle() (answered bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.answered {
		p.late = jsonrpc.NewRequestContext(context.Background())
		p.x.kept = true
		p.session.users.Add(1)
		p.x.endpoint.load.move(p.x.ctx, p.late)
	}
	return p.answered
}

// finish stands at the end of the last handler.
func (p *legacyPost) finish(replies [][]byte) {
	p.stream.finish(replies)
	p.mu.Lock()
	p.answered = true
	late := p.late
	p.mu.Unlock()
	if late != nil {
		p.session.leave()
		p.x.endpoint.load.leave(late)
		return
	}
	p.carrier.poke()
}

// replyNothing answers a POST whose requests were all cancelled: they are not answered
// (2025-11-25 basic/utilities/cancellation, Behavior Requirements).
func (x *exchange) replyNothing() {
	if x.accepts.events {
		events := newEventWriter(x.w, x.endpoint.opts)
		defer events.close()
		if events.begin() == nil {
			return
		}
	}
	x.w.WriteHeader(http.StatusAccepted)
}
