package cli_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"isthmus.internal/cmd/mcp/cli"
	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/testfixtures/echo"
)

// TestBridgeOverHTTP: the ready line says where, and clients of both eras are served there.
func TestBridgeOverHTTP(t *testing.T) {
	e := httpmcp.Handler(echo.NewServer(slog.New(slog.DiscardHandler)), nil)
	behind := httptest.NewServer(e)
	defer behind.Close()
	defer e.Shutdown(context.Background())
	ctx, cancel := context.WithCancel(t.Context())
	said, log := io.Pipe()
	status := make(chan int, 1)
	go func() {
		defer log.Close()
		status <- cli.Run(ctx, []string{"bridge", "--era", "legacy", behind.URL, "-http", "127.0.0.1:0"}, &cli.Env{Out: io.Discard, Err: log})
	}()
	lines := bufio.NewReader(said)
	ready, _ := lines.ReadString('\n')
	m := regexp.MustCompile(`^mcp bridge: ready on (http://127\.0\.0\.1:\d+/mcp): legacy .*; behind it echo-server 1\.0\.0, which speaks 2025-11-25\n$`).FindStringSubmatch(ready)
	if m == nil {
		t.Errorf("the ready line is %q", ready)
	}
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		if m == nil {
			break
		}
		c, _, err := discover.Connect(ctx, httpmcp.Dial(m[1], nil), &discover.ConnectOptions{Version: revision})
		if err != nil {
			t.Error(err)
			continue
		}
		r, err := c.CallTool(ctx, "echo", map[string]string{"text": "hi"}, nil)
		if err != nil || r.IsError || len(r.Content) != 1 {
			t.Errorf("%s: got %+v, %v", revision, r, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	cancel()
	rest, _ := io.ReadAll(lines)
	if got := <-status; got != cli.ExitOK || len(rest) > 0 {
		t.Errorf("it ends with %d and says %q", got, rest)
	}
}

// TestBridgeMisused: what cannot be served is told before anything is.
func TestBridgeMisused(t *testing.T) {
	tests := []struct {
		name, args string
		status     int
		want       string
	}{
		{"a path without HTTP", "-path /x tcp:127.0.0.1:9", cli.ExitUsage, "-path is for HTTP"},
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
