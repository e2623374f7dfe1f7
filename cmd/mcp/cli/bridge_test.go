package cli_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"isthmus.internal/cmd/mcp/cli"
	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/echo"
)

// bridged is a bridge over HTTP in this process.
type bridged struct {
	t      *testing.T
	url    string
	said   chan string // all that it says behind the ready line
	cancel func()
	status chan int
}

// startBridge starts a bridge to the echo fixture, to which it speaks as to a legacy server. The test
// must call end.
func startBridge(t *testing.T, args ...string) *bridged {
	t.Helper()
	e := httpmcp.Handler(echo.NewServer(slog.New(slog.DiscardHandler)), nil)
	behind := httptest.NewServer(e)
	t.Cleanup(func() {
		e.Shutdown(context.Background())
		behind.Close()
	})
	ctx, cancel := context.WithCancel(t.Context())
	said, log := io.Pipe()
	b := &bridged{t: t, said: make(chan string, 1), cancel: cancel, status: make(chan int, 1)}
	args = append([]string{"bridge", "--era", "legacy", behind.URL, "-http", "127.0.0.1:0"}, args...)
	go func() {
		defer log.Close()
		b.status <- cli.Run(ctx, args, &cli.Env{Out: io.Discard, Err: log})
	}()
	lines := bufio.NewReader(said)
	ready, _ := lines.ReadString('\n')
	go func() {
		rest, _ := io.ReadAll(lines)
		b.said <- string(rest)
	}()
	m := regexp.MustCompile(`^mcp bridge: ready on (http://127\.0\.0\.1:\d+/mcp): legacy .*; behind it echo-server 1\.0\.0, which speaks 2025-11-25\n$`).FindStringSubmatch(ready)
	if m == nil {
		cancel()
		t.Fatalf("the ready line is %q", ready)
	}
	b.url = m[1]
	return b
}

// connect connects a client, which the test must close.
func (b *bridged) connect(revision string) *mcp.Client {
	b.t.Helper()
	c, _, err := discover.Connect(b.t.Context(), httpmcp.Dial(b.url, nil), &discover.ConnectOptions{Version: revision})
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// end ends the bridge, which is to have said want behind the ready line; "" for nothing.
func (b *bridged) end(want string) {
	b.t.Helper()
	b.cancel()
	if got, said := <-b.status, <-b.said; got != cli.ExitOK || !strings.Contains(said, want) || want == "" && said != "" {
		b.t.Errorf("it ends with %d and says %q, want %q", got, said, want)
	}
}

// TestBridgeOverHTTP: the ready line says where, and clients of both eras are served there.
func TestBridgeOverHTTP(t *testing.T) {
	b := startBridge(t)
	defer b.end("")
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		c := b.connect(revision)
		r, err := c.CallTool(t.Context(), "echo", map[string]string{"text": "hi"}, nil)
		if err != nil || r.IsError || len(r.Content) != 1 {
			t.Errorf("%s: got %+v, %v", revision, r, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestBridgeMaxSessions: legacy sessions beyond the bound of the flag are refused.
func TestBridgeMaxSessions(t *testing.T) {
	b := startBridge(t, "-max-sessions", "1")
	defer b.end("a client is told of no changes")
	one, two := b.connect("2025-11-25"), b.connect("2025-11-25")
	defer one.Close()
	defer two.Close()
	if _, err := one.ListTools(t.Context(), nil, nil); err != nil {
		t.Errorf("the first: %v", err)
	}
	if _, err := two.ListTools(t.Context(), nil, nil); err == nil || !strings.Contains(err.Error(), "Too many sessions") {
		t.Errorf("the second: got %v, want it refused", err)
	}
}

// TestBridgeMisused: what cannot be served is told before anything is.
func TestBridgeMisused(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	e := httpmcp.Handler(echo.NewServer(slog.New(slog.DiscardHandler)), nil)
	behind := httptest.NewServer(e)
	defer behind.Close()
	defer e.Shutdown(context.Background())
	tests := []struct {
		name, args string
		status     int
		want       string
	}{
		{"a port in use", "-http " + taken.Addr().String() + " " + behind.URL, cli.ExitProtocol, "mcp bridge: -http: listen tcp " + taken.Addr().String()},
		{"no address", "-http 127.0.0.1 tcp:127.0.0.1:9", cli.ExitUsage, "must be HOST:PORT"},
		{"what it waits for", "-timeout 1s tcp:127.0.0.1:9", cli.ExitUsage, "there is no flag -timeout"},
		{"what it prints", "-output json tcp:127.0.0.1:9", cli.ExitUsage, "there is no flag -output"},
		{"a path without HTTP", "-path /x tcp:127.0.0.1:9", cli.ExitUsage, "-path is for HTTP"},
		{"sessions without HTTP", "-max-sessions 5 tcp:127.0.0.1:9", cli.ExitUsage, "-max-sessions is for HTTP"},
		{"no sessions", "-http 127.0.0.1:0 -max-sessions 0 tcp:127.0.0.1:9", cli.ExitUsage, "must be a number of sessions from 1 to 10000"},
		{"more than an endpoint has", "-http 127.0.0.1:0 -max-sessions 10001 tcp:127.0.0.1:9", cli.ExitUsage, "must be a number of sessions from 1 to 10000"},
		{"no server", "tcp:127.0.0.1:9", cli.ExitProtocol, "cannot connect to tcp:127.0.0.1:9"},
		{"no target", "-http 127.0.0.1:0", cli.ExitUsage, "TARGET is missing"},
	}
	for _, test := range tests {
		var said strings.Builder
		status := cli.Run(t.Context(), append([]string{"bridge"}, strings.Fields(test.args)...), &cli.Env{Out: io.Discard, Err: &said})
		if status != test.status || !strings.Contains(said.String(), test.want) {
			t.Errorf("%s: got %d and %q, want %d and %q", test.name, status, &said, test.status, test.want)
		}
	}
}
