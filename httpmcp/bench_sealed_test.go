package httpmcp_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp/seal"
)

// BenchmarkLegacyCall is one small call without a network, in each way of keeping sessions.
func BenchmarkLegacyCall(b *testing.B) {
	for _, bb := range []struct {
		name string
		o    *httpmcp.Options
	}{
		{"kept", nil},
		{"sealed", &httpmcp.Options{SessionKeys: seal.RandomKeys()}},
		{"stateless", &httpmcp.Options{Stateless: true}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			e := httpmcp.Handler(toolServer(b), bb.o)
			defer e.Shutdown(b.Context())
			id := do(e, initialize("2025-06-18", "")).Header().Get("Mcp-Session-Id")
			body := tool("1", "echo", `,"arguments":{"text":"x"}`)
			r := httptest.NewRequest("POST", "/mcp", nil)
			r.ContentLength = int64(len(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
			if id != "" {
				r.Header.Set("Mcp-Session-Id", id)
			}
			b.ReportAllocs()
			for b.Loop() {
				r.Body = readCloser{strings.NewReader(body)}
				w := httptest.NewRecorder()
				if e.ServeHTTP(w, r); w.Code != 200 {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
