package legacy_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// declaresAll are the capabilities of a server that has and tells of everything.
const declaresAll = `{"logging":{},"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true}}`

// welcome is a result of initialize.
func welcome(version, capabilities string) string {
	return `{"protocolVersion":"` + version + `","capabilities":` + capabilities + `,"serverInfo":{"name":"srv","version":"9","x":1},"instructions":"Use it."}`
}

// link is a server behind a link, played by a function: it answers a request with a result,
// or an error. It keeps a line for each message that went through.
type link struct {
	answer func(ctx context.Context, out *mcp.Outgoing, params string) (string, error)

	mu     sync.Mutex
	lines  []string
	grown  chan struct{} // closed and replaced with each line and each answer
	lastID int64

	done chan struct{}
	once sync.Once
	err  error
}

// serve makes a link to a server that answers initialize with the version that it is asked
// for and these capabilities, and all else with {}.
func serve(capabilities string) *link {
	l := &link{done: make(chan struct{}), grown: make(chan struct{})}
	l.answer = func(_ context.Context, out *mcp.Outgoing, params string) (string, error) {
		if out.Method == "initialize" {
			return welcome(askedVersion(params), capabilities), nil
		}
		return `{}`, nil
	}
	return l
}

// askedVersion is the one that the params of initialize name.
func askedVersion(params string) string {
	p, _ := mcp.Read[mcp.InitializeParams](jsonrpc.Raw(params), "params")
	return p.ProtocolVersion
}

// onlyFor has f answer the requests for one method.
func (l *link) onlyFor(method string, f func(ctx context.Context, params string) (string, error)) {
	others := l.answer
	l.answer = func(ctx context.Context, out *mcp.Outgoing, params string) (string, error) {
		if out.Method == method {
			return f(ctx, params)
		}
		return others(ctx, out, params)
	}
}

func (l *link) Call(ctx context.Context, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	if err := l.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.lastID++
	id := l.lastID
	l.mu.Unlock()
	params := l.note(out, jsonrpc.IntID(id))
	type reply struct {
		result string
		err    error
	}
	answered := make(chan reply, 1)
	var answering sync.WaitGroup
	answering.Go(func() {
		result, err := l.answer(ctx, out, params)
		l.mu.Lock()
		l.growLocked()
		l.mu.Unlock()
		answered <- reply{result, err}
	})
	defer answering.Wait() // the answer functions end with ctx
	select {
	case r := <-answered:
		return jsonrpc.Raw(r.result), r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.done:
		return nil, l.err
	}
}

func (l *link) Notify(_ context.Context, out *mcp.Outgoing) error {
	if err := l.Err(); err != nil {
		return err
	}
	l.note(out, jsonrpc.ID{})
	return nil
}

// note keeps the line of a message: version, method and params, with "quiet" in front where
// its end is not told.
func (l *link) note(out *mcp.Outgoing, id jsonrpc.ID) (params string) {
	if out.Params != nil {
		params = string(out.Params(nil, id))
	}
	line := strings.TrimRight(strings.TrimLeft(out.Version+" "+out.Method+" "+params, " "), " ")
	if out.Quiet {
		line = "quiet " + line
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	l.growLocked()
	return params
}

func (l *link) growLocked() {
	close(l.grown)
	l.grown = make(chan struct{})
}

// sent are the lines so far but for those of the handshake, without the
// versions and whether they are quiet.
func (l *link) sent() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	for _, line := range l.lines {
		if strings.Contains(line, "initialize") {
			continue
		}
		_, rest, _ := strings.Cut(strings.TrimPrefix(line, "quiet "), " ")
		lines = append(lines, rest)
	}
	return lines
}

// handshakes counts how often initialize went through.
func (l *link) handshakes() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, line := range l.lines {
		if strings.Contains(line, "initialize {") {
			n++
		}
	}
	return n
}

// wait waits until a condition holds of the link, which is looked at after each message and each
// answer.
func (l *link) wait(t *testing.T, what string, holds func() bool) {
	t.Helper()
	timeout := time.After(10 * time.Second)
	for {
		l.mu.Lock()
		grown := l.grown
		l.mu.Unlock()
		if holds() {
			return
		}
		select {
		case <-grown:
		case <-timeout:
			t.Fatalf("waited in vain for %s; sent:\n%s", what, strings.Join(l.sent(), "\n"))
		}
	}
}

func (l *link) Done() <-chan struct{} { return l.done }

func (l *link) Err() error {
	select {
	case <-l.done:
		return l.err
	default:
		return nil
	}
}

func (l *link) Close() error {
	l.end("closed by this side")
	return nil
}

// end ends the link, as a server that has gone does.
func (l *link) end(why string) {
	l.once.Do(func() {
		l.err = fmt.Errorf("%w: %s", mcp.ErrLinkClosed, why)
		close(l.done)
	})
}

// connect opens a session over the link.
func connect(t *testing.T, l mcp.Link, c *mcp.ClientOptions, version string) *legacy.Client {
	t.Helper()
	x := legacy.NewClient(mcp.NewClient(c), &legacy.ClientOptions{Version: version})
	if err := x.Open(t.Context(), l); err != nil {
		t.Fatalf("Open with version %q: %v", version, err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// peer is the server as the handler of one of its messages sees it.
type peer struct {
	mu        sync.Mutex
	cancelled []string
}

func (p *peer) Notify(string, []byte) error { return errors.New("nothing to tell") }
func (p *peer) Call(context.Context, string, []byte) (jsonrpc.Raw, error) {
	return nil, errors.New("nothing to ask")
}
func (p *peer) Ending() <-chan struct{} { return nil }
func (p *peer) Cancel(id jsonrpc.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancelled = append(p.cancelled, id.String())
}

// from has the client take in a message of the server. It returns the answer to a request:
// the result, or code and message of the error. The bytes of the message are destroyed
// afterwards: nobody may have kept a span.
func from(t testing.TB, x *legacy.Client, p jsonrpc.Peer, message string) string {
	t.Helper()
	line := []byte(message)
	var m jsonrpc.Message
	scanner := jsonrpc.Scanner{Inner: []string{"_meta"}}
	if e := scanner.Scan(line, &m); e != nil {
		t.Fatalf("%s: %v", message, e)
	}
	defer func() {
		for i := range line {
			line[i] = '#'
		}
	}()
	if m.Kind == jsonrpc.Notification {
		x.Notification(context.Background(), &m, p)
		return ""
	}
	out, err := x.Request(context.Background(), &m, p, nil)
	var told *jsonrpc.Error
	switch {
	case errors.As(err, &told):
		return fmt.Sprintf("%d %s", told.Code, told.Message)
	case err != nil:
		return "error: " + err.Error()
	}
	return string(out)
}

// tell has the client take in a notification of the server.
func tell(t testing.TB, x *legacy.Client, method, params string) {
	t.Helper()
	if params != "" {
		params = `,"params":` + params
	}
	from(t, x, &peer{}, `{"jsonrpc":"2.0","method":"`+method+`"`+params+`}`)
}

// lines fails the test unless got is want.
func lines(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
