package jsonrpc

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
)

// request is one message of the peer while it is worked on, and the [Peer] that
// its handler sees.
type request struct {
	conn  *Conn
	msg   Message
	label slog.Attr // for the debug log only
	ctx   context.Context
	turn  uint64      // the turn in which it runs in the reading place; 0: it does not
	done  atomic.Bool // answered or cancelled: nothing more is sent for it
	long  bool        // it stays open: see [Options.LongLived]
	size  int         // bytes of the text that it keeps while it does, or that a client's handler keeps

	// Under Conn.mu:
	end      *RequestContext // is ctx, for requests, or what that is made of
	key      string          // in Conn.inFlight; "" while it is not there
	gone     bool            // cancelled by the peer
	finished bool            // the handler has returned
	counted  bool            // in Conn.working or Conn.open, until then

	// sending is held while a notification about the request is put out, so that
	// the answer cannot overtake it.
	sending sync.Mutex
}

// reset makes r ready for another message.
func (r *request) reset() {
	r.msg.Reset()
	r.label, r.ctx, r.turn, r.long, r.size = slog.Attr{}, nil, 0, false, 0
	r.end, r.key, r.gone, r.finished, r.counted = nil, "", false, false, false
	// done stays: a handler's goroutine that speaks too late is not heard.
}

// register takes the request on, or says why it may not be: an id is used by one
// request at a time (2026-07-28 basic/index, Requests) and their number is
// bounded. A request that is to run in the reading place does not enter flight
// yet: nothing that could cancel it or repeat its id is read before takeOver,
// which then makes up for it.
func (r *request) register(inPlace bool) *Error {
	c := r.conn
	var buf [64]byte
	key := r.msg.ID.AppendKey(buf[:0])
	end := NewRequestContext(c.ctx)
	ctx := context.Context(end)
	if c.client {
		ctx = Arrive(end, c.handler)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, taken := c.inFlight[string(key)]; taken {
		return Errorf(InvalidRequest, "id is in use by a request that is not answered yet")
	}
	switch {
	case r.long && c.open >= c.opts.maxLongLived():
		return Errorf(InternalError, "Too many long-lived requests: at most %d, cancel one first", c.opts.maxLongLived())
	case r.long && c.open > 0 && c.openBytes+r.size > longLivedBytes:
		return Errorf(InternalError, "Too much text in long-lived requests: at most %d bytes, cancel one first", longLivedBytes)
	case !r.long && c.working >= c.opts.maxInFlight():
		return Errorf(InternalError, "Too many requests in flight: at most %d, wait for answers", c.opts.maxInFlight())
	case c.client && c.working > 0 && c.workingBytes+r.size > askedBytes:
		return Errorf(InternalError, "Too much text in requests: at most %d bytes, wait for answers", askedBytes)
	}
	r.ctx, r.end = ctx, end
	r.done.Store(false)
	if !inPlace {
		r.enterFlightLocked(key)
	}
	return nil
}

// enterFlight makes up for what register left out when the request loses the
// reading place.
func (r *request) enterFlight() {
	var buf [64]byte
	key := r.msg.ID.AppendKey(buf[:0])
	r.conn.mu.Lock()
	defer r.conn.mu.Unlock()
	if !r.finished {
		r.enterFlightLocked(key)
	}
}

// enterFlightLocked counts the request, and makes it known to cancellations,
// until its handler has returned.
func (r *request) enterFlightLocked(key []byte) {
	r.counted = true
	r.countLocked(1)
	r.key = string(key)
	r.conn.inFlight[r.key] = r
}

// longLivedBytes is the most text, in bytes, that the long-lived requests of a connection
// keep together; a single one is always taken. They stay for hours, and a peer could
// otherwise fill the memory with a few.
const longLivedBytes = 16 << 20

// askedBytes is the most text, in bytes, of the requests that a client's handlers work on at
// once; a single one is always taken. They may wait for people, or for the connection to be
// settled, while the server sends more.
const askedBytes = 64 << 20

func (r *request) countLocked(by int) {
	if r.long {
		r.conn.open += by
		r.conn.openBytes += by * r.size
	} else {
		r.conn.working += by
		r.conn.workingBytes += by * r.size
	}
}

// stayOpen makes the request one that is long-lived. frame is its text, and what it
// keeps of that is a copy: it must not hold a read buffer for hours.
func (r *request) stayOpen(frame []byte) {
	r.msg.Reset()
	r.conn.scan.Scan(bytes.Clone(frame), &r.msg) // found good before
	r.long, r.size = true, len(frame)
}

// finish takes the request out of flight and reports whether it is still to be
// answered. From then on, and so before the peer can see the answer, there is
// room for another, and its id may be used again.
func (r *request) finish() bool {
	r.sending.Lock()
	r.done.Store(true)
	r.sending.Unlock()
	c := r.conn
	c.mu.Lock()
	r.finished = true
	if r.counted {
		r.countLocked(-1)
	}
	if r.key != "" {
		delete(c.inFlight, r.key)
	}
	gone, end := r.gone, r.end
	c.mu.Unlock()
	end.Cancel(context.Canceled)
	return !gone
}

// answer runs the handler and appends the reply, without a line end, or nothing
// when the peer has cancelled the request.
func (r *request) answer(dst []byte) []byte {
	out := AppendResult(dst, r.msg.ID)
	finished := false
	defer func() {
		if !finished { // the handler has ended its goroutine
			r.finish()
		}
	}()
	out, told := Invoke(r.ctx, r.conn.handler, &r.msg, r, out, r.conn.log)
	finished = true
	if !r.finish() {
		return dst
	}
	if told != nil {
		out = AppendError(out[:len(dst)], r.msg.ID, told)
	} else {
		out = append(out, '}')
	}
	r.traceOut(out[len(dst):])
	return out
}

// runInPlace answers the request in the reading place. It reports false when the
// place was lost meanwhile; the reply has then been sent on its own.
func (r *request) runInPlace(p *place, what uint64) (kept bool) {
	c := r.conn
	start := len(p.replies)
	p.running = r
	r.turn = c.enter(p, what, start)
	returned := false
	defer func() {
		if !returned { // the handler has ended this goroutine: another must read on
			c.abandon(r.turn)
			c.send(endLine(r.apology(), 0))
		}
	}()
	dst := endLine(r.answer(p.replies), start)
	returned = true
	if c.leave(r.turn) {
		p.replies, p.running = dst, nil
		return true
	}
	c.send(dst[start:])
	return false
}

// runAlone answers the request on a goroutine of its own.
func (r *request) runAlone() {
	c := r.conn
	defer c.all.Done()
	defer c.rest()
	returned := false
	defer func() {
		if !returned {
			c.send(endLine(r.apology(), 0))
		}
	}()
	reply := endLine(r.answer(nil), 0)
	returned = true
	c.send(reply)
}

// apology is the reply for a handler that has ended its goroutine (runtime.Goexit)
// in place of returning, or nothing when the peer has cancelled the request.
func (r *request) apology() []byte {
	told := hidden(r.conn.log, &r.msg, "handler ended its goroutine")
	r.conn.mu.Lock()
	gone := r.gone
	r.conn.mu.Unlock()
	if gone {
		return nil
	}
	reply := AppendError(nil, r.msg.ID, told)
	r.traceOut(reply)
	return reply
}

// endLine ends the message that begins at start, if there is one.
func endLine(dst []byte, start int) []byte {
	if len(dst) > start {
		dst = append(dst, '\n')
	}
	return dst
}

// Notify implements [Peer].
func (r *request) Notify(method string, params []byte) error {
	r.sending.Lock()
	defer r.sending.Unlock()
	if r.done.Load() {
		return nil // notifications about a request end with its answer
	}
	message := AppendMessage(nil, ID{}, method, params)
	if r.long {
		// Many of these may be open, and none has more than one message waiting.
		return r.conn.post(message, r.label, &r.done)
	}
	return r.conn.sendOne(message, r.label, &r.done)
}

// Call implements [Peer]. The wait for an answer must not hold up the reading of
// that answer, so the reading place is given away first.
func (r *request) Call(ctx context.Context, method string, params []byte) (Raw, error) {
	if r.turn != 0 {
		r.conn.takeOver(r.turn)
	}
	if r.done.Load() {
		return nil, context.Canceled // nothing is sent for a cancelled request
	}
	return r.conn.call(ctx, method, params, r.label)
}

// Cancel implements [Peer].
func (r *request) Cancel(id ID) { r.conn.cancelRequest(id) }

// Ending implements [Peer].
func (r *request) Ending() <-chan struct{} { return r.conn.ended }

func (c *Conn) cancelRequest(id ID) {
	var buf [64]byte
	key := id.AppendKey(buf[:0])
	c.mu.Lock()
	target := c.inFlight[string(key)]
	if target == nil {
		c.mu.Unlock()
		return
	}
	target.gone = true
	target.done.Store(true)
	target.key = "" // nothing is sent for it any more, so its id is free
	delete(c.inFlight, string(key))
	end := target.end // target may be another request's once the lock is free
	c.mu.Unlock()
	end.Cancel(context.Canceled)
}

func (r *request) traceIn(frame []byte) {
	if r.conn.debug {
		r.label = r.conn.handler.Label(&r.msg)
		r.conn.trace("in", r.label, frame)
	}
}

func (r *request) traceOut(message []byte) {
	if r.conn.debug {
		r.conn.trace("out", r.label, message)
	}
}
