package cli_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"isthmus.internal/cmd/mcp/cli"
	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// TestListenTellsOfWhat: listen says to what of that which was asked for it listens, and of each uri
// that it is not told of that this is so, in both eras.
func TestListenTellsOfWhat(t *testing.T) {
	const refused = ": the server does not tell of it (mcp resources lists what there is)\n"
	for _, tt := range []struct{ name, uris, want string }{
		{"none", "", "listening to the list of resources\n"},
		{"one that is there", "a:b", "listening to the list of resources, a:b\n"},
		{"one that is not", "no:such", "listening to the list of resources\nnot to no:such" + refused},
		{"one of three", "no:1 a:b no:2", "listening to the list of resources, a:b\nnot to no:1" + refused + "not to no:2" + refused},
	} {
		for _, era := range []string{"legacy", "modern"} {
			t.Run(tt.name+", "+era, func(t *testing.T) {
				s := mcp.NewServer("s", "1", nil)
				s.AddResource(mcp.Resource{URI: "a:b", Name: "b"}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
					return nil, nil
				})
				args := []string{"listen", "--era", era, overHTTP(t, s)}
				for _, uri := range strings.Fields(tt.uris) {
					args = append(args, "--uri", uri)
				}
				ctx, interrupt := context.WithCancel(context.Background())
				defer interrupt()
				terminal, ended := newScreen(), make(chan int, 1)
				go func() {
					ended <- cli.Run(ctx, args, &cli.Env{In: strings.NewReader(""), Out: io.Discard, Err: terminal})
				}()
				terminal.await(t, tt.want)
				interrupt()
				select {
				case status := <-ended:
					if got := terminal.String(); status != cli.ExitOK || got != tt.want {
						t.Errorf("mcp %q\n got: %d %q\nwant: %d %q", args, status, got, cli.ExitOK, tt.want)
					}
				case <-time.After(patience):
					t.Fatalf("mcp %q does not end when it is interrupted", args)
				}
			})
		}
	}
}

// TestListenThroughOutages: of a server of the legacy era that is gone the user is told once, and once
// more when it is there again; one that is gone at the end is not expected to end the session.
func TestListenThroughOutages(t *testing.T) {
	const (
		begun = "listening to nothing: the server tells of no changes\n"
		gone  = "mcp: the server cannot be reached, and is tried again, error: the server has rejected the request: 503 Service Unavailable\n"
		back  = "mcp: the server is there again\n"
	)
	h := httpmcp.Handler(mcp.NewServer("s", "1", nil), nil)
	defer h.Shutdown(context.Background())
	var down atomic.Bool
	refused := make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			refused <- struct{}{}
			return
		}
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	goDown := func() {
		down.Store(true)
		server.CloseClientConnections()
	}
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	terminal, ended := newScreen(), make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, []string{"listen", "--era", "legacy", server.URL}, &cli.Env{In: strings.NewReader(""), Out: io.Discard, Err: terminal})
	}()
	terminal.await(t, begun)
	goDown()
	for range 2 {
		<-refused
	}
	down.Store(false)
	terminal.await(t, begun+gone+back)
	goDown()
	terminal.await(t, back+gone)
	interrupt()
	if status, got, want := <-ended, terminal.String(), begun+gone+back+gone; status != cli.ExitOK || got != want {
		t.Errorf("got: %d %q\nwant: %d %q", status, got, cli.ExitOK, want)
	}
}
