package mcptest

import (
	"errors"
	"testing"

	"isthmus.internal/mcp"
)

// Transport is a way in which a client and a server of one process are connected.
type Transport struct {
	// Name names subtests.
	Name string
	// Lasting: serving goes on when a connection breaks, since there are others.
	Lasting bool

	dial func(t testing.TB, s *mcp.Server, o *Options) link
}

// Transports returns those that [Each] uses.
func Transports() []Transport { return []Transport{Memory(), Stdio(), HTTP()} }

// Memory hands messages over as they are: no framing, no bytes of a stream.
func Memory() Transport { return Transport{Name: "memory", dial: dialMemory} }

// Stdio has the framing of standard input and output, one message a line, by the
// server of package stdio.
func Stdio() Transport { return Transport{Name: "stdio", dial: dialStream} }

// HTTP is Streamable HTTP, by the server of package httpmcp, and in 2024-11-05 the transport that
// it replaced.
func HTTP() Transport {
	return Transport{Name: "http", Lasting: true, dial: dialHTTP}
}

// link is the client's end of one connection with a server that serves. All methods
// but receive may be called at any time and from any goroutine.
type link interface {
	// send sends one line, given without its end.
	send(line string) error
	// receive waits for one line and returns it without its end; io.EOF once the
	// server has ended and all it said was received. One goroutine calls it.
	receive() (string, error)
	// end tells the server that no more input comes.
	end()
	// cut breaks the connection off, both ways.
	cut()
	// served yields, once, what serving ended with.
	served() <-chan error
}

// errCut is what writes to a connection that was broken off end with.
var errCut = errors.New("mcptest: the connection is cut")

// Faults are what goes wrong on a connection on purpose. The zero value is none.
type Faults struct {
	// Unread: the client takes nothing in before [Client.Resume]. So writes of the
	// server wait.
	Unread bool
	// BreakWrite, counted from 1, is the write of the server that fails, with all
	// writes after it, of all connections; 0 for none.
	BreakWrite int
	// OneByte has each read of the server bring one byte. It needs a transport that
	// has bytes: any but [Memory].
	OneByte bool
}

// any reports whether the server cannot be expected to end well.
func (f Faults) any() bool { return f.Unread || f.BreakWrite > 0 }

// faultyWriter is a writer of the server that breaks.
type faultyWriter struct {
	to interface{ Write([]byte) (int, error) }
	// left is how many writes go well, -1 for all.
	left int
}

func (w *faultyWriter) Write(b []byte) (int, error) {
	switch {
	case w.left == 0:
		return 0, errCut
	case w.left > 0:
		w.left--
	}
	return w.to.Write(b)
}

// faulty gives a writer the faults. One goroutine at a time writes.
func (f Faults) faulty(to interface{ Write([]byte) (int, error) }) *faultyWriter {
	return &faultyWriter{to, f.BreakWrite - 1}
}
