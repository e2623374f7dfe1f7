package legacy_test

import (
	"context"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// straight is a link that answers at once, and writes what it would send.
type straight struct {
	*link
	sent   []byte
	result jsonrpc.Raw
}

func (s *straight) Call(_ context.Context, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	s.sent = s.sent[:0]
	if out.Params != nil {
		s.sent = out.Params(s.sent, jsonrpc.ID{})
	}
	return s.result, nil
}

// BenchmarkClientCall is what the exchange of the legacy era adds to a call: beside it stands
// the link alone.
func BenchmarkClientCall(b *testing.B) {
	params := jsonrpc.Raw(`{"name":"echo","arguments":{"text":"hello"}}`)
	l := &straight{link: serve(`{}`), result: jsonrpc.Raw(welcome("2025-11-25", `{}`))}
	x := legacy.NewClient(mcp.NewClient(nil), nil)
	if err := x.Open(b.Context(), l); err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	call := func(r mcp.ClientRequest) func(b *testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := r
				if _, err := x.Call(b.Context(), &r); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("link", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out := mcp.Outgoing{Method: "tools/call", Version: "2025-11-25",
				Params: func(dst []byte, _ jsonrpc.ID) []byte { return append(dst, params...) }}
			if _, err := l.Call(b.Context(), &out); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", call(mcp.ClientRequest{Method: "tools/call", Params: params}))
	b.Run("progress", call(mcp.ClientRequest{Method: "tools/call", Params: params, Progress: func(mcp.ProgressParams) {}}))
	b.Run("meta", call(mcp.ClientRequest{Method: "tools/call", Params: params, Meta: mcp.Meta{"a": jsonrpc.Raw(`1`)}}))
}
