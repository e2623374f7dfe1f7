package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// visitor takes what a server sends of its own accord: it answers requests with their
// params, and passes notifications on as "method params".
type visitor struct{ heard chan string }

func newVisitor() *visitor { return &visitor{heard: make(chan string, 100)} }

func (v *visitor) Request(_ context.Context, m *jsonrpc.Message, _ jsonrpc.Peer, dst []byte) ([]byte, error) {
	if string(m.Method) != "ping" {
		return dst, jsonrpc.Errorf(jsonrpc.MethodNotFound, "Method not found: %s", m.Method)
	}
	return append(dst, "{}"...), nil
}

func (v *visitor) Notification(_ context.Context, m *jsonrpc.Message, _ jsonrpc.Peer) {
	v.heard <- string(m.Method) + " " + string(m.Params)
}

func (v *visitor) AllowBatch() *jsonrpc.Error       { return nil }
func (v *visitor) Label(*jsonrpc.Message) slog.Attr { return slog.Attr{} }

// open opens the link of a transport, and closes it when the test ends.
func open(t *testing.T, tr discover.Transport, h jsonrpc.Handler, log *slog.Logger) mcp.Link {
	t.Helper()
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	l, err := tr.Modern(t.Context(), h, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return l
}

// notebook keeps what is written to it.
type notebook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notebook) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(b)
}

func (n *notebook) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

// logTo is a log that goes to w.
func logTo(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

var one = jsonrpc.IntID(1)

// bounded is a context for calls that must be answered.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// echoCall is a modern tools/call of the tool echo.
func echoCall(text string) *mcp.Outgoing {
	return &mcp.Outgoing{Method: "tools/call", Version: "2026-07-28", Params: func(dst []byte, _ jsonrpc.ID) []byte {
		dst = append(dst, `{"name":"echo","arguments":{"text":`...)
		dst = jsonrpc.AppendString(dst, text)
		return append(dst, `},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
			`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}}`...)
	}}
}

// echoed is the text of the result of echoCall.
func echoed(t *testing.T, result jsonrpc.Raw) string {
	t.Helper()
	content := member(result, "content")
	var first jsonrpc.Raw
	for a := jsonrpc.ReadArray(content); a.Next(); {
		first = a.Value()
		break
	}
	text, ok := member(first, "text").Text()
	if !ok {
		t.Errorf("no text in %.200s", result)
	}
	return text
}

func member(object jsonrpc.Raw, name string) jsonrpc.Raw {
	o := jsonrpc.ReadObject(object)
	for o.Next() {
		if string(o.Name()) == name {
			return o.Value()
		}
	}
	return nil
}

// pipes is a stream made of two pipes.
type pipes struct {
	*os.File          // to read
	w        *os.File // to write
}

func (p pipes) Write(b []byte) (int, error) { return p.w.Write(b) }
func (p pipes) Close() error                { return errors.Join(p.w.Close(), p.File.Close()) }

var _ io.ReadWriteCloser = pipes{}

// streams are the kinds of streams that a link may have: each gives a client's transport to the
// server that serve runs at the other end.
var streams = map[string]func(t *testing.T, o *stdio.ClientOptions) discover.Transport{
	"in memory": func(t *testing.T, o *stdio.ClientOptions) discover.Transport {
		ours, theirs := net.Pipe()
		serveAtEnd(t, theirs)
		return stdio.Stream(ours, o)
	},
	"pipes": func(t *testing.T, o *stdio.ClientOptions) discover.Transport {
		ours, theirs := pipePair(t)
		serveAtEnd(t, theirs)
		return stdio.Stream(ours, o)
	},
	"pair of pipes": func(t *testing.T, o *stdio.ClientOptions) discover.Transport {
		ours, theirs := pipePair(t)
		serveAtEnd(t, stdio.Pair(theirs.File, theirs.w))
		return stdio.Stream(stdio.Pair(ours.File, ours.w), o)
	},
	"unix": func(t *testing.T, o *stdio.ClientOptions) discover.Transport {
		path := filepath.Join(t.TempDir(), "s")
		return stdio.Dial("unix", listenForTest(t, "unix", path), o)
	},
	"tcp": func(t *testing.T, o *stdio.ClientOptions) discover.Transport {
		return stdio.Dial("tcp", listenForTest(t, "tcp", "127.0.0.1:0"), o)
	},
}

func pipePair(t testing.TB) (ours, theirs pipes) {
	t.Helper()
	serverIn, clientOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	clientIn, serverOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return pipes{clientIn, clientOut}, pipes{serverIn, serverOut}
}

func serveAtEnd(t *testing.T, stream io.ReadWriteCloser) {
	var all sync.WaitGroup
	all.Go(func() { stdio.ServeStream(context.Background(), stream, newServer(nil, nil), nil) })
	t.Cleanup(all.Wait)
}

func listenForTest(t *testing.T, network, address string) string {
	t.Helper()
	l, err := stdio.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { stdio.ServeListener(ctx, l, newServer(nil, nil), nil) })
	t.Cleanup(func() { cancel(); all.Wait() })
	return l.Addr().String()
}

// TestLink has calls of all sizes answered over each kind of stream (B29).
func TestLink(t *testing.T) {
	for name, stream := range streams {
		t.Run(name, func(t *testing.T) {
			l := open(t, stream(t, nil), newVisitor(), nil)
			for _, size := range []int{0, 1, 4096, 70_000, 5 << 20} {
				text := strings.Repeat("x", size)
				result, err := l.Call(bounded(t), echoCall(text))
				if err != nil {
					t.Fatalf("%d bytes: %v", size, err)
				}
				if got := echoed(t, result); got != text {
					t.Errorf("%d bytes: %d came back, %.50q", size, len(got), got)
				}
			}
			var all sync.WaitGroup
			for range 50 {
				all.Go(func() {
					for i := range 20 {
						text := strings.Repeat("y", i*100)
						if result, err := l.Call(bounded(t), echoCall(text)); err != nil || echoed(t, result) != text {
							t.Errorf("call %d beside others: %.100s, %v", i, result, err)
						}
					}
				})
			}
			all.Wait()
		})
	}
}

// twoSteps is a stream that is closed in two steps, and notes them.
type twoSteps struct {
	net.Conn
	mu    sync.Mutex
	steps []string
}

func (s *twoSteps) note(step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, step)
}

func (s *twoSteps) CloseWrite() error { s.note("output"); return nil }
func (s *twoSteps) Close() error      { s.note("all"); return s.Conn.Close() }

// A stream whose output can end first is closed so: a server that has not read all yet can do that. It is not
// opened again.
func TestLinkClosesInTwoSteps(t *testing.T) {
	ours, theirs := net.Pipe()
	serveAtEnd(t, theirs)
	stream := &twoSteps{Conn: ours}
	tr := stdio.Stream(stream, nil)
	l, err := tr.Modern(t.Context(), newVisitor(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Call(bounded(t), echoCall("x")); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if got := strings.Join(stream.steps, " "); got != "output all" {
		t.Errorf("closed %q, want the output, and then all", got)
	}
	if l, err := tr.Legacy(t.Context(), newVisitor(), slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "the stream has ended") {
		t.Errorf("opened again: %v, %v, want an error", l, err)
	}
}
