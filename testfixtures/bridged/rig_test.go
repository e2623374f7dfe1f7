package bridged_test

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/discover/bridge"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// upstreams are the revisions of servers.
var upstreams = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// origin is a server that is reached over streams, as often as anybody dials.
type origin struct {
	server  *mcp.Server
	serving sync.WaitGroup
	mu      sync.Mutex
	ends    []net.Conn // of the connections, the oldest first
}

func (o *origin) dial() discover.Transport {
	near, far := net.Pipe()
	o.mu.Lock()
	o.ends = append(o.ends, far)
	o.mu.Unlock()
	o.serving.Go(func() { _ = stdio.ServeStream(context.Background(), far, o.server, nil) }) // which may be broken off
	return stdio.Stream(near, nil)
}

// dialled is how often anybody has dialled.
func (o *origin) dialled() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.ends)
}

// kill breaks off all connections.
func (o *origin) kill() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, end := range o.ends {
		_ = end.Close()
	}
}

// bridging puts a bridge before a server.
func bridging(t testing.TB, s *mcp.Server, o bridge.Options) (*bridge.Bridge, *origin) {
	t.Helper()
	from := &origin{server: s}
	if o.Logger == nil {
		o.Logger = quiet()
	}
	b, err := bridge.New(context.Background(), from.dial, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		from.kill() // what was dialled and not used
		from.serving.Wait()
	})
	return b, from
}

// behind is a server behind a bridge that speaks a revision to it.
func behind(build func() *mcp.Server, revision string) func(testing.TB) *mcp.Server {
	return func(t testing.TB) *mcp.Server {
		t.Helper()
		b, _ := bridging(t, build(), bridge.Options{Version: revision})
		return b.Server()
	}
}
