package httpmcp_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// BenchmarkLegacyLink is a call through the link in each way that an answer can come, over loopback.
// floor is a net/http client that posts the same bytes and reads the same body.
func BenchmarkLegacyLink(b *testing.B) {
	body := func(dst []byte, _ jsonrpc.ID) []byte { return append(dst, `{"name":"echo","arguments":{}}`...) }
	s := &legacyScript{parts: scriptParts{
		"POST events": func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) { answerEvents(w, m, resultEvent) },
	}}
	l := httptest.NewServer(quietScript{s})
	defer l.Close()
	for _, method := range []string{"json", "events"} {
		b.Run(method, func(b *testing.B) {
			link, err := httpmcp.Dial(l.URL, nil).Legacy(b.Context(), newHearer(), slog.New(slog.DiscardHandler))
			if err != nil {
				b.Fatal(err)
			}
			defer link.Close()
			if _, err := link.Call(b.Context(), &mcp.Outgoing{Method: "initialize", Quiet: true}); err != nil {
				b.Fatal(err)
			}
			out := &mcp.Outgoing{Method: method, Params: body, Version: "2025-11-25"}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := link.Call(b.Context(), out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("floor", func(b *testing.B) {
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		client := &http.Client{Transport: transport}
		message := jsonrpc.AppendMessage(nil, jsonrpc.IntID(1), "json", body(nil, jsonrpc.ID{}))
		b.ReportAllocs()
		for b.Loop() {
			r, err := http.NewRequestWithContext(b.Context(), "POST", l.URL, bytes.NewReader(message))
			if err != nil {
				b.Fatal(err)
			}
			reply, err := client.Do(r)
			if err != nil {
				b.Fatal(err)
			}
			io.Copy(io.Discard, reply.Body)
			reply.Body.Close()
		}
	})
}

// quietScript keeps no list of what it has seen.
type quietScript struct{ *legacyScript }

func (s quietScript) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.legacyScript.ServeHTTP(w, r)
	s.mu.Lock()
	s.saw = s.saw[:0]
	s.mu.Unlock()
}
