package jsonrpc

import (
	"bytes"
	"log/slog"
	"sync"
)

// receiveBatch takes an array of messages (2025-03-26 basic/index, Batching;
// JSON-RPC 2.0, section 6). Whether arrays are taken at all is the handler's to
// say, at this moment. The requests in it run beside each other and beside
// everything else; their answers leave as one array, in the order of the
// requests, when the last is there.
func (c *Conn) receiveBatch(p *place, frame []byte) {
	elements, told := c.scan.Split(bytes.Clone(frame))
	if c.debug {
		c.trace("in", slog.Attr{}, frame)
	}
	if told == nil {
		told = c.handler.AllowBatch()
	}
	if told == nil && len(elements) == 0 {
		told = Errorf(InvalidRequest, "an empty batch holds nothing to answer")
	}
	if told != nil {
		c.log.Warn("batch refused", "code", int(told.Code), "reason", told.Message)
		p.replies = c.appendFailure(p.replies, slog.Attr{}, ID{}, told)
		return
	}
	b := &batch{conn: c}
	for _, element := range elements {
		b.take(element)
	}
	c.begin()
	c.all.Add(1)
	go b.run()
}

// batch is one array of messages while its requests are worked on.
type batch struct {
	conn  *Conn
	items []item
}

// item is one element that is answered: at once with told, or by its request.
type item struct {
	r    *request
	told *Error
}

// take looks at one element: requests enter flight, in order, so that they can be
// cancelled; notifications and responses take effect now.
func (b *batch) take(element Raw) {
	c := b.conn
	r := &request{conn: c}
	m := &r.msg
	told := c.scan.Scan(element, m)
	m.Batched = true
	if c.debug {
		r.label = c.handler.Label(m)
	}
	switch {
	case m.Kind == Response:
		if told == nil {
			c.deliver(m)
		}
	case m.Kind == Notification:
		if told == nil {
			r.ctx = c.ctx
			Notice(c.ctx, c.handler, m, r, c.log)
			r.done.Store(true)
		}
	default:
		if told == nil {
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
	for i, it := range b.items {
		if it.told != nil {
			replies[i] = AppendError(nil, it.r.msg.ID, it.told)
			continue
		}
		running.Go(func() {
			defer it.r.sent()
			replies[i] = AppendError(nil, it.r.msg.ID, Errorf(InternalError, "Internal error"))
			replies[i] = it.r.answer(nil)
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
		c.sendOne(append(out, ']'), slog.Attr{})
	}
}
