package clients_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/stdio"
)

// parrot answers each line with the same result, and allocates nothing for it. Of a line it
// finds the id alone, which is a number.
func parrot(rw io.ReadWriter, result string) {
	lines := bufio.NewReaderSize(rw, 64<<10)
	var answer []byte
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return
		}
		_, id, ok := bytes.Cut(line, []byte(`"id":`))
		if !ok {
			continue
		}
		answer = append(answer[:0], `{"jsonrpc":"2.0","id":`...)
		answer = append(answer, id[:bytes.IndexAny(id, ",}")]...)
		answer = append(append(append(answer, `,"result":`...), result...), "}\n"...)
		if _, err := rw.Write(answer); err != nil {
			return
		}
	}
}

// parroted is a call of a tool through the whole client, down to a stream. The server
// allocates nothing, so what it costs is the client's.
func parroted(t testing.TB, revision string) (call func()) {
	t.Helper()
	const result = `{"resultType":"complete","content":[{"type":"text","text":"hello"}],` +
		`"protocolVersion":"2025-11-25","serverInfo":{"name":"n","version":"0"},"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`
	near, far := net.Pipe()
	go parrot(far, result)
	c, _, err := discover.Connect(context.Background(), stdio.Stream(near, nil), &discover.ConnectOptions{Version: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	var arguments any = jsonrpc.Raw(`{"text":"hello"}`)
	ctx := context.Background()
	return func() {
		if _, err := c.CallTool(ctx, "echo", arguments, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCallCost: a call allocates fifteen times at the most.
func TestCallCost(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		if got := testing.AllocsPerRun(1000, parroted(t, revision)); got > 15 {
			t.Errorf("%s: a call allocates %v times, want 15 at the most", revision, got)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		b.Run(revision, func(b *testing.B) {
			call := parroted(b, revision)
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
		})
	}
}
