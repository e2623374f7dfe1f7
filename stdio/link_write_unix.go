//go:build unix

package stdio

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// tryWriter returns w as a [jsonrpc.TryWriter] where the system can write to it without
// waiting, and else as it is. Types of other packages that have the methods may have
// them from a part that is not what they write to.
func tryWriter(w io.Writer) io.Writer {
	var f interface {
		syscall.Conn
		SetWriteDeadline(time.Time) error
	}
	switch w := w.(type) {
	case *os.File:
		f = w
	case *net.TCPConn:
		f = w
	case *net.UnixConn:
		f = w
	default:
		return w
	}
	if f.SetWriteDeadline(time.Time{}) != nil {
		return w // its descriptor is in blocking mode
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return w
	}
	t := &pollWriter{Writer: w, raw: raw}
	t.once = func(fd uintptr) bool {
		t.write(int(fd))
		return true
	}
	return t
}

// pollWriter writes to a descriptor in non-blocking mode.
type pollWriter struct {
	io.Writer
	raw  syscall.RawConn
	once func(fd uintptr) bool // made once, since it is called for each message

	// What once works on and what came of it.
	buf []byte
	n   int
	err error
}

// TryWrite implements [jsonrpc.TryWriter].
func (t *pollWriter) TryWrite(b []byte) (int, error) {
	t.buf, t.n, t.err = b, 0, nil
	err := t.raw.Write(t.once)
	t.buf = nil
	if t.err != nil {
		err = t.err
	}
	return t.n, err
}

func (t *pollWriter) write(fd int) {
	for {
		n, err := syscall.Write(fd, t.buf)
		switch err {
		case nil:
			t.n = n
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
		default:
			t.err = err
		}
		return
	}
}
