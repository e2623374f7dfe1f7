package mcptest

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// memory is a connection without bytes. It is both ends: the client's link, the
// server's [jsonrpc.Source] and the server's writer.
type memory struct {
	lines chan string   // to the server
	out   chan string   // from the server; takes none before the client receives
	ended chan struct{} // by end: what is in lines is the last
	over  chan struct{} // the server has ended
	gone  chan struct{} // by cut
	close sync.Once     // of ended
	leave sync.Once     // of gone
	done  chan error

	text    []byte // the message that Read returned last
	partial []byte // of a line whose end is still to be written
}

// waitingLines is how many lines may wait for the server to read them.
const waitingLines = 1024

func dialMemory(_ testing.TB, s *mcp.Server, o *Options) link {
	m := &memory{
		lines: make(chan string, waitingLines), out: make(chan string),
		ended: make(chan struct{}), over: make(chan struct{}), gone: make(chan struct{}),
		done: make(chan error, 1),
	}
	outlet := &outlet{}
	r := discover.NewRouter(s, &discover.RouterOptions{Principal: o.Principal, Outlet: outlet})
	outlet.conn = jsonrpc.NewConn(m, o.Faults.faulty(m), r, &jsonrpc.Options{
		Logger: s.Logger(), Inner: discover.Inner(), InOrder: r.InOrder, LongLived: r.LongLived, Abandoned: r.Abandoned,
	})
	go func() {
		err := outlet.conn.Serve(context.Background())
		r.Close()
		close(m.over)
		m.done <- err
	}()
	return m
}

// outlet carries what the legacy session says outside of requests. Its connection needs
// the router first.
type outlet struct{ conn *jsonrpc.Conn }

func (o *outlet) Notify(method string, params []byte) error { return o.conn.Post(method, params) }

func (m *memory) send(line string) error {
	select {
	case <-m.ended:
		return errCut
	case <-m.over:
		return errCut
	case m.lines <- line:
		return nil
	}
}

func (m *memory) receive() (string, error) {
	select {
	case line := <-m.out:
		return line, nil
	case <-m.over:
	case <-m.gone:
	}
	return "", io.EOF
}

func (m *memory) end() { m.close.Do(func() { close(m.ended) }) }

func (m *memory) cut() {
	m.leave.Do(func() { close(m.gone) })
	m.end()
}

func (m *memory) served() <-chan error { return m.done }

// Read implements [jsonrpc.Source]. The bytes of the message before are spoilt, so
// that whoever kept a span of it without [memory.Detach] is found out.
func (m *memory) Read() ([]byte, error) {
	for i := range m.text {
		m.text[i] = '#'
	}
	select {
	case line := <-m.lines:
		return m.take(line), nil
	case <-m.ended:
	}
	select {
	case line := <-m.lines:
		return m.take(line), nil
	default:
		return nil, io.EOF
	}
}

func (m *memory) take(line string) []byte {
	m.text = append(m.text[:0], line...)
	return m.text
}

// Buffered implements [jsonrpc.Source].
func (m *memory) Buffered() bool { return len(m.lines) > 0 }

// Detach implements [jsonrpc.Source].
func (m *memory) Detach() { m.text = nil }

// Close implements [jsonrpc.Source].
func (m *memory) Close() error {
	m.end()
	return nil
}

// Write is the server's: it cuts what is written into lines, and waits until the
// client has taken each.
func (m *memory) Write(b []byte) (int, error) {
	m.partial = append(m.partial, b...)
	for {
		line, rest, whole := bytes.Cut(m.partial, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		select {
		case m.out <- string(line):
		case <-m.gone:
			return 0, errCut
		}
		m.partial = rest
	}
}
