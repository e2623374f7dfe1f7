package httpmcp

import (
	"errors"
	"net/http"
	"sync"

	"isthmus.internal/jsonrpc"
)

// legacyPost is one POST with requests of a session while they are worked on. The handler of a
// single request runs on the goroutine that serves the POST, since to wake another one costs as
// much as a quick call. That its connection breaks, or is let go, does not end it: the answer
// then waits in the event store, where the stream has begun.
type legacyPost struct {
	session *session
	x       *exchange
	stream  stream
	carrier carrier
	first   call // the only one, unless the POST is a batch

	mu    sync.Mutex // held while the response is written, which two may want to do
	told  bool       // the response is at its end
	asked int        // questions that are not answered

	exits bool // the handler has ended the goroutine that serves the POST
}

func newLegacyPost(s *session, x *exchange) *legacyPost {
	p := &legacyPost{session: s, x: x}
	p.carrier = carrier{w: x.w, chunked: x.r.ProtoAtLeast(1, 1)}
	p.stream.session, p.stream.carrier, p.stream.plain = s, &p.carrier, !x.accepts.events
	return p
}

// answer answers the POST of one request.
func (s *session) answer(x *exchange) {
	p := newLegacyPost(s, x)
	c := &p.first
	c.init(p, &x.msg)
	if r := s.register(c); r != nil {
		x.refuse(r.status, r.told)
		return
	}
	p.begin()
	defer x.place.silence.end()
	returned := false
	defer func() {
		if !returned {
			p.leaveUnserved()
		}
	}()
	c.run(x.out[:0], func(reply []byte) {
		x.out = reply
		p.finish(reply)
	})
	returned = true
}

// waits counts the questions that wait for the client. While there are some the POST takes no
// place among the requests that are worked on: clients that never answer could hold them all.
func (p *legacyPost) waits(by int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.asked > 0
	p.asked += by
	switch load := &p.session.endpoint.load; {
	case p.asked > 0 && !before:
		load.stand(&p.x.place, asWaiting)
	case p.asked == 0:
		load.stand(&p.x.place, asRequest)
	}
}

// leaveUnserved sends the answer in place of net/http, which does not when the handler has ended
// the goroutine. What is on a stream has been sent, and its connection may be another's by now.
func (p *legacyPost) leaveUnserved() {
	if !p.stream.hasBegun() {
		_ = http.NewResponseController(p.x.w).Flush()
	}
}

// begin has the answer be a stream where the client takes nothing else, and where it takes so
// long that somebody might take the connection for a dead one.
func (p *legacyPost) begin() {
	if !p.x.accepts.json {
		p.stream.open()
	}
	p.x.place.silence.begin(&p.stream)
}

// finish sends the answers: on the stream if it has begun, and in one JSON body otherwise, which
// x.out holds. None of them are left when all requests were cancelled.
func (p *legacyPost) finish(answers ...[]byte) {
	x := p.x
	if p.stream.finish(answers) {
		p.stream.leave(&p.carrier, x.r.Context().Err() != nil)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.told {
		return
	}
	if p.exits {
		x.w.Header().Set("Connection", "close") // net/http closes it
	}
	if len(x.out) > 0 {
		x.endpoint.traceLegacy("out", x.out)
		x.reply(http.StatusOK, x.out)
	} else {
		x.replyNothing()
	}
	p.told = true
}

// turnDown tells the client that its session has ended, although the handler may run on: unless
// there is a stream, whose end says so.
func (p *legacyPost) turnDown() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.told || p.stream.hasBegun() {
		return
	}
	p.told = true
	x := p.x
	r := x.endpoint.refusalOfEnded()
	setRetryAfter(x.w.Header(), r.status)
	// The exchange is the handler's, so nothing in it is written to.
	x.endpoint.opts.replyJSON(x.w, r.status, jsonrpc.AppendError(nil, x.msg.ID, r.told))
	_ = http.NewResponseController(x.w).Flush()
}

// replyNothing answers a POST whose requests were all cancelled: they are not answered
// (2025-11-25 basic/utilities/cancellation, Behavior Requirements).
func (x *exchange) replyNothing() {
	if x.accepts.events {
		events := newEventWriter(x.w, x.endpoint.opts)
		defer events.close()
		if err := events.begin(); !errors.Is(err, errNoFlush) {
			return // the client may have gone, too
		}
	}
	x.endpoint.opts.replyStatus(x.w, http.StatusAccepted)
}
