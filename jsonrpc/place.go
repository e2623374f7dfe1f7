package jsonrpc

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"time"
)

// place is the reading place: the goroutine that holds it is the only one that
// uses the source, and the replies gathered in it wait for the next write.
type place struct {
	replies []byte
	whole   int       // while busy: this many bytes of replies are whole messages that whoever takes the place over sends
	urgent  bool      // the replies must leave before another message is looked at
	running *request  // what runs in the place, if it is a request
	spare   *request  // for the next message
	last    time.Time // when a message came that found no watcher
}

// request gives a request to read the next message into: the last one again,
// unless it went off to a goroutine of its own.
func (p *place) request(c *Conn) *request {
	if r := p.spare; r != nil {
		p.spare = nil
		return r
	}
	return &request{conn: c}
}

// reuse takes a request back that nobody knows any more.
func (p *place) reuse(r *request) {
	r.reset()
	p.spare = r
}

// gatherSize is how many bytes of replies are gathered, at the most, before they
// are written although more input is at hand.
const gatherSize = 64 << 10

// read holds the reading place until the input ends or the place is lost.
func (c *Conn) read(p *place) {
	defer c.all.Done()
	defer c.rest()
	for {
		// Behind a peer that does not read, reading stops here, with the place kept:
		// to go on, or to hand it on, would only let the backlog grow.
		c.out.awaitRoom()
		if c.isDue(p) && !c.flush(p) {
			return
		}
		frame, err := c.next()
		if err != nil {
			var e *Error
			if errors.As(err, &e) {
				c.logRefused("message refused", e, beginning(err))
				if c.client {
					c.deliverBroken(beginning(err), e)
				} else {
					p.replies = c.appendFailure(p.replies, slog.Attr{}, ID{}, e)
				}
				continue
			}
			c.endReading(err)
			c.flush(p)
			return
		}
		if !c.receive(p, frame) {
			return
		}
	}
}

// isDue reports whether the gathered replies must be written before more is read:
// nothing is at hand, they are many, or what is read next may overtake them where
// it should not.
func (c *Conn) isDue(p *place) bool {
	return len(p.replies) > 0 &&
		(p.urgent || len(p.replies) >= gatherSize || c.slow.Load() > 0 || !c.in.Buffered())
}

// next reads a message. The goroutine counts as at rest while it waits for one.
func (c *Conn) next() ([]byte, error) {
	if c.in.Buffered() {
		return c.in.Read()
	}
	if !c.pause() {
		return nil, io.EOF
	}
	frame, err := c.in.Read()
	if !c.begin() {
		return nil, io.EOF
	}
	return frame, err
}

// pause puts the goroutine to rest, unless no more input is taken.
func (c *Conn) pause() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending {
		return false
	}
	c.active--
	return true
}

func (c *Conn) isEnding() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ending
}

func (c *Conn) endReading(err error) {
	if err == io.EOF || c.isEnding() {
		err = nil
	}
	c.end(err)
}

// flush writes the gathered replies. It reports false when the place was taken
// over meanwhile: a write may take as long as the peer likes.
func (c *Conn) flush(p *place) bool {
	if len(p.replies) == 0 {
		return true
	}
	turn := c.enter(p, writing, 0)
	err := c.send(p.replies)
	if !c.leave(turn) {
		return false
	}
	p.replies, p.urgent = keep(p.replies), false
	if err != nil {
		c.endReading(nil)
		return false
	}
	return true
}

// receive handles one message. It reports false when the place was lost.
func (c *Conn) receive(p *place, frame []byte) (kept bool) {
	if IsArray(frame) {
		return c.receiveBatch(p, frame)
	}
	if c.client {
		return c.receiveAsClient(p, frame)
	}
	alone := c.slow.Load() > 0 || len(p.replies) == 0 && !c.isFlowing(p)
	if alone {
		frame = bytes.Clone(frame)
	}
	r := p.request(c)
	m := &r.msg
	told := c.scan.Scan(frame, m)
	r.traceIn(frame)
	kept = true
	switch {
	case told != nil:
		p.replies = c.appendFault(p.replies, r, told)
	case m.Kind == Response:
		c.deliver(m)
	case m.Kind == Notification:
		kept = c.notice(p, r)
	default:
		what := handling
		switch {
		case c.opts.inOrder(m.Method):
			what, alone, p.urgent = ordered, false, true
		case c.opts.longLived(m.Method):
			r.stayOpen(frame)
			alone = true
		}
		if told := r.register(!alone); told != nil {
			p.replies = c.appendFailure(p.replies, r.label, m.ID, told)
		} else if alone {
			c.begin()
			c.all.Add(1)
			go r.runAlone()
			runtime.Gosched() // a quick one is done before the next is read
			return true
		} else {
			kept = r.runInPlace(p, what)
		}
	}
	if kept {
		p.reuse(r)
	}
	return kept
}

// isFlowing reports whether messages come so quickly that it pays to handle them in
// the reading place. One that comes on its own gets a goroutine of its own: that
// costs it a switch, but the watcher would cost it a good deal more.
func (c *Conn) isFlowing(p *place) bool {
	if c.watching.Load() || c.in.Buffered() {
		return true
	}
	now := time.Now()
	flowing := now.Sub(p.last) < slice
	p.last = now
	return flowing
}

// notice runs a notification's handler in the reading place, so that what it
// does has happened before the next message is looked at, unless it is slow.
func (c *Conn) notice(p *place, r *request) bool {
	r.ctx = c.ctx
	r.done.Store(false)
	r.turn = c.enter(p, c.noticing(), len(p.replies))
	returned := false
	defer func() {
		if !returned { // the handler has ended this goroutine: another must read on
			c.abandon(r.turn)
		}
	}()
	Notice(r.ctx, c.handler, &r.msg, r, c.log)
	returned = true
	r.done.Store(true)
	return c.leave(r.turn)
}

// noticing is how the handlers of notifications run. On the side of a client slow ones, too,
// hold up what is behind them: what a server tells of a call must not be overtaken by its
// answer, even on a machine that is busy.
func (c *Conn) noticing() uint64 {
	if c.client {
		return ordered
	}
	return handling
}

// appendFault answers a message that is not what it should be, if its kind is
// ever answered: an error never answers a response, nor a notification that is
// one beyond doubt (JSON-RPC 2.0, sections 4.1 and 5).
func (c *Conn) appendFault(dst []byte, r *request, told *Error) []byte {
	c.logFault(&r.msg, told)
	switch r.msg.Kind {
	case Response:
		c.deliverFault(&r.msg, told)
		return dst
	case Notification:
		return dst
	}
	if c.client && !(r.msg.asks() && c.answers()) {
		return dst // it may be anything: two peers must not send errors to and fro
	}
	return c.appendFailure(dst, r.label, r.msg.ID, told)
}

// appendFailure appends an error message as a line of its own.
func (c *Conn) appendFailure(dst []byte, label slog.Attr, id ID, told *Error) []byte {
	start := len(dst)
	dst = append(AppendError(dst, id, told), '\n')
	if c.debug {
		c.trace("out", label, dst[start:len(dst)-1])
	}
	return dst
}
