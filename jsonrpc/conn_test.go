package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"isthmus.internal/jsonrpc"
)

// This file holds the ends of a connection that its tests share: a source that a
// test feeds, a writer that records, and a handler made of functions. The rig
// (rig_test.go) joins them.

// feed is a [jsonrpc.Source] of the messages that a test hands in. It finds two
// faults of its user: two goroutines that use it at once, and bytes that are used
// after the next Read (they are overwritten by then).
type feed struct {
	arrivals chan []event
	closed   chan struct{}
	closeErr error // Close has no effect and returns this

	hand  []event // arrived and not read yet
	last  []byte  // what Read returned last, unless detached
	end   error   // sticky
	taken atomic.Int64
	users atomic.Int32
	crowd atomic.Bool // two users at once were seen
}

// event is one message, or an error in its place.
type event struct {
	message string
	err     error
}

var errInterrupted = errors.New("read interrupted")

func newFeed() *feed {
	return &feed{arrivals: make(chan []event, 1<<14), closed: make(chan struct{})}
}

func (f *feed) enter() {
	if f.users.Add(1) > 1 {
		f.crowd.Store(true)
	}
}

func (f *feed) leave() { f.users.Add(-1) }

func (f *feed) Read() ([]byte, error) {
	f.enter()
	defer f.leave()
	for i := range f.last {
		f.last[i] = '#'
	}
	f.last = nil
	if len(f.hand) == 0 && f.end == nil {
		f.wait()
	}
	if len(f.hand) == 0 {
		return nil, f.end
	}
	e := f.hand[0]
	f.hand = f.hand[1:]
	f.taken.Add(1)
	if e.err != nil {
		return nil, e.err
	}
	f.last = []byte(e.message)
	return f.last, nil
}

// wait waits for messages, or an end. Close wins over messages.
func (f *feed) wait() {
	select {
	case <-f.closed:
		f.end = errInterrupted
		return
	default:
	}
	select {
	case <-f.closed:
		f.end = errInterrupted
	case group, more := <-f.arrivals:
		f.hand = group
		if !more {
			f.end = io.EOF
		}
	}
}

func (f *feed) Buffered() bool {
	f.enter()
	defer f.leave()
	return len(f.hand) > 0
}

func (f *feed) Detach() {
	f.enter()
	defer f.leave()
	f.last = nil
}

func (f *feed) Close() error {
	if f.closeErr == nil {
		close(f.closed)
	}
	return f.closeErr
}

// recorder is a writer that keeps what is written.
type recorder struct {
	lines chan string
	gate  chan struct{} // not nil: every Write waits until it is closed
	err   error         // what the write number failAt, and each one after it, returns
	short bool          // that write says nothing but writes one byte less

	failAt int
	mu     sync.Mutex
	writes []string
	part   string // of what comes in several writes
	busy   atomic.Bool
	faults []string
}

// largestWrite is how many bytes a connection writes at once; more comes in pieces.
const largestWrite = 256 << 10

func newRecorder() *recorder { return &recorder{lines: make(chan string, 1<<14)} }

func (w *recorder) Write(p []byte) (int, error) {
	if !w.busy.CompareAndSwap(false, true) {
		w.fault("two writes at once")
	}
	defer w.busy.Store(false)
	if w.gate != nil {
		<-w.gate
	}
	text := string(p)
	w.mu.Lock()
	w.writes = append(w.writes, text)
	n := len(w.writes)
	w.mu.Unlock()
	if w.failAt > 0 && n >= w.failAt {
		if w.short {
			return len(p) - 1, nil
		}
		return 0, w.err
	}
	text = w.part + text
	if w.part = ""; len(p) == largestWrite && !strings.HasSuffix(text, "\n") {
		w.part = text
		return len(p), nil
	}
	if !strings.HasSuffix(text, "\n") {
		w.fault(fmt.Sprintf("a write of %d bytes does not end a line", len(text)))
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if !mcpScanner.Valid([]byte(line)) {
			w.fault(fmt.Sprintf("a line is not JSON: %.200q", line))
		}
		w.lines <- line
	}
	return len(p), nil
}

func (w *recorder) fault(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, what)
}

// written returns what was written, one string a Write.
func (w *recorder) written() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.writes...)
}

// forget drops what was written.
func (w *recorder) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes = nil
}

// exchange is what a handler is given.
type exchange struct {
	ctx context.Context
	m   *jsonrpc.Message
	p   jsonrpc.Peer
}

// script is a [jsonrpc.Handler] made of functions, by method. It knows ping, echo
// (its result is its params) and notifications/cancelled without being told.
type script struct {
	requests map[string]func(x exchange) (string, error)
	notes    map[string]func(x exchange)
	noBatch  *jsonrpc.Error
}

func (s *script) Request(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer, dst []byte) ([]byte, error) {
	if h := s.requests[string(m.Method)]; h != nil {
		result, err := h(exchange{ctx, m, p})
		return append(dst, result...), err
	}
	switch string(m.Method) {
	case "ping":
		return append(dst, "{}"...), nil
	case "echo":
		return append(dst, m.Params...), nil
	}
	return dst, jsonrpc.Errorf(jsonrpc.MethodNotFound, "Method not found: %s", m.Method)
}

func (s *script) Notification(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer) {
	if h := s.notes[string(m.Method)]; h != nil {
		h(exchange{ctx, m, p})
		return
	}
	if string(m.Method) == "notifications/cancelled" {
		if id, ok := jsonrpc.ParseID(m.Param("requestId")); ok {
			p.Cancel(id)
		}
	}
}

func (s *script) AllowBatch() *jsonrpc.Error { return s.noBatch }

func (s *script) Label(m *jsonrpc.Message) slog.Attr {
	return slog.String("label", m.Kind.String()+" "+string(m.Method))
}

// hold is a request handler that returns its params once release is closed, or
// the context's error. It finds params that change under it.
func hold(release <-chan struct{}) func(exchange) (string, error) {
	return func(x exchange) (string, error) {
		before := string(x.m.Params)
		select {
		case <-release:
		case <-x.ctx.Done():
			return "", x.ctx.Err()
		}
		if after := string(x.m.Params); after != before {
			return "", jsonrpc.Errorf(1, "params were %s and became %s", before, after)
		}
		return before, nil
	}
}
