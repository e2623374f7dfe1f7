package httpmcp_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// BenchmarkModernLink is a call over the link of a client, and over bare net/http for the floor, to
// a server that does nothing.
func BenchmarkModernLink(b *testing.B) {
	params := []byte(`{"name":"echo","arguments":{"text":"x"},` + modernMeta + `}`)
	const answer = `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","content":[{"type":"text","text":"x"}]}}`
	serve := func(b *testing.B, kind, answer string) string {
		before, behind, _ := strings.Cut(answer, "ID")
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			id, _, _ := bytes.Cut(bytes.TrimPrefix(body, []byte(`{"jsonrpc":"2.0","id":`)), []byte(","))
			w.Header().Set("Content-Type", kind)
			w.Write([]byte(before + string(id) + behind))
		}))
		b.Cleanup(s.Close)
		return s.URL
	}
	b.Run("floor", func(b *testing.B) {
		client := &http.Client{Transport: &http.Transport{}}
		defer client.CloseIdleConnections()
		url := serve(b, plainKind, answer)
		body := jsonrpc.AppendMessage(nil, jsonrpc.IntID(1), "tools/call", params)
		b.ReportAllocs()
		for b.Loop() {
			r, err := http.NewRequest("POST", url, bytes.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			response, err := client.Do(r)
			if err != nil {
				b.Fatal(err)
			}
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
	})
	for _, run := range []struct{ name, kind, answer string }{
		{"JSON", plainKind, answer},
		{"events", eventsKind, "data: " + answer + "\n\n"},
	} {
		b.Run(run.name, func(b *testing.B) {
			link := modernLink(b, serve(b, run.kind, run.answer), nil, &ears{})
			out := &mcp.Outgoing{Method: "tools/call", Version: "2026-07-28", Params: func(dst []byte, _ jsonrpc.ID) []byte { return append(dst, params...) }}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := link.Call(b.Context(), out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
