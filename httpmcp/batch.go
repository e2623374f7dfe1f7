package httpmcp

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
)

// The bounds of a batch: so many of its requests run at once, and once the answers come to so
// many bytes the rest are refused, since all are held until the last.
const (
	batchAtOnce = 16
	batchBytes  = 16 << 20
)

// legacyBatch answers an array of messages: in the sessions that have such (2025-03-26
// basic/transports, Sending Messages to the Server). Elsewhere it is refused before anything in
// it runs.
func (e *Endpoint) legacyBatch(x *exchange) {
	x.era = discover.LegacyEra
	x.trace("in", x.body)
	elements, told := e.scan.Split(x.body)
	if !e.isLegacy(x.r) {
		if told == nil {
			told = errNoBatches()
		}
		x.refuse(http.StatusBadRequest, told)
		return
	}
	s := x.join()
	if s == nil {
		return
	}
	defer s.leave()
	switch {
	case told != nil:
		x.refuse(http.StatusBadRequest, told)
	case !s.form.Batches:
		x.refuse(http.StatusBadRequest, errNoBatches())
	case len(elements) == 0:
		x.refuse(http.StatusBadRequest, jsonrpc.Errorf(jsonrpc.InvalidRequest, "an empty batch holds nothing to answer"))
	default:
		s.answerBatch(x, elements)
	}
}

func errNoBatches() *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.InvalidRequest, "Batches are taken only in sessions of revision 2025-03-26: send each message with a POST of its own")
}

// batch is one array of messages while its requests are worked on.
type batch struct {
	*legacyPost
	items []*item
}

// item is one element that is answered: at once with told, or by its request.
type item struct {
	call call
	msg  jsonrpc.Message
	told *jsonrpc.Error
}

// answerBatch takes the elements in, in their order, and answers them. Without a request among
// them there is nothing to answer.
func (s *session) answerBatch(x *exchange, elements []jsonrpc.Raw) {
	b := &batch{legacyPost: newLegacyPost(s, x)}
	for _, element := range elements {
		b.takeOne(element)
	}
	if len(b.items) == 0 {
		x.endpoint.opts.replyStatus(x.w, http.StatusAccepted)
		return
	}
	b.begin()
	defer x.place.silence.end()
	b.run()
}

// takeOne looks at one element: requests enter flight, so that they can be cancelled;
// notifications and responses take effect now.
func (b *batch) takeOne(element jsonrpc.Raw) {
	s := b.session
	it := &item{}
	it.told = s.endpoint.scan.Scan(element, &it.msg)
	it.msg.Batched = true
	modern := it.told == nil && discover.EraOf(&it.msg, true, "") == discover.ModernEra
	switch {
	case it.msg.Kind == jsonrpc.Response:
		s.deliver(&it.msg, it.told)
	case modern && it.msg.Kind == jsonrpc.Request:
		_, err := s.endpoint.modern.Open(&it.msg, b.x.sender()) // has no batches
		errors.As(err, &it.told)
		b.items = append(b.items, it)
	case modern:
		// A notification that no header can be held to.
	case it.msg.Kind == jsonrpc.Notification:
		if it.told == nil {
			s.take(&it.msg, b.x)
		}
	default:
		if it.told == nil {
			c := &it.call
			c.init(b.legacyPost, &it.msg)
			if r := s.register(c); r != nil {
				it.told = r.told
			}
		}
		b.items = append(b.items, it)
	}
}

// run answers the requests, a few at once, and sends what they gave: as one array, or on the
// stream one by one (2025-03-26 basic/transports, Sending Messages to the Server, 6).
func (b *batch) run() {
	replies := make([][]byte, len(b.items))
	var running sync.WaitGroup
	var size atomic.Int64
	slots := make(chan struct{}, batchAtOnce)
	for i, it := range b.items {
		if it.told != nil {
			replies[i] = jsonrpc.AppendError(nil, it.msg.ID, it.told)
			continue
		}
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			done := func(reply []byte) {
				replies[i] = reply
				size.Add(int64(len(reply)))
			}
			if size.Load() > batchBytes {
				done(it.call.reply(nil, 0, jsonrpc.Errorf(jsonrpc.InternalError, "The answers of the batch are too long: send its requests on their own")))
				return
			}
			it.call.run(nil, done)
		})
	}
	running.Wait()
	b.gather(replies)
}

// gather ends the batch with what its requests gave; those that were cancelled gave nothing.
func (b *batch) gather(replies [][]byte) {
	answers := replies[:0]
	for _, reply := range replies {
		if len(reply) > 0 {
			answers = append(answers, reply)
		}
	}
	out := b.x.out[:0]
	for i, reply := range answers {
		out = append(out, "[,"[min(i, 1)])
		out = append(out, reply...)
	}
	if len(answers) > 0 {
		out = append(out, ']')
	}
	b.x.out = out
	b.finish(answers...)
}
