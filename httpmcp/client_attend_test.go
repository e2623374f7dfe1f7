package httpmcp_test

import (
	"net/http"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
)

// The handshake ends when the stream for what belongs to no call is there, or is known not to be,
// since many servers drop what they would say on it while it is not open. A server that answers to
// no GET before it has something to say holds it up for half a second, and no longer.
func TestHandshakeWaitsForStream(t *testing.T) {
	const moment = 200 * time.Millisecond
	var ended chan struct{}
	tests := []struct {
		name string
		get  func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message)
		took time.Duration
	}{
		{"a stream in a moment", func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
			<-time.After(moment)
			answerEvents(w, m)
			<-r.Context().Done()
		}, moment},
		{"no stream, said in a moment", func(w http.ResponseWriter, _ *http.Request, _ *jsonrpc.Message) {
			<-time.After(moment)
			w.WriteHeader(http.StatusMethodNotAllowed)
		}, moment},
		{"no answer", func(_ http.ResponseWriter, r *http.Request, _ *jsonrpc.Message) {
			<-r.Context().Done()
		}, 500 * time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &legacyScript{parts: scriptParts{"GET": func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
				defer close(ended)
				test.get(w, r, m)
			}}}
			linked(t, s, nil, func(w *linkWorld) {
				ended = make(chan struct{})
				begun := time.Now()
				w.open()
				if took := time.Since(begun); took != test.took {
					w.Errorf("the handshake took %v, want %v", took, test.took)
				}
				if got, err := w.call(w.Context(), "call"); got != "{}" || err != nil {
					w.Errorf("the call: got %s, %v", got, err)
				}
				if err := w.link.Close(); err != nil {
					w.Errorf("closing: %v", err)
				}
				<-ended
			})
			s.wantOrder(t, "GET S1 2025-11-25", "POST call S1 2025-11-25")
		})
	}
}

// wantOrder fails where the lines have not come in this order, whatever is between them.
func (s *legacyScript) wantOrder(t *testing.T, lines ...string) {
	t.Helper()
	left := lines
	for _, line := range s.lines() {
		if len(left) > 0 && line == left[0] {
			left = left[1:]
		}
	}
	if len(left) > 0 {
		t.Errorf("%q did not come, or not in their order: the server saw %q", left, s.lines())
	}
}
