package discover_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// inbox is a [jsonrpc.Source] over a channel. All messages pass through one buffer,
// so that whoever keeps a span of one sees it change with the next.
type inbox struct {
	lines  chan string
	closed chan struct{}
	once   sync.Once
	buf    []byte
}

func newInbox(room int) *inbox {
	return &inbox{lines: make(chan string, room), closed: make(chan struct{})}
}

func (in *inbox) Read() ([]byte, error) {
	for i := range in.buf {
		in.buf[i] = '#'
	}
	select {
	case line, more := <-in.lines:
		if !more {
			return nil, io.EOF
		}
		in.buf = append(in.buf[:0], line...)
		return in.buf, nil
	case <-in.closed:
		return nil, io.EOF
	}
}

func (in *inbox) Buffered() bool { return len(in.lines) > 0 }
func (in *inbox) Detach()        { in.buf = nil }

func (in *inbox) Close() error {
	in.once.Do(func() { close(in.closed) })
	return nil
}

// outbox keeps what was written.
type outbox struct {
	mu   sync.Mutex
	text []byte
}

func (out *outbox) Write(b []byte) (int, error) {
	out.mu.Lock()
	defer out.mu.Unlock()
	out.text = append(out.text, b...)
	return len(b), nil
}

// take returns the lines since the last take.
func (out *outbox) take(t testing.TB) []string {
	t.Helper()
	out.mu.Lock()
	defer out.mu.Unlock()
	text := string(out.text)
	out.text = nil
	if text == "" {
		return nil
	}
	if !strings.HasSuffix(text, "\n") {
		t.Errorf("the output ends within a line: %q", text)
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range lines {
		checkLine(t, line)
	}
	return lines
}

// wire is the client's end of a connection with a router at the other. It lives in a
// bubble of [synctest], where all that follows from a line has happened before the
// next one is sent.
type wire struct {
	t    testing.TB
	in   *inbox
	out  *outbox
	done chan error
}

// dial serves s on a connection. The test must call finish.
func dial(t testing.TB, s *mcp.Server) *wire { return dialAs(t, s, nil) }

// dialAs is dial for a peer whose principal is known.
func dialAs(t testing.TB, s *mcp.Server, p *mcp.Principal) *wire {
	w := &wire{t: t, in: newInbox(1000), out: &outbox{}, done: make(chan error, 1)}
	r := discover.NewRouter(s, &discover.RouterOptions{Principal: p})
	c := jsonrpc.NewConn(w.in, w.out, r, &jsonrpc.Options{Logger: s.Logger(), Inner: discover.Inner(), InOrder: r.InOrder, LongLived: r.LongLived, Abandoned: r.Abandoned})
	go func() {
		err := c.Serve(context.Background())
		r.Close()
		w.done <- err
	}()
	return w
}

// send sends lines and returns what came for them. A handler that waits does not
// keep the next line from being read: time passes until it has lost the reading place.
func (w *wire) send(lines ...string) []string {
	w.t.Helper()
	for _, line := range lines {
		w.in.lines <- line
		<-time.After(10 * time.Millisecond)
		synctest.Wait()
	}
	return w.out.take(w.t)
}

// correlation is the part of an internal error that differs each time.
var correlation = regexp.MustCompile(`\(correlation id [0-9a-z]+\)`)

// want sends a line and compares all that came for it; nothing, when no line is
// given.
func (w *wire) want(what, line string, lines ...string) {
	w.t.Helper()
	got := w.send(line)
	for i := range got {
		got[i] = correlation.ReplaceAllString(got[i], "(correlation id)")
	}
	if !slices.Equal(got, lines) {
		w.t.Errorf("%s\nsent %s\n got %s\nwant %s", what, line, strings.Join(got, "\n     "), strings.Join(lines, "\n     "))
	}
}

// finish ends the input. Nothing more may come.
func (w *wire) finish() {
	w.t.Helper()
	close(w.in.lines)
	if err := <-w.done; err != nil {
		w.t.Errorf("the connection ended with %v, want nil", err)
	}
	if left := w.out.take(w.t); left != nil {
		w.t.Errorf("at the end: got %q, want nothing more", left)
	}
}

// bubble runs f with a wire of its own.
func bubble(t *testing.T, s func() *mcp.Server, f func(w *wire)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, s())
		f(w)
		w.finish()
	})
}

// foreign is text that no peer may read: Go's types, its way of formatting, stacks
// and file names.
var foreign = regexp.MustCompile(`%!|Go |struct field|unmarshal|goroutine|\.go\b|0x[0-9a-f]{6}|nil pointer|runtime error|jsonrpc:|mcp:|secret`)

// codes are those that the engine sends, and behind them those of the tools of [all].
var codes = []int64{-32700, -32600, -32601, -32602, -32603, -32002, -32022, -32019, -32021, -32100, 7}

// checkLine holds every line that a test sees to what all lines must be: messages of
// JSON-RPC, on one line even for readers that split on U+2028, whose errors say nothing
// that is not for peers (B205).
func checkLine(t testing.TB, line string) {
	t.Helper()
	for _, m := range checkMessages(t, line) {
		if m.Error != nil && (m.Error.Message == "" || foreign.MatchString(m.Error.Message)) {
			t.Errorf("an error that says what it should not: %s", line)
		}
	}
	if strings.ContainsAny(line, "\u2028\u2029") {
		t.Errorf("a line separator stands as it is: %q", line)
	}
}

// message is what a server may send.
type message struct {
	Version string                     `json:"jsonrpc"`
	Method  *string                    `json:"method"`
	ID      json.RawMessage            `json:"id"`
	Result  map[string]json.RawMessage `json:"result"`
	Error   *struct {
		Code    int64
		Message string
	} `json:"error"`
}

// checkMessages checks one line: a JSON-RPC message, or an array of them. It reads
// with [encoding/json], so as not to trust the code under test, and with its scanner.
func checkMessages(t testing.TB, line string) []message {
	t.Helper()
	if strings.HasPrefix(line, "[") {
		var elements []json.RawMessage
		if err := json.Unmarshal([]byte(line), &elements); err != nil || len(elements) == 0 {
			t.Errorf("a batch that is none: %v: %s", err, line)
		}
		var all []message
		for _, e := range elements {
			all = append(all, checkMessages(t, string(e))...)
		}
		return all
	}
	var m message
	err := json.Unmarshal([]byte(line), &m)
	switch {
	case err != nil || m.Version != "2.0":
		t.Errorf("no JSON-RPC message: %v: %s", err, line)
	case m.Method != nil && (m.Result != nil || m.Error != nil):
		t.Errorf("neither notification nor response: %s", line)
	case m.Method != nil && m.ID != nil && *m.Method != "roots/list": // what the tests ask for
		t.Errorf("no request that a server makes: %s", line)
	case m.Method == nil && (m.Result == nil) == (m.Error == nil):
		t.Errorf("a response has one of result and error: %s", line)
	case m.Result != nil && m.ID == nil:
		t.Errorf("a result without the id: %s", line)
	case m.Error != nil && !slices.Contains(codes, m.Error.Code):
		t.Errorf("a code that no server sends: %s", line)
	}
	var scanner jsonrpc.Scanner
	if e := scanner.Scan([]byte(line), new(jsonrpc.Message)); e != nil {
		t.Errorf("the scanner refuses what was sent: %v: %s", e, line)
	}
	return []message{m}
}

// quiet takes log records and drops them.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
