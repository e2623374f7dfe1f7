package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// transport is a [discover.Transport] of one stream: both eras go over the same link.
type transport struct {
	open func(ctx context.Context) (wire, error)
	o    *ClientOptions
	last *link // the one that was opened last
}

// Modern implements [discover.Transport].
func (t *transport) Modern(ctx context.Context, h jsonrpc.Handler, log *slog.Logger) (mcp.Link, error) {
	return t.link(ctx, h, log)
}

// Legacy implements [discover.Transport].
func (t *transport) Legacy(ctx context.Context, h jsonrpc.Handler, log *slog.Logger) (mcp.Link, error) {
	return t.link(ctx, h, log)
}

// link returns the link that is there, or another one when that has ended. Nothing is left
// of the one before by then.
func (t *transport) link(ctx context.Context, h jsonrpc.Handler, log *slog.Logger) (mcp.Link, error) {
	if t.last != nil {
		select {
		case <-t.last.done:
		default:
			return t.last, nil
		}
		select {
		case <-t.last.gone:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	t.last = newLink(w, h, log, t.o)
	return t.last, nil
}

// wire is the two streams of bytes behind a link, and the server at the end of them.
type wire interface {
	in() io.Reader
	out() io.Writer

	// ended is closed when the server has ended, where that can be seen other than by the
	// end of its output; nil where it cannot.
	ended() <-chan struct{}

	// reason says why the server has gone, in words that follow a colon. cause is what
	// has ended reading or writing, if anything has. It may wait for a moment.
	reason(cause error) error

	// hangUp ends both streams and the server, in order and within a bounded time.
	// Reads and writes that wait return. The error is about the ending.
	hangUp() error
}

// link is the client's end of one wire. Both eras frame their messages alike.
type link struct {
	conn *jsonrpc.Conn
	wire wire
	stop context.CancelFunc // ends conn

	closing atomic.Bool   // by Close
	done    chan struct{} // the link has ended, and err says why
	err     error
	gone    chan struct{} // nothing is left of it, and endErr says how that went
	endErr  error
}

// flushTime bounds the wait, when a link is closed, for a server that does not read.
const flushTime = 250 * time.Millisecond

func newLink(w wire, h jsonrpc.Handler, log *slog.Logger, o *ClientOptions) *link {
	l := &link{wire: w, done: make(chan struct{}), gone: make(chan struct{})}
	in, out := w.in(), tryWriter(w.out())
	interrupt := interrupter(in)
	if tap := o.tap(); tap != nil {
		in, out = tapped(in, out, tap, o.maxMessage())
	}
	lines := newLines(in, o.maxMessage(), interrupt)
	lines.option = " (ClientOptions.MaxMessage)"
	l.conn = jsonrpc.NewConn(lines, out, h, &jsonrpc.Options{
		Logger:    log,
		Inner:     discover.Inner(),
		Client:    true,
		Drain:     flushTime,
		HangUp:    l.hangUp,
		Abandoned: legacy.Abandoned, // alike in both eras
	})
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	go l.run(ctx)
	return l
}

// lastWords bounds the wait for what is still to come from a server that has ended.
const lastWords = 250 * time.Millisecond

// run is the life of the link. It ends itself, within a bounded time, once the server has
// gone or Close was called.
func (l *link) run(ctx context.Context) {
	defer close(l.gone)
	defer l.stop()
	served := make(chan struct{})
	go func() {
		defer close(served)
		// What it returns is known from Cause by then.
		_ = l.conn.Serve(ctx)
	}()
	select {
	case <-l.conn.Ended():
	case <-l.wire.ended():
		// Whatever has inherited its output may hold that open.
		select {
		case <-l.conn.Ended():
		case <-time.After(lastWords):
			l.stop()
			<-l.conn.Ended()
		}
	}
	reason := errors.New("it was closed on this side")
	if !l.closing.Load() {
		reason = l.wire.reason(l.conn.Cause())
	}
	l.err = fmt.Errorf("%w: %w", mcp.ErrLinkClosed, reason)
	close(l.done)
	<-served
}

// hangUp ends the wire, once run has found why the link has ended: behind this it would look as
// if this side had ended it.
func (l *link) hangUp() {
	<-l.done
	l.endErr = l.wire.hangUp()
}

// Call implements [mcp.Link].
func (l *link) Call(ctx context.Context, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	result, err := l.conn.AskInto(ctx, out.Room, out.Method, out.Params, out.Quiet)
	if err != nil {
		return nil, l.explain(ctx, err)
	}
	return result, nil
}

// Notify implements [mcp.Link].
func (l *link) Notify(ctx context.Context, out *mcp.Outgoing) error {
	if err := l.conn.Tell(ctx, out.Method, out.Params); err != nil {
		return l.explain(ctx, err)
	}
	return nil
}

// explain returns err, or where that only says that the connection has ended, why it has, which
// is known a moment later.
func (l *link) explain(ctx context.Context, err error) error {
	var told *jsonrpc.Error
	if errors.As(err, &told) || errors.As(err, new(*jsonrpc.BrokenResponse)) || err == jsonrpc.ErrEchoed || err == ctx.Err() {
		return err
	}
	select {
	case <-l.done:
		return l.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Done implements [mcp.Link].
func (l *link) Done() <-chan struct{} { return l.done }

// Err implements [mcp.Link].
func (l *link) Err() error {
	select {
	case <-l.done:
		return l.err
	default:
		return nil
	}
}

// Close implements [mcp.Link].
func (l *link) Close() error {
	first := !l.closing.Swap(true)
	l.stop()
	<-l.gone
	if !first {
		return nil
	}
	return l.endErr
}
