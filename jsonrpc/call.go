package jsonrpc

import (
	"bytes"
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// call is a request of ours that waits for the peer's answer.
type call struct {
	done    chan reply // holds one
	message []byte     // a client's: its text, nil for a long one, and room for the next one's,
	digits  []byte     // room for its id,
	room    *[]byte    // and for its result, if the caller has any

	quiet bool        // see [Conn.Ask]
	said  atomic.Bool // message and quiet are there, and stay so until the wait is over
	back  atomic.Bool // message has come back
}

type reply struct {
	result Raw
	err    error
}

// Notify sends a notification that belongs to no request. params is a JSON object
// on one line, or nil.
func (c *Conn) Notify(method string, params []byte) error {
	return c.sendOne(AppendMessage(nil, ID{}, method, params), slog.Attr{}, nil)
}

// Call sends a request and waits for its answer, as [Peer] says. It must not be
// called from a handler of this connection, which has its own [Peer].
func (c *Conn) Call(ctx context.Context, method string, params []byte) (Raw, error) {
	return c.call(ctx, method, params, slog.Attr{})
}

// Post sends a notification that belongs to no request, and leaves the writing to the
// connection: it returns when the message is written, or when the connection has come to
// its end. So a goroutine that calls Post never has more than one message waiting, and
// can always be waited for, though the peer reads nothing. The error says that the
// connection has ended.
func (c *Conn) Post(method string, params []byte) error {
	return c.post(AppendMessage(nil, ID{}, method, params), slog.Attr{}, nil)
}

func (c *Conn) post(message []byte, label slog.Attr, unless *atomic.Bool) error {
	defer c.rest()
	if !c.begin() {
		return ErrClosed
	}
	if c.debug {
		c.trace("out", label, message)
	}
	return c.out.post(append(message, '\n'), unless)
}

func (c *Conn) call(ctx context.Context, method string, params []byte, label slog.Attr) (Raw, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	k := &call{done: make(chan reply, 1)}
	c.mu.Lock()
	if c.ending {
		c.mu.Unlock()
		return nil, ErrClosed
	}
	c.lastCall++
	n := c.lastCall
	c.calls[n] = k
	c.mu.Unlock()
	if err := c.sendOne(AppendMessage(nil, IntID(n), method, params), label, nil); err != nil {
		c.forget(n)
		return nil, err
	}
	select {
	case r := <-k.done:
		c.woken.Add(-1)
		return r.result, r.err
	case <-ctx.Done():
		if c.forget(n) {
			c.sayAbandoned(n, label)
		} else {
			c.woken.Add(-1)
		}
		return nil, ctx.Err()
	}
}

// wake gives the reply to who waits for it.
func (c *Conn) wake(k *call, r reply) {
	c.woken.Add(1)
	k.done <- r
}

// forget gives a request of ours up, and reports whether it was still to be answered.
func (c *Conn) forget(n int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, waits := c.calls[n]
	delete(c.calls, n)
	return waits
}

// sayAbandoned tells the peer that the answer to a request of ours is not wanted any
// more. It is not about the peer's own request, so it leaves although that may have been
// cancelled.
func (c *Conn) sayAbandoned(n int64, label slog.Attr) {
	method, params := c.opts.abandoned(IntID(n))
	if method == "" {
		return
	}
	// An error means that the connection is gone: there is nobody left to tell.
	_ = c.sendOne(AppendMessage(nil, ID{}, method, params), label, nil)
}

// sendOne sends a message that may come from outside of any handler. While it is
// written the connection is not at rest: it may take replies along. It is dropped
// when unless, if there is one, says so at the last moment: nothing about a request
// leaves behind what was answered since the peer cancelled it.
func (c *Conn) sendOne(message []byte, label slog.Attr, unless *atomic.Bool) error {
	defer c.rest()
	if !c.begin() {
		return ErrClosed
	}
	if c.debug {
		c.trace("out", label, message)
	}
	err := c.out.put(append(message, '\n'), unless)
	if err != nil {
		c.noteBroken()
	}
	return err
}

// deliver gives a response to whoever waits for it. One that nobody waits for,
// because it was given up, answered before or never asked, is dropped.
func (c *Conn) deliver(m *Message) {
	k := c.waitsFor(m)
	switch {
	case k == nil:
		c.log.Debug("response that nobody waits for", "id", m.ID.String())
	case m.Error != nil:
		c.wake(k, reply{err: ReadError(m.Error)})
	case k.room != nil:
		*k.room = append((*k.room)[:0], m.Result...)
		c.wake(k, reply{result: *k.room})
	default:
		c.wake(k, reply{result: bytes.Clone(m.Result)})
	}
}

// deliverFault ends the wait for a response that has come and is none: no other will
// come.
func (c *Conn) deliverFault(m *Message, told *Error) {
	k := c.waitsFor(m)
	if k == nil {
		return
	}
	broken := &BrokenResponse{told.Message}
	if c.client {
		c.wake(k, reply{err: broken})
		return
	}
	c.wake(k, reply{err: Errorf(InternalError, "%s", broken.Error())}) // as [Peer.Call] has it
}

// echoWait is how long the answer to a quiet request that has come back may take.
const echoWait = 5 * time.Second

// echoed reports whether frame is a request of ours that has come back as it was sent, which nobody
// has to answer. Without params it may be the peer's own, a ping for example.
func (c *Conn) echoed(m *Message, frame []byte) bool {
	n, known := m.ID.Raw().Int()
	if !known || m.Params == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.calls[n]
	if k == nil || !k.said.Load() || len(k.message) == 0 || !bytes.Equal(frame, k.message[:len(k.message)-1]) {
		return false
	}
	if !k.back.Swap(true) && k.quiet {
		time.AfterFunc(echoWait, func() {
			if c.forget(n) {
				c.wake(k, reply{err: ErrEchoed})
			}
		})
	}
	return true
}

// waitsFor finds who waits for a response, and who waits for it no more from then on.
func (c *Conn) waitsFor(m *Message) *call {
	n, known := m.ID.Raw().Int()
	if !known {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.calls[n]
	delete(c.calls, n)
	return k
}
