package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// ErrPeerGone is in the error of [Serve] and [ServeStream] when the other end of
// the stream has gone away while there was something to tell it.
var ErrPeerGone = errors.New("stdio: the peer has gone")

// Serve serves s on the process's standard streams, or on o.In and o.Out, until
// the input ends, ctx ends, or SIGTERM or SIGINT arrives. Then it answers what
// was read and returns nil. It returns an error when requests had to be cancelled
// at the end of [Options.Drain] ([jsonrpc.ErrDrain]), when the client no longer
// reads ([ErrPeerGone]), and when reading or writing failed otherwise.
//
// Clients end a server by closing its input first and by a signal later (legacy
// basic/lifecycle, Shutdown; 2026-07-28 basic/transports/stdio, Shutdown), so all
// these ends are treated alike. After the first signal, and once Serve has
// returned, both signals do again what they do by default.
//
// # A goroutine that may stay
//
// When ctx or a signal ends Serve while it waits for input that the system cannot
// stop waiting for, as it is with a terminal or an inherited pipe in blocking
// mode, the goroutine in that read stays behind until a byte or the end of input
// comes, and drops what it reads. To poll before each read would cost every
// message a system call, and to make the inherited descriptor non-blocking would
// change it for the other processes that share it. A process that ends after
// Serve does not notice.
func Serve(ctx context.Context, s *mcp.Server, o *Options) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	// From the first signal on the next one is not caught, and kills.
	defer context.AfterFunc(ctx, func() {
		stop()
		s.Logger().Info("asked to end: no more input is taken")
	})()

	defer catchBrokenPipe()()
	in := o.in()
	return serve(ctx, newLines(in, o.maxMessage(), interrupter(in)), o.out(), s, s.Logger(), o)
}

// catchBrokenPipe makes a write to a reader that has gone come back as an error,
// also on standard output and standard error, until the function it returns is
// called. That the signal is caught, not ignored, matters to child processes: they
// inherit ignored signals.
func catchBrokenPipe() (release func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}

// ServeStream serves s on one stream of bytes until its input ends or ctx does.
// Then it answers what was read, closes the stream, and returns as [Serve] does.
// ctx ends a Read that waits by way of SetReadDeadline, if the stream has one, as
// every [net.Conn] does, and otherwise when the stream is closed, for which
// nothing is then waited.
//
// A stream with a CloseWrite, as those of TCP and Unix sockets, is closed in two
// steps, since to close a socket with unread input takes answers from the peer that
// are still on the way: ServeStream ends the output, drops further input for half
// a second or until the peer closes too, and then closes the stream.
func ServeStream(ctx context.Context, stream io.ReadWriteCloser, s *mcp.Server, o *Options) error {
	in := newLines(stream, o.maxMessage(), interrupter(stream))
	return serveClosing(ctx, in, stream, s, s.Logger(), o)
}

// lingerTime bounds the wait for a peer that still sends while it is told the end.
const lingerTime = 500 * time.Millisecond

// halfCloser is a stream whose output can end before its input.
type halfCloser interface {
	io.Reader
	CloseWrite() error
	SetReadDeadline(time.Time) error
}

// discard reads to the end. It is io.Copy without the ways of the system to copy
// between files, which would be a good part of a small server.
func discard(r io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		if _, err := r.Read(buf); err != nil {
			return
		}
	}
}

// serveClosing serves and then closes the stream.
func serveClosing(ctx context.Context, in jsonrpc.Source, stream io.WriteCloser, s *mcp.Server, log *slog.Logger, o *Options) error {
	err := serve(ctx, in, stream, s, log, o)
	if half, ok := stream.(halfCloser); ok && half.CloseWrite() == nil {
		half.SetReadDeadline(time.Now().Add(lingerTime))
		discard(half)
	}
	if closeErr := stream.Close(); err == nil && closeErr != nil {
		return fmt.Errorf("stdio: close: %w", closeErr)
	}
	return err
}

// serve is one connection, with a router and so a legacy session of its own.
func serve(ctx context.Context, in jsonrpc.Source, out io.Writer, s *mcp.Server, log *slog.Logger, o *Options) error {
	outlet := &outlet{}
	r := discover.NewRouter(s, &discover.RouterOptions{Principal: o.principal(), Outlet: outlet})
	defer r.Close()
	c := jsonrpc.NewConn(in, peer{out}, r, &jsonrpc.Options{
		Logger:      log,
		Inner:       discover.Inner(),
		MaxInFlight: o.maxInFlight(), MaxLongLived: o.maxListens(),
		Drain:     o.drain(),
		InOrder:   r.InOrder,
		LongLived: r.LongLived,
		Abandoned: r.Abandoned,
	})
	outlet.conn = c
	return c.Serve(ctx)
}

// outlet sends on a connection that is made after what sends on it. It is used only
// once the connection serves.
type outlet struct{ conn *jsonrpc.Conn }

func (o *outlet) Notify(method string, params []byte) error { return o.conn.Post(method, params) }

// peer writes to the other end and tells its going from other faults.
type peer struct{ w io.Writer }

func (p peer) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	return n, peerError(err)
}

// peerError adds [ErrPeerGone] to the errors that mean it.
func peerError(err error) error {
	if gone(err) {
		return fmt.Errorf("%w: %w", ErrPeerGone, err)
	}
	return err
}

var errNoInterrupt = errors.New("stdio: a read that waits on this stream cannot be interrupted")

// interrupter returns what makes a Read of r that waits return, now and later.
func interrupter(r io.Reader) func() error {
	d, ok := r.(interface{ SetReadDeadline(time.Time) error })
	if !ok {
		return func() error { return errNoInterrupt }
	}
	return func() error { return d.SetReadDeadline(time.Unix(1, 0)) }
}
