package discover_test

import (
	"context"
	"log/slog"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// mute is a transport, and its link, that answers every request with the same result, and
// costs nothing itself.
type mute struct {
	result jsonrpc.Raw
	buf    []byte
	done   chan struct{}
}

func (m *mute) Modern(context.Context, jsonrpc.Handler, *slog.Logger) (mcp.Link, error) {
	return m, nil
}

func (m *mute) Legacy(context.Context, jsonrpc.Handler, *slog.Logger) (mcp.Link, error) {
	return m, nil
}

var benchID = jsonrpc.IntID(7)

func (m *mute) Call(_ context.Context, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	m.buf = out.Params(m.buf[:0], benchID)
	return m.result, nil
}

func (m *mute) Notify(context.Context, *mcp.Outgoing) error { return nil }
func (m *mute) Done() <-chan struct{}                       { return m.done }
func (m *mute) Err() error                                  { return nil }
func (m *mute) Close() error                                { return nil }

// exchangeOf is the exchange that Connect makes over a transport that costs nothing.
func exchangeOf(tb testing.TB, o discover.ConnectOptions) mcp.Exchange {
	tb.Helper()
	m := &mute{result: jsonrpc.Raw(`{"resultType":"complete","content":[{"type":"text","text":"hello"}]}`), done: make(chan struct{})}
	close(m.done)
	o.Known = &discover.Verdict{Era: mcp.Modern, Version: "2026-07-28"}
	x, err := discover.ExchangeFor(tb.Context(), m, &o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { x.Close() })
	return x
}

// BenchmarkModernExchange is what the modern era adds to a call of a client: from the params
// of the call to those that are sent, and from the result that comes to the one of the call.
func BenchmarkModernExchange(b *testing.B) {
	for name, o := range map[string]discover.ConnectOptions{"forced": {Era: mcp.Modern}, "presumed": {}} {
		b.Run(name, func(b *testing.B) {
			x := exchangeOf(b, o)
			r := &mcp.ClientRequest{Method: "tools/call", Params: jsonrpc.Raw(`{"name":"echo","arguments":{"text":"hello"}}`)}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Call(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestModernExchangeAllocations: the exchange makes the request itself, and what writes it.
func TestModernExchangeAllocations(t *testing.T) {
	if race {
		t.Skip("the race detector allocates")
	}
	x := exchangeOf(t, discover.ConnectOptions{})
	r := &mcp.ClientRequest{Method: "tools/call", Params: jsonrpc.Raw(`{"name":"echo"}`)}
	got := testing.AllocsPerRun(100, func() {
		if _, err := x.Call(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	})
	if got > 2 {
		t.Errorf("a call allocates %v times, want at most 2", got)
	}
}
