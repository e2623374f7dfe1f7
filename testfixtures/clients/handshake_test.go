package clients_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// mute is a server that takes messages in and answers none.
type mute struct {
	asked chan struct{} // closed when initialize has come

	mu   sync.Mutex
	seen []string // methods
}

func (m *mute) take(message []byte) {
	var parsed jsonrpc.Message
	scanner := jsonrpc.Scanner{}
	scanner.Scan(message, &parsed)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen = append(m.seen, string(parsed.Method)); string(parsed.Method) == "initialize" {
		close(m.asked)
	}
}

// hears reads lines until there are none any more.
func (m *mute) hears(from io.Reader) {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		m.take(lines.Bytes())
	}
}

// ServeHTTP serves Streamable HTTP, and holds initialize.
func (m *mute) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.take(body)
	if strings.Contains(string(body), `"initialize"`) {
		<-r.Context().Done()
	}
	w.WriteHeader(http.StatusAccepted)
}

// old serves the transport of 2024-11-05.
func (m *mute) old(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet:
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "event: endpoint\ndata: /messages\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case r.URL.Path == "/messages":
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		m.take(body)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// muteWays are the transports to such a server. stop waits until nothing more can come.
var muteWays = map[string]func(m *mute) (to discover.Transport, stop func()){
	"stream": func(m *mute) (discover.Transport, func()) {
		near, far := net.Pipe()
		heard := make(chan struct{})
		go func() { m.hears(far); close(heard) }()
		return stdio.Stream(near, nil), func() { near.Close(); <-heard }
	},
	"http": func(m *mute) (discover.Transport, func()) {
		s := httptest.NewServer(m)
		return httpmcp.Dial(s.URL, nil), s.Close
	},
	"sse": func(m *mute) (discover.Transport, func()) {
		s := httptest.NewServer(http.HandlerFunc(m.old))
		return httpmcp.Dial(s.URL, nil), s.Close
	},
}

// TestB94Handshake: a client whose context ends while the handshake lasts gives up at once, and
// sends no cancellation: initialize must not be cancelled (case B94).
func TestB94Handshake(t *testing.T) {
	for name, way := range muteWays {
		t.Run(name, func(t *testing.T) {
			m := &mute{asked: make(chan struct{})}
			to, stop := way(m)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				_, _, err := discover.Connect(ctx, to, &discover.ConnectOptions{Era: mcp.Legacy})
				ended <- err
			}()
			soon(t, m.asked, "initialize")
			cancel()
			if err := soon(t, ended, "the end of Connect"); !errors.Is(err, context.Canceled) {
				t.Errorf("Connect: got %v, want %v", err, context.Canceled)
			}
			stop()
			if !slices.Equal(m.seen, []string{"initialize"}) {
				t.Errorf("the server has seen %q, want initialize alone", m.seen)
			}
		})
	}
}
