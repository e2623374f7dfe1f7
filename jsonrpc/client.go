package jsonrpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"
)

// Params appends the params of a message, a JSON object on one line, to dst. id is that
// of the request, zero for a notification; it is good until the function returns.
type Params func(dst []byte, id ID) []byte

// ErrPeerEnded is the cause with which the context of an [Conn.Ask] ends whose request the
// peer has ended itself, without an answer: it is not told that.
var ErrPeerEnded = errors.New("jsonrpc: the peer has ended the request")

// ErrEchoed is the error of a client's quiet request ([Conn.Ask]) that has come back word for word, and
// has not been answered when its context ends, or 5 seconds later: the peer is a program that sends
// back what it is sent. Others, such as a terminal on the way, do that and are followed by an answer.
var ErrEchoed = errors.New("jsonrpc: the peer sends back the requests that it is sent, word for word, and answers none: is it a server?")

// BrokenResponse is the error of a request to which the peer has sent a response that is none, so
// that nobody knows what became of it. It is no [*Error], which would be the peer's own word
// (2026-07-28 basic/index, Error Codes).
type BrokenResponse struct {
	// Reason is what is wrong with the response.
	Reason string
}

// Error is one line.
func (e *BrokenResponse) Error() string { return "the peer sent a response that is none: " + e.Reason }

// Ask sends a request and waits for its answer, the result, as a client does. A nil params
// stands for none. An error from the peer is an [*Error], and a response that is none a
// [*BrokenResponse]; see [ErrEchoed], too. When ctx ends first, Ask returns at once, whether the peer
// reads or not; unless quiet, or the cause is [ErrPeerEnded], the peer is told as soon as it
// reads ([Options.Abandoned]).
// Any other error says that the connection has ended. It must not be called from a handler
// of this connection, which has its own [Peer].
func (c *Conn) Ask(ctx context.Context, method string, params Params, quiet bool) (Raw, error) {
	return c.AskInto(ctx, nil, method, params, quiet)
}

// AskInto is [Conn.Ask] for a caller that has room for the result: that is put there, in place
// of what was there before, and into a larger buffer if need be. A nil room stands for none.
func (c *Conn) AskInto(ctx context.Context, room *[]byte, method string, params Params, quiet bool) (Raw, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	k, ok := c.spare.Get().(*call)
	if !ok {
		k = &call{done: make(chan reply, 1)}
	}
	k.room = room
	n, crowd := c.enlist(k)
	if n == 0 {
		return nil, ErrClosed
	}
	k.digits = AppendInt(k.digits[:0], n)
	message := appendOutgoing(k.message[:0], ID{k.digits}, method, params)
	if k.message = message; cap(message) > keepSize {
		k.message = nil
	}
	k.quiet = quiet
	k.said.Store(true)
	err := c.depart(ctx, message, crowd)
	c.rest()
	if err != nil {
		c.forget(n)
		return nil, err
	}
	r := c.answer(ctx, k, n, quiet)
	k.room = nil
	k.said.Store(false)
	k.back.Store(false)
	c.spare.Put(k)
	return r.result, r.err
}

// Tell sends a notification, as a client does. It returns when that is written, or is sure
// to be as soon as the peer reads. While so much waits already that there is no room, it
// waits until there is, or until ctx ends and nothing is sent.
func (c *Conn) Tell(ctx context.Context, method string, params Params) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer c.rest()
	if !c.begin() {
		return ErrClosed
	}
	return c.depart(ctx, appendOutgoing(nil, ID{}, method, params), false)
}

// Ended is closed when nothing more is taken from the peer: its output has ended, this
// side has ended the connection, or it could not be told something.
func (c *Conn) Ended() <-chan struct{} { return c.ended }

// Cause is the error that ended reading or writing; nil when there was none.
func (c *Conn) Cause() error {
	if err := c.out.failure(); err != nil && !errors.Is(err, ErrClosed) {
		return fmt.Errorf("jsonrpc: write: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.readErr
}

// enlist makes k the next request, and this goroutine one at work. n is 0 when the
// connection has ended. crowd says that others are about to go on with answers that came
// together with one to this goroutine, and likely to ask again.
func (c *Conn) enlist(k *call) (n int64, crowd bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending {
		return 0, false
	}
	c.active++
	c.lastCall++
	c.calls[c.lastCall] = k
	return c.lastCall, c.woken.Load() > 0
}

// depart has a message leave, and gives up when ctx ends before there is room for it.
func (c *Conn) depart(ctx context.Context, message []byte, crowd bool) error {
	if c.debug {
		c.trace("out", slog.Attr{}, message[:len(message)-1])
	}
	err := c.out.leave(message, crowd, ctx.Done())
	switch {
	case err == errGivenUp:
		return ctx.Err()
	case err != nil:
		c.noteBroken()
	}
	return err
}

// answer waits for the answer to our request n.
func (c *Conn) answer(ctx context.Context, k *call, n int64, quiet bool) reply {
	select {
	case r := <-k.done:
		c.woken.Add(-1)
		return r
	case <-ctx.Done():
	}
	if !c.forget(n) {
		r := <-k.done // it has come, or is about to
		c.woken.Add(-1)
		return r
	}
	if !quiet && context.Cause(ctx) != ErrPeerEnded {
		c.sayGivenUp(n)
	}
	if quiet && k.back.Load() {
		return reply{err: ErrEchoed}
	}
	return reply{err: ctx.Err()}
}

// sayGivenUp is sayAbandoned without a wait: it needs no room, since there was room for
// the request that it is about.
func (c *Conn) sayGivenUp(n int64) {
	method, params := c.opts.abandoned(IntID(n))
	defer c.rest()
	if !c.begin() || method == "" {
		return
	}
	message := append(AppendMessage(nil, ID{}, method, params), '\n')
	if c.debug {
		c.trace("out", slog.Attr{}, message[:len(message)-1])
	}
	// An error means that the connection is gone: there is nobody left to tell.
	_ = c.out.leaveAnyway(message)
}

// appendOutgoing appends a message with its line end.
func appendOutgoing(dst []byte, id ID, method string, params Params) []byte {
	dst = AppendMessage(dst, id, method, nil)
	if params != nil {
		dst = append(dst[:len(dst)-len("}")], `,"params":`...)
		dst = append(params(dst, id), '}')
	}
	return append(dst, '\n')
}

// asks reports whether the message is a request beyond doubt, though it may have faults.
func (m *Message) asks() bool { return len(m.Method) > 0 && !m.ID.IsZero() }

// answers reports whether the peer's requests are answered at this moment.
func (c *Conn) answers() bool {
	a, ok := c.handler.(Answerer)
	return !ok || a.Answers()
}

// receiveAsClient handles one message on the side of a client, to which mostly answers
// come. What a server asks takes people and other programs, so it always has a goroutine
// of its own.
func (c *Conn) receiveAsClient(p *place, frame []byte) (kept bool) {
	r := p.request(c)
	m := &r.msg
	told := c.scan.Scan(frame, m)
	r.traceIn(frame)
	kept = true
	switch {
	case told != nil && m.Kind == Invalid:
		c.logRefused("message refused", told, frame)
		c.deliverBroken(frame, told)
	case told != nil:
		p.replies = c.appendFault(p.replies, r, told)
	case m.Kind == Response:
		c.deliver(m)
	case m.Kind == Notification:
		kept = c.notice(p, r)
	case c.echoed(m, frame):
	default:
		r.size = len(frame)
		if told := r.register(false); told != nil {
			p.replies = c.appendFault(p.replies, r, told)
			break
		}
		c.scan.Scan(bytes.Clone(frame), m) // found good before
		c.begin()
		c.all.Add(1)
		go r.runAlone()
		runtime.Gosched() // a quick one is done before the next is read
		return true
	}
	if kept {
		p.reuse(r)
	}
	return kept
}

// The times of a client's end.
const (
	// lastWords is for what a peer has said before it stopped to read.
	lastWords = 250 * time.Millisecond
	// lastSteps is for goroutines whose read, write or handler has been told to end.
	lastSteps = time.Second
)

// hangUp is the rest of Serve on the side of a client.
func (c *Conn) hangUp(ctx context.Context) error {
	t := time.NewTimer(lastWords)
	defer t.Stop()
	select {
	case <-c.ended:
	case <-ctx.Done():
	case <-t.C: // it could not be told something, and says nothing more either
	}
	c.end(nil)
	c.cancel(ErrClosed)
	c.in.Close()
	c.await(c.opts.drain())
	cause := c.Cause()
	c.out.fail(ErrClosed)
	c.opts.hangUp()
	c.close()

	left := make(chan struct{})
	go func() {
		c.all.Wait()
		close(left)
	}()
	t.Reset(lastSteps)
	select {
	case <-left:
	case <-t.C:
	}
	return cause
}
