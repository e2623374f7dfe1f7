package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
)

// This file holds what the tests of a connection share: a source that a test
// feeds, a writer that records, a handler made of functions, and the rig that
// joins them to a connection. Rigs live in synctest bubbles.

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
	busy   atomic.Bool
	faults []string
}

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

// rig is a connection with a test at its other end.
type rig struct {
	*testing.T
	in     *feed
	out    *recorder
	conn   *jsonrpc.Conn
	cancel context.CancelFunc // of Serve's context
	served chan error
}

// newRig makes a rig that does not serve yet.
func newRig(t *testing.T, h jsonrpc.Handler, o *jsonrpc.Options) *rig {
	r := &rig{T: t, in: newFeed(), out: newRecorder(), served: make(chan error, 1)}
	r.conn = jsonrpc.NewConn(r.in, r.out, h, o)
	return r
}

// start serves.
func (r *rig) start() {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() { r.served <- r.conn.Serve(ctx) }()
}

// dial makes a rig that serves.
func dial(t *testing.T, h jsonrpc.Handler, o *jsonrpc.Options) *rig {
	r := newRig(t, h, o)
	r.start()
	return r
}

// send makes messages arrive at one moment.
func (r *rig) send(messages ...string) {
	group := make([]event, len(messages))
	for i, m := range messages {
		group[i].message = m
	}
	r.in.arrivals <- group
}

// next returns the next line that the connection writes.
func (r *rig) next() string {
	r.Helper()
	select {
	case line := <-r.out.lines:
		return line
	case <-time.After(time.Minute):
		r.Error("nothing was written for a minute")
		return ""
	}
}

// want fails unless the next lines are these, in this order. A line that ends in
// an ellipsis stands for all that begin so.
func (r *rig) want(lines ...string) {
	r.Helper()
	for _, want := range lines {
		if got := r.next(); !matches(got, want) {
			r.Errorf("got  %.300s\nwant %.300s", got, want)
		}
	}
}

func matches(got, want string) bool {
	if begin, open := strings.CutSuffix(want, "…"); open {
		return strings.HasPrefix(got, begin)
	}
	return got == want
}

// wantAnyOrder is want for lines whose order is open. It stops at the first that is
// not among them.
func (r *rig) wantAnyOrder(lines ...string) {
	r.Helper()
	left := map[string]int{}
	for _, line := range lines {
		left[line]++
	}
	for range lines {
		got := r.next()
		if left[got] > 0 {
			left[got]--
			continue
		}
		missing := []string{}
		for want, n := range left {
			if n > 0 {
				missing = append(missing, want)
			}
		}
		i := slices.IndexFunc(missing, func(want string) bool { return matches(got, want) })
		if i < 0 {
			r.Errorf("got %.300s, want one of %d lines, such as %.300s", got, len(missing), missing[0])
			return
		}
		left[missing[i]]--
	}
}

// quiet fails when anything is written within a second.
func (r *rig) quiet() {
	r.Helper()
	select {
	case line := <-r.out.lines:
		r.Errorf("got %.300s, want silence", line)
	case <-time.After(time.Second):
	}
}

// inPlace fails unless requests are answered in the reading place: only then do
// the replies to those at hand leave in one write.
func (r *rig) inPlace() {
	r.Helper()
	synctest.Wait()
	before := len(r.out.written())
	r.send(ask("7001", "ping", ""), ask("7002", "ping", ""), ask("7003", "ping", ""))
	r.want(answer("7001", "{}"), answer("7002", "{}"), answer("7003", "{}"))
	if n := len(r.out.written()) - before; n != 1 {
		r.Errorf("3 replies left in %d writes, want 1: they were not made in the reading place", n)
	}
}

// finish ends the input, and fails unless Serve returns want (see [errors.Is])
// with nothing more written.
func (r *rig) finish(want error) {
	r.Helper()
	close(r.in.arrivals)
	r.ended(want)
}

// ended fails unless Serve returns want, with nothing more written.
func (r *rig) ended(want error) {
	r.Helper()
	select {
	case err := <-r.served:
		if !errors.Is(err, want) {
			r.Errorf("Serve returned %v, want %v", err, want)
		}
	case <-time.After(time.Minute):
		r.Error("Serve did not return for a minute")
	}
	r.cancel()
	r.quiet()
	if r.in.crowd.Load() {
		r.Error("two goroutines used the source at once")
	}
	r.out.mu.Lock()
	defer r.out.mu.Unlock()
	for _, fault := range r.out.faults {
		r.Error(fault)
	}
}

// The messages of the tests. Empty params, and an empty id, are left out.

func ask(id, method, params string) string {
	s := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"`
	if params != "" {
		s += `,"params":` + params
	}
	return s + "}"
}

func tell(method, params string) string {
	s := `{"jsonrpc":"2.0","method":"` + method + `"`
	if params != "" {
		s += `,"params":` + params
	}
	return s + "}"
}

func cancelled(id string) string {
	return tell("notifications/cancelled", `{"requestId":`+id+`}`)
}

func answer(id, value string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + value + `}`
}

func refusal(id string, code jsonrpc.Code, message string) string {
	s := `{"jsonrpc":"2.0"`
	if id != "" {
		s += `,"id":` + id
	}
	return s + fmt.Sprintf(`,"error":{"code":%d,"message":"%s"}}`, code, message)
}

// refused is the beginning of [refusal], for when the words do not matter.
func refused(id string, code jsonrpc.Code) string {
	s, _, _ := strings.Cut(refusal(id, code, ""), `"message"`)
	return s + "…"
}
