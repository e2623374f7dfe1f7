package httpmcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// ears hears what a server sends of its own accord.
type ears struct {
	mu    sync.Mutex
	heard []string
	then  func(context.Context, *jsonrpc.Message) // beside that, if it is there
}

func (e *ears) note(ctx context.Context, m *jsonrpc.Message) {
	e.mu.Lock()
	e.heard = append(e.heard, strings.TrimSuffix(string(m.Method)+" "+string(m.Params), " "))
	e.mu.Unlock()
	if e.then != nil {
		e.then(ctx, m)
	}
}

// all is what has been heard up to now.
func (e *ears) all() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.heard, "; ")
}

func (e *ears) Request(ctx context.Context, m *jsonrpc.Message, _ jsonrpc.Peer, dst []byte) ([]byte, error) {
	e.note(ctx, m)
	return append(dst, "{}"...), nil
}

func (e *ears) Notification(ctx context.Context, m *jsonrpc.Message, _ jsonrpc.Peer) { e.note(ctx, m) }
func (e *ears) AllowBatch() *jsonrpc.Error                                           { return nil }
func (e *ears) Label(m *jsonrpc.Message) slog.Attr                                   { return slog.String("method", string(m.Method)) }

// modernLink is a modern link to a server, which both end with the test.
func modernLink(t testing.TB, url string, o *httpmcp.DialOptions, e *ears) mcp.Link {
	t.Helper()
	link, err := httpmcp.Dial(url, o).Modern(t.Context(), e, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { link.Close() })
	return link
}

// scripted is a server that does what f does.
func scripted(t testing.TB, f http.HandlerFunc) (url string) {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

// says is a request whose params are these members and _meta of the modern era.
func says(method, members string, marks ...mcp.HeaderParam) *mcp.Outgoing {
	if members != "" {
		members += ","
	}
	return &mcp.Outgoing{Method: method, Version: "2026-07-28", Marks: marks, Params: func(dst []byte, _ jsonrpc.ID) []byte {
		return append(dst, "{"+members+modernMeta+"}"...)
	}}
}

// outcome is what came of a call, in one line.
func outcome(result jsonrpc.Raw, err error) string {
	var told *jsonrpc.Error
	var rejected *mcp.Rejected
	var broken *jsonrpc.BrokenResponse
	switch {
	case err == nil:
		return "result " + string(result)
	case errors.As(err, &told):
		return fmt.Sprintf("error %d %s %s", told.Code, told.Message, told.Data)
	case errors.As(err, &broken):
		return "broken " + broken.Reason
	case errors.As(err, &rejected):
		return fmt.Sprintf("rejected %d %q %s", rejected.Status, rejected.Challenge, rejected.Reason)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "cut " + err.Error()
	case errors.Is(err, mcp.ErrLinkClosed):
		return "closed"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		return "too late"
	}
	return "fault " + err.Error()
}

// write answers a request.
func write(w http.ResponseWriter, status int, kind, body string) {
	if kind != "" {
		w.Header().Set("Content-Type", kind)
	} else {
		w.Header()["Content-Type"] = nil
	}
	w.WriteHeader(status)
	io.WriteString(w, body)
}

// flush sends what is written.
func flush(w http.ResponseWriter, text string) {
	io.WriteString(w, text)
	http.NewResponseController(w).Flush()
}

func newUnstarted(f http.HandlerFunc) *httptest.Server { return httptest.NewUnstartedServer(f) }
