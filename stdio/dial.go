package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"isthmus.internal/discover"
)

// Stream makes a transport of a stream of bytes that is open already. It is closed with its link
// and cannot be opened again, so each method of the transport fails once that has ended. A
// stream with a CloseWrite is closed in two steps: see [ServeStream]. A Close of the stream
// must make a Read and a Write that wait on it return.
func Stream(rw io.ReadWriteCloser, o *ClientOptions) discover.Transport {
	opened := false
	return &transport{o: o, open: func(context.Context) (wire, error) {
		if opened {
			return nil, errors.New("stdio: the stream has ended, and only a new one leads to the server again")
		}
		opened = true
		return &streamWire{rw}, nil
	}}
}

// Pair makes one stream of two, such as the ends of two pipes. Closing it closes both. It is
// better for [Stream] than a type of one's own with the methods of both: where they are files or
// sockets a client writes to them itself, and needs no goroutine for that.
func Pair(r io.ReadCloser, w io.WriteCloser) io.ReadWriteCloser { return &pair{r, w} }

type pair struct {
	io.ReadCloser
	io.WriteCloser
}

// Close lets the other side see the end first.
func (p *pair) Close() error {
	return errors.Join(p.WriteCloser.Close(), p.ReadCloser.Close())
}

// Dial makes a transport that connects to a socket, "unix" with the path of its file or "tcp"
// with HOST:PORT, each time that a link is asked for and none is there. On TCP whoever is
// between the two can read and change everything, so the host should be this machine.
func Dial(network, address string, o *ClientOptions) discover.Transport {
	return &transport{o: o, open: func(ctx context.Context) (wire, error) {
		if network != "unix" && network != "tcp" {
			return nil, fmt.Errorf(`stdio: dial %s: there is no such network here: use "unix" or "tcp"`, network)
		}
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, fmt.Errorf("stdio: %w", err)
		}
		return &streamWire{c}, nil
	}}
}

// streamWire is one stream for both directions.
type streamWire struct{ rw io.ReadWriteCloser }

func (w *streamWire) in() io.Reader {
	if p, ok := w.rw.(*pair); ok {
		return p.ReadCloser
	}
	return w.rw
}

func (w *streamWire) out() io.Writer {
	if p, ok := w.rw.(*pair); ok {
		return p.WriteCloser
	}
	return w.rw
}

func (w *streamWire) ended() <-chan struct{} { return nil }

func (w *streamWire) reason(cause error) error {
	if cause == nil {
		return errors.New("the server has closed it")
	}
	return cause
}

// hangUp lets the server see the end of its input, and end its output, before the
// stream is closed: what it has not read yet would be lost with it.
func (w *streamWire) hangUp() error {
	if half, ok := w.rw.(halfCloser); ok && half.CloseWrite() == nil {
		half.SetReadDeadline(time.Now().Add(lingerTime))
		discard(half)
	}
	if err := w.rw.Close(); err != nil {
		return fmt.Errorf("stdio: close: %w", err)
	}
	return nil
}
