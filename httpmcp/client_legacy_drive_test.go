package httpmcp_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// legacyScript is a server that says what its test wants. A request of HTTP is known by its
// method and, for a POST, that of its message, as in "POST tools/call" and "GET"; what is
// not in parts is answered as by a server with the session S1 and no streams.
type legacyScript struct {
	parts map[string]func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message)

	mu  sync.Mutex
	saw []string // "POST ping S1 2025-11-25", each with a "-" for what is absent
}

// accepts are what clients have to say that they take (2025-11-25 basic/transports, Sending Messages to
// the Server, 2, and Listening for Messages from the Server, 2).
var accepts = map[string]string{"POST": "application/json, text/event-stream", "GET": "text/event-stream"}

func (s *legacyScript) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Accept") != accepts[r.Method] {
		w.WriteHeader(http.StatusNotAcceptable)
		return
	}
	var m jsonrpc.Message
	what := r.Method
	if r.Method == "POST" {
		body, _ := io.ReadAll(r.Body)
		(&jsonrpc.Scanner{}).Scan(body, &m)
		what += " " + string(m.Method)
		if m.Kind == jsonrpc.Response {
			what += string(body)
		}
	}
	line := what
	for _, name := range []string{"Mcp-Session-Id", "MCP-Protocol-Version", "Last-Event-ID"} {
		switch value := r.Header.Get(name); {
		case value != "":
			line += " " + value
		case name != "Last-Event-ID":
			line += " -"
		}
	}
	s.mu.Lock()
	s.saw = append(s.saw, line)
	s.mu.Unlock()
	if part := s.parts[what]; part != nil {
		part(w, r, &m)
		return
	}
	s.usual(w, r, &m)
}

func (s *legacyScript) usual(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
	switch {
	case r.Method == "GET":
		w.WriteHeader(http.StatusMethodNotAllowed)
	case r.Method == "DELETE":
		w.WriteHeader(http.StatusNoContent)
	case m.Kind != jsonrpc.Request:
		w.WriteHeader(http.StatusAccepted)
	case string(m.Method) == "initialize":
		w.Header().Set("Mcp-Session-Id", "S1")
		answerJSON(w, m, `{"protocolVersion":"2025-11-25"}`)
	default:
		answerJSON(w, m, `{}`)
	}
}

// lines is what has been seen so far, without what begins as one of these.
func (s *legacyScript) lines(without ...string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
next:
	for _, line := range s.saw {
		for _, w := range without {
			if strings.HasPrefix(line, w) {
				continue next
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func (s *legacyScript) count(prefix string) int {
	n := 0
	for _, line := range s.lines() {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}

func answerJSON(w http.ResponseWriter, m *jsonrpc.Message, result string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// answerEvents begins a stream with these texts, each flushed; %s in one is the id of the message.
func answerEvents(w http.ResponseWriter, m *jsonrpc.Message, texts ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	moreEvents(w, m, texts...)
}

// moreEvents goes on with a stream.
func moreEvents(w http.ResponseWriter, m *jsonrpc.Message, texts ...string) {
	for _, text := range texts {
		io.WriteString(w, strings.ReplaceAll(text, "%s", m.ID.String()))
		http.NewResponseController(w).Flush()
	}
	http.NewResponseController(w).Flush()
}

// resultEvent is the event that answers.
const resultEvent = "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"ok\":1}}\n\n"

// hearer is the handler of what a server sends.
type hearer struct {
	batches bool
	heard   chan string // "method params" of notifications
	told    func(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer)
	asked   func(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer) (string, error)
	arrived func(ctx context.Context) context.Context
}

func newHearer() *hearer { return &hearer{heard: make(chan string, 100)} }

func (h *hearer) Arrive(ctx context.Context) context.Context {
	if h.arrived == nil {
		return ctx
	}
	return h.arrived(ctx)
}

func (h *hearer) Request(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer, dst []byte) ([]byte, error) {
	if string(m.Method) == "ping" {
		return append(dst, "{}"...), nil
	}
	if h.asked == nil {
		return nil, jsonrpc.Errorf(jsonrpc.MethodNotFound, "Method not found")
	}
	result, err := h.asked(ctx, m, p)
	return append(dst, result...), err
}

func (h *hearer) Notification(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer) {
	if h.told != nil {
		h.told(ctx, m, p)
	}
	if string(m.Method) == "notifications/cancelled" {
		id, _ := jsonrpc.ParseID(m.Param("requestId"))
		p.Cancel(id)
	}
	h.heard <- string(m.Method) + " " + string(m.Params)
}

func (h *hearer) AllowBatch() *jsonrpc.Error {
	if h.batches {
		return nil
	}
	return jsonrpc.Errorf(jsonrpc.InvalidRequest, "no batches")
}

func (h *hearer) Label(*jsonrpc.Message) slog.Attr { return slog.Attr{} }

// linkWorld is a bubble with a server and a link to it.
type linkWorld struct {
	*testing.T
	*hearer
	link mcp.Link
}

// linked runs f in a bubble with a link to h that is closed behind it.
func linked(t *testing.T, h http.Handler, o *httpmcp.DialOptions, f func(w *linkWorld)) {
	t.Helper()
	logged(t, h, o, slog.New(slog.DiscardHandler), f)
}

// logged is linked with a log.
func logged(t *testing.T, h http.Handler, o *httpmcp.DialOptions, log *slog.Logger, f func(w *linkWorld)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		client, end := clientOf(t, h)
		defer end()
		options := httpmcp.DialOptions{}
		if o != nil {
			options = *o
		}
		options.Client = client
		w := &linkWorld{T: t, hearer: newHearer()}
		var err error
		w.link, err = httpmcp.Dial("http://127.0.0.1/mcp?key=k", &options).Legacy(t.Context(), w.hearer, log)
		if err != nil {
			t.Fatal(err)
		}
		defer w.link.Close()
		f(w)
	})
}

// clientOf serves h in memory, and is the client to reach it by.
func clientOf(t *testing.T, h http.Handler) (client *http.Client, end func()) {
	l := newPipes()
	transport := &http.Transport{DisableCompression: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		mine, theirs := net.Pipe()
		select {
		case <-l.closed:
			return nil, net.ErrClosed
		case l.conns <- theirs:
			return mine, nil
		}
	}}
	ctx, hangUp := context.WithCancel(context.Background())
	server := &http.Server{Handler: h, BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: log.New(complaints{t}, "", 0)}
	served := make(chan struct{})
	go func() {
		defer close(served)
		server.Serve(l)
	}()
	return &http.Client{Transport: transport}, func() {
		hangUp()
		transport.CloseIdleConnections()
		server.Close()
		<-served
	}
}

// complaints are what net/http says of a handler.
type complaints struct{ t *testing.T }

func (c complaints) Write(b []byte) (int, error) {
	c.t.Errorf("net/http says: %s", b)
	return len(b), nil
}

// saying makes a message without params, in the version of these tests.
func saying(method string) *mcp.Outgoing { return &mcp.Outgoing{Method: method, Version: "2025-11-25"} }

// open has the handshake.
func (w *linkWorld) open() {
	w.Helper()
	w.handshake()
	if err := w.link.Notify(w.Context(), saying("notifications/initialized")); err != nil {
		w.Fatal("initialized:", err)
	}
	synctest.Wait()
}

func (w *linkWorld) handshake() {
	w.Helper()
	if _, err := w.link.Call(w.Context(), &mcp.Outgoing{Method: "initialize", Quiet: true}); err != nil {
		w.Fatal("initialize:", err)
	}
}

// call sends a request without params.
func (w *linkWorld) call(ctx context.Context, method string) (string, error) {
	result, err := w.link.Call(ctx, saying(method))
	return string(result), err
}

// later is what a call gives that is made beside the test.
type later struct {
	result string
	err    error
	took   time.Duration
}

func (w *linkWorld) begin(ctx context.Context, method string) <-chan later {
	c := make(chan later, 1)
	go func() {
		start := time.Now()
		result, err := w.call(ctx, method)
		c <- later{result, err, time.Since(start)}
	}()
	return c
}

// hears is the next notification.
func (w *linkWorld) hears() string {
	w.Helper()
	select {
	case got := <-w.heard:
		return got
	case <-time.After(time.Minute): // of the bubble
		return "nothing"
	}
}
