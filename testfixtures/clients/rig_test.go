package clients_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
	"isthmus.internal/stdio"
)

var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// patience is how long anything may take that must happen.
const patience = 20 * time.Second

// way is a transport, with a server behind it.
type way struct {
	name string
	only string // the one revision that has it; "" for all
	dial func(t *testing.T, s *mcp.Server) discover.Transport
}

var ways = []way{
	{"stream", "", func(t *testing.T, s *mcp.Server) discover.Transport {
		near, far := net.Pipe()
		served := make(chan error, 1)
		go func() { served <- stdio.ServeStream(context.Background(), far, s, nil) }()
		t.Cleanup(func() {
			_ = near.Close()
			<-served
		})
		return stdio.Stream(near, nil)
	}},
	{"http", "", func(t *testing.T, s *mcp.Server) discover.Transport { return endpoint(t, httpmcp.Handler(s, nil)) }},
	{"sse", "2024-11-05", func(t *testing.T, s *mcp.Server) discover.Transport { return endpoint(t, httpmcp.SSEHandler(s, nil)) }},
}

// endpoint serves over HTTP until the test ends.
func endpoint(t *testing.T, e interface {
	http.Handler
	Shutdown(context.Context) error
}) discover.Transport {
	server := httptest.NewServer(e)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := e.Shutdown(ctx); err != nil {
			t.Errorf("the endpoint does not end: %v", err)
		}
		server.Close()
	})
	return httpmcp.Dial(server.URL, nil)
}

// each runs body with a client of each revision, over each transport, of a server that
// build has filled.
func each(t *testing.T, o mcp.ClientOptions, build func(s *mcp.Server), body func(t *testing.T, c *mcp.Client, s *mcp.Server)) {
	t.Helper()
	for _, revision := range revisions {
		for _, w := range ways {
			if w.only != "" && w.only != revision {
				continue
			}
			t.Run(revision+"/"+w.name, func(t *testing.T) {
				s := mcp.NewServer("clients", "1.0.0", &mcp.ServerOptions{
					Logger: slog.New(slog.DiscardHandler), PageSize: 2, Keys: seal.RandomKeys(), ProgressInterval: -1, Logging: true, Instructions: "none"})
				build(s)
				body(t, connect(t, w.dial(t, s), revision, o), s)
			})
		}
	}
}

// connect connects a client that speaks a revision, and closes it with the test.
func connect(t *testing.T, to discover.Transport, revision string, o mcp.ClientOptions) *mcp.Client {
	t.Helper()
	c, verdict, err := discover.Connect(t.Context(), to, &discover.ConnectOptions{Client: &o, Version: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	if c.ProtocolVersion() != revision || verdict.Version != revision {
		t.Fatalf("the client speaks %s, and the verdict is %s; want %s", c.ProtocolVersion(), verdict.Version, revision)
	}
	return c
}

// soon waits for something that must come.
func soon[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come within %v", what, patience)
		panic("unreachable")
	}
}

// same fails the test when got is not want.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n got %s\nwant %s", what, got, want)
	}
}
