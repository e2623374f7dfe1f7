package httpmcp

import (
	"context"
	"sync/atomic"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
)

// call is one request of a legacy client, and the [jsonrpc.Peer] that its handler sees. What
// is sent through it belongs to the request and so goes out on the stream of its POST.
type call struct {
	post   *legacyPost
	msg    *jsonrpc.Message
	ctx    jsonrpc.RequestContext // ends with the session, or by a cancellation
	parent callContext            // of ctx
	done   atomic.Bool            // answered or cancelled: nothing more is sent for it

	// Under session.mu:
	key  string // in session.inFlight; "" while it is not there
	gone bool   // cancelled by the client
}

var _ jsonrpc.Peer = (*call)(nil)

// init makes c the request in msg, which came with p.
func (c *call) init(p *legacyPost, msg *jsonrpc.Message) {
	c.post, c.msg = p, msg
	c.parent = callContext{p.session.ctx, p.x.r.Context()}
	c.ctx.Under(&c.parent)
}

// Notify implements [jsonrpc.Peer]. A client that cannot be told is told nothing.
func (c *call) Notify(method string, params []byte) error {
	err := c.post.stream.send(jsonrpc.AppendMessage(nil, jsonrpc.ID{}, method, params), &c.done)
	if err == errNoStream {
		return nil
	}
	return err
}

// Call implements [jsonrpc.Peer]. The answer comes with another POST.
func (c *call) Call(ctx context.Context, method string, params []byte) (jsonrpc.Raw, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.done.Load() {
		return nil, context.Canceled // nothing is sent for a cancelled request
	}
	s := c.post.session
	n, a, ok := s.addAsk()
	if !ok {
		return nil, jsonrpc.ErrClosed
	}
	c.post.waits(1) // before the client has the question: what it sends then finds the place free
	defer c.post.waits(-1)
	if err := c.post.stream.send(jsonrpc.AppendMessage(nil, jsonrpc.IntID(n), method, params), nil); err != nil {
		s.forget(n)
		return nil, err
	}
	select {
	case answer := <-a.done:
		return answer.result, answer.err
	case <-ctx.Done():
		if !s.forget(n) {
			answer := <-a.done // it has come at the same moment
			return answer.result, answer.err
		}
		// It is not about the client's own request, so it leaves although that may have
		// been cancelled. An error means that there is nobody to tell.
		method, params := legacy.Abandoned(jsonrpc.IntID(n))
		_ = c.post.stream.send(jsonrpc.AppendMessage(nil, jsonrpc.ID{}, method, params), nil)
		return nil, ctx.Err()
	}
}

// Cancel implements [jsonrpc.Peer].
func (c *call) Cancel(id jsonrpc.ID) { c.post.session.cancelRequest(id) }

// Ending implements [jsonrpc.Peer].
func (c *call) Ending() <-chan struct{} { return c.post.session.endpoint.load.ending }

// Detach is what [mcp.Call.Detach] does.
func (c *call) Detach(retry time.Duration) bool {
	return !c.done.Load() && c.post.stream.detach(retry)
}

// Request implements [jsonrpc.Requester] with the session.
func (c *call) Request(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer, dst []byte) ([]byte, error) {
	return c.post.session.legacy.RequestFrom(ctx, m, p, c.post.x.sender(), dst)
}

// run runs the handler and gives the reply, appended to dst, to done: nothing is appended when
// the client has cancelled the request. A handler that ends its goroutine in place of
// returning ends this one, too.
func (c *call) run(dst []byte, done func(reply []byte)) {
	returned := false
	defer func() {
		if !returned {
			if c == &c.post.first { // those of a batch have goroutines of their own
				c.post.exits = true
			}
			_, told := jsonrpc.Invoke(&c.ctx, ended{}, c.msg, c, dst, c.post.session.endpoint.log)
			done(c.reply(dst, len(dst), told))
		}
	}()
	out := jsonrpc.AppendResult(dst, c.msg.ID)
	out, told := jsonrpc.Invoke(&c.ctx, c, c.msg, c, out, c.post.session.endpoint.log)
	returned = true
	done(c.reply(out, len(dst), told))
}

// reply ends the reply that begins at start of out.
func (c *call) reply(out []byte, start int, told *jsonrpc.Error) []byte {
	switch {
	case !c.finish():
		return out[:start]
	case told != nil:
		return jsonrpc.AppendError(out[:start], c.msg.ID, told)
	}
	return append(out, '}')
}

// finish ends what is said about the request, and reports whether it is still to be answered.
func (c *call) finish() bool {
	// A notification that is under way leaves first.
	t := &c.post.stream
	t.sending.Lock()
	c.done.Store(true)
	t.sending.Unlock()
	return c.post.session.finish(c)
}

// ended stands for a handler that has ended its goroutine.
type ended struct{}

func (ended) Request(context.Context, *jsonrpc.Message, jsonrpc.Peer, []byte) ([]byte, error) {
	panic("the handler has ended its goroutine")
}
