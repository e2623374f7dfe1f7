package jsonrpc

import (
	"bytes"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
)

// receiveBatch takes an array of messages (2025-03-26 basic/index, Batching;
// JSON-RPC 2.0, section 6). Whether arrays are taken at all is the handler's to
// say, at this moment. The requests in it run beside each other, a few at once, and
// beside everything else; their answers leave as one array, in the order of the
// requests, when the last is there. It reports false when the place was lost.
func (c *Conn) receiveBatch(p *place, frame []byte) (kept bool) {
	elements, told := c.scan.Split(bytes.Clone(frame))
	if told == nil {
		told = c.handler.AllowBatch()
	}
	if told == nil && len(elements) == 0 {
		told = Errorf(InvalidRequest, "an empty batch holds nothing to answer")
	}
	if told != nil {
		if c.debug {
			c.trace("in", slog.Attr{}, frame)
		}
		c.logRefused("batch refused", told, frame)
		if !c.client {
			p.replies = c.appendFailure(p.replies, slog.Attr{}, ID{}, told)
		}
		return true
	}
	b := &batch{conn: c, left: elements, turn: c.enter(p, c.noticing(), len(p.replies))}
	returned := false
	defer func() {
		c.begin()
		c.all.Add(1)
		go b.run()
		runtime.Gosched() // a quick one is done before the next is read
	}()
	defer func() {
		if !returned { // a notification's handler has ended this goroutine
			c.abandon(b.turn)
			b.take()
		}
	}()
	b.take()
	returned = true
	return c.leave(b.turn)
}

// batch is one array of messages while its requests are worked on.
type batch struct {
	conn  *Conn
	turn  uint64 // in which it is taken
	left  []Raw  // the elements that are not taken yet
	items []item
}

// The bounds of a batch: so many of its requests run at once, and once the answers
// come to so many bytes the rest are refused, since all are held until the last.
const (
	batchAtOnce = 16
	batchBytes  = 16 << 20
)

// item is one element that is answered: at once with told, or by its request.
type item struct {
	r    *request
	told *Error
}

// take looks at the elements that are left.
func (b *batch) take() {
	for len(b.left) > 0 {
		element := b.left[0]
		b.left = b.left[1:]
		b.takeOne(element)
	}
}

// takeOne looks at one element: requests enter flight, in order, so that they can
// be cancelled; notifications and responses take effect now.
func (b *batch) takeOne(element Raw) {
	c := b.conn
	r := &request{conn: c}
	m := &r.msg
	told := c.scan.Scan(element, m)
	m.Batched = true
	r.traceIn(element)
	if told != nil {
		c.logFault(m, told)
	}
	switch {
	case m.Kind == Response && told != nil:
		c.deliverFault(m, told)
	case m.Kind == Response:
		c.deliver(m)
	case m.Kind == Notification:
		if told == nil {
			r.ctx, r.turn = c.ctx, b.turn
			Notice(c.ctx, c.handler, m, r, c.log)
			r.done.Store(true)
		}
	case c.client && !m.asks(): // never answered: see appendFault
	default:
		if told == nil {
			r.size = len(element)
			told = r.register(false)
		}
		b.items = append(b.items, item{r, told})
	}
}

// run answers the requests and sends what they gave.
func (b *batch) run() {
	c := b.conn
	defer c.all.Done()
	defer c.rest()
	replies := make([][]byte, len(b.items))
	var running sync.WaitGroup
	var size atomic.Int64
	slots := make(chan struct{}, batchAtOnce)
	for i, it := range b.items {
		if it.told != nil {
			replies[i] = AppendError(nil, it.r.msg.ID, it.told)
			it.r.traceOut(replies[i])
			continue
		}
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			if size.Load() > batchBytes {
				replies[i] = it.r.refuse(Errorf(InternalError, "The answers of the batch are too long: send its requests on their own"))
				return
			}
			it.r.runBatched(&replies[i])
			size.Add(int64(len(replies[i])))
		})
	}
	running.Wait()
	out := []byte{'['}
	for _, reply := range replies {
		if len(reply) == 0 {
			continue // cancelled
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, reply...)
	}
	if len(out) > 1 {
		c.send(append(out, ']', '\n'))
	}
}

// refuse takes the request out of flight with this answer.
func (r *request) refuse(told *Error) []byte {
	if !r.finish() {
		return nil
	}
	reply := AppendError(nil, r.msg.ID, told)
	r.traceOut(reply)
	return reply
}

// runBatched answers the request on a goroutine of its own and leaves the reply
// to its batch.
func (r *request) runBatched(reply *[]byte) {
	returned := false
	defer func() {
		if !returned {
			*reply = r.apology()
		}
	}()
	*reply = r.answer(nil)
	returned = true
}
