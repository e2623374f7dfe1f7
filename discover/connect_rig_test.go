package discover_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// sent is a message of a client, as a [fakeLink] has got it.
type sent struct {
	era, method, params string
	version             string
	quiet, open         bool
	id                  jsonrpc.ID
	marks               int
}

// fakeServer is a transport whose links are answered by a function. It is a stream, where
// both links are one, or like HTTP, where they are two.
type fakeServer struct {
	t      *testing.T
	stream bool
	answer func(ctx context.Context, m sent) (string, error)

	mu      sync.Mutex
	log     []string // what was opened, sent and closed
	all     []sent
	links   []*fakeLink
	handler jsonrpc.Handler
	lastID  int64
}

func (s *fakeServer) Modern(_ context.Context, h jsonrpc.Handler, _ *slog.Logger) (mcp.Link, error) {
	return s.link("modern", h)
}

func (s *fakeServer) Legacy(_ context.Context, h jsonrpc.Handler, _ *slog.Logger) (mcp.Link, error) {
	return s.link("legacy", h)
}

func (s *fakeServer) link(era string, h jsonrpc.Handler) (mcp.Link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handler = h
	if s.stream {
		era = "stream"
	}
	for _, l := range s.links {
		if l.era == era && !l.ended() {
			return l, nil
		}
	}
	l := &fakeLink{server: s, era: era, done: make(chan struct{})}
	s.links = append(s.links, l)
	return l, nil
}

// note writes down what has happened.
func (s *fakeServer) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

// history is what has happened since it was called last.
func (s *fakeServer) history() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := strings.Join(s.log, " ")
	s.log = nil
	return h
}

// tell sends a notification to the client.
func (s *fakeServer) tell(method, params string) {
	s.t.Helper()
	m := scan(s.t, `{"jsonrpc":"2.0","method":"`+method+`","params":`+params+`}`)
	s.handler.Notification(context.Background(), m, nil)
}

func scan(t *testing.T, line string) *jsonrpc.Message {
	t.Helper()
	m, scanner := &jsonrpc.Message{}, jsonrpc.Scanner{Inner: discover.Inner()}
	if e := scanner.Scan([]byte(line), m); e != nil {
		t.Fatalf("%s: %v", line, e)
	}
	return m
}

// open are the links that were not closed.
func (s *fakeServer) open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, l := range s.links {
		if !l.ended() {
			n++
		}
	}
	return n
}

type fakeLink struct {
	server *fakeServer
	era    string
	done   chan struct{}
	once   sync.Once
}

func (l *fakeLink) ended() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

func (l *fakeLink) take(out *mcp.Outgoing, id jsonrpc.ID) sent {
	m := sent{era: l.era, method: out.Method, version: out.Version, quiet: out.Quiet, open: out.Open, id: id, marks: len(out.Marks)}
	if out.Params != nil {
		m.params = string(out.Params(nil, id))
	}
	l.server.note("%s", out.Method)
	l.server.mu.Lock()
	l.server.all = append(l.server.all, m)
	l.server.mu.Unlock()
	return m
}

func (l *fakeLink) Call(ctx context.Context, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	if l.ended() {
		return nil, fmt.Errorf("%w: exit status 3", mcp.ErrLinkClosed)
	}
	l.server.mu.Lock()
	l.server.lastID++
	id := jsonrpc.IntID(l.server.lastID)
	l.server.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // a call fails when its link ends
		select {
		case <-l.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	result, err := l.server.answer(ctx, l.take(out, id))
	if err != nil && err != errExit && l.ended() {
		return nil, fmt.Errorf("%w: it was closed", mcp.ErrLinkClosed)
	}
	if err == errExit {
		l.Close()
		return nil, fmt.Errorf("%w: exit status 3", mcp.ErrLinkClosed)
	}
	return jsonrpc.Raw(result), err
}

// errExit is the answer of a server that exits.
var errExit = fmt.Errorf("exit")

// silence is the answer of a server that does not answer.
func silence(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

func (l *fakeLink) Notify(_ context.Context, out *mcp.Outgoing) error {
	l.take(out, jsonrpc.ID{})
	return nil
}

func (l *fakeLink) Done() <-chan struct{} { return l.done }

func (l *fakeLink) Err() error {
	if l.ended() {
		return mcp.ErrLinkClosed
	}
	return nil
}

func (l *fakeLink) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// What servers answer.
const (
	handshakeResult = `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"old","version":"1"}}`
	discoverResult  = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}`
	emptyTools      = `{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"public"}`
	legacyTools     = `{"tools":[]}`
)

// failWith is the answer of a JSON-RPC error.
func failWith(code jsonrpc.Code, message, data string) error {
	e := &jsonrpc.Error{Code: code, Message: message}
	if data != "" {
		e.Data = jsonrpc.Raw(data)
	}
	return e
}

// oldServer answers as a server of the legacy era does that answers server/discover, and all
// else of a modern client, by probe.
func oldServer(probe func(ctx context.Context) (string, error)) func(context.Context, sent) (string, error) {
	return func(ctx context.Context, m sent) (string, error) {
		switch {
		case m.method == "initialize":
			return handshakeResult, nil
		case m.version == "2026-07-28":
			return probe(ctx)
		case m.method == "tools/list":
			return legacyTools, nil
		case m.method == "tools/call":
			return `{"content":[]}`, nil
		}
		return "", failWith(jsonrpc.MethodNotFound, "Method not found", "")
	}
}

// newServer answers as a modern server does.
func newServer(_ context.Context, m sent) (string, error) {
	switch m.method {
	case "server/discover":
		return discoverResult, nil
	case "tools/list":
		return emptyTools, nil
	case "tools/call":
		return `{"resultType":"complete","content":[]}`, nil
	}
	return "", failWith(jsonrpc.MethodNotFound, "Method not found: "+m.method, "")
}

// bothTransports runs a test over a stream and over two links.
func bothTransports(t *testing.T, test func(t *testing.T, stream bool)) {
	for _, stream := range []bool{true, false} {
		t.Run(map[bool]string{true: "stream", false: "two links"}[stream], func(t *testing.T) { test(t, stream) })
	}
}
