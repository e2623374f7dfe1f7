package cli_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"isthmus.internal/cmd/mcp/cli"
	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/echo"
)

// TestAdviceOnTime: who has waited in vain is told of -timeout by the commands that have it, and by no
// other one.
func TestAdviceOnTime(t *testing.T) {
	for _, name := range cli.Names() {
		if name == "wire" {
			continue
		}
		_, help, _ := command(t, name, "-h")
		said := cli.Unreached(name, fmt.Errorf("late: %w", context.DeadlineExceeded))
		if has := strings.Contains(help, "  -timeout "); strings.Contains(said, "\n-timeout gives it longer; mcp wire") != has ||
			!strings.HasSuffix(said, "mcp wire before the command shows what was said.") {
			t.Errorf("mcp %s, which has the flag: %t, says %q", name, has, said)
		}
	}
}

// TestAdviceWhileConnected: where a connection has worked an answer that is none does not have the URL
// looked at.
func TestAdviceWhileConnected(t *testing.T) {
	e := httpmcp.Handler(echo.NewServer(slog.New(slog.DiscardHandler)), nil)
	t.Cleanup(func() { e.Shutdown(context.Background()) })
	for _, tt := range []struct {
		name, kind string
		status     int
		body, want string
	}{
		{"a page", "text/html", 200, "<html>", `the server gives an answer that is none of MCP: 200 OK (Content-Type "text/html"): <html>`},
		{"another id", "application/json", 200, `{"jsonrpc":"2.0","id":7,"result":{}}`, "the server gives an answer that is none of MCP: 200 OK"},
		{"nothing there", "text/plain", 404, "gone", "the server has rejected the request: 404 Not Found: gone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Mcp-Method") != "tools/call" {
					e.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Content-Type", tt.kind)
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			}))
			defer s.Close()
			const hint = "\nmcp wire before the command shows what was said.\n"
			status, out, said := command(t, "call", s.URL, "echo", "text=x")
			if status != cli.ExitProtocol || out != "" || !strings.Contains(said, "mcp call: "+tt.want) || !strings.HasSuffix(said, hint) || strings.Contains(said, "URL") {
				t.Errorf("got: %d %q %q\nwant: %d, %q and %q", status, out, said, cli.ExitProtocol, tt.want, hint)
			}
		})
	}
}

// TestUnknownResource: the hint is the same in both eras, whose codes differ.
func TestUnknownResource(t *testing.T) {
	s := mcp.NewServer("test", "1", nil)
	s.AddResource(mcp.Resource{URI: "a:b", Name: "b"}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) { return nil, mcp.ErrResourceNotFound })
	url := overHTTP(t, s)
	for era, code := range map[string]int{"legacy": -32002, "modern": -32602} {
		want := fmt.Sprintf("mcp read: the server answers with error %d: Unknown resource: a:c\nmcp tools, resources and prompts show the names, and what belongs to each.\n", code)
		if status, out, said := command(t, "read", "--era", era, url, "a:c"); status != cli.ExitProtocol || out != "" || said != want {
			t.Errorf("%s\n got: %d %q %q\nwant: %d %q", era, status, out, said, cli.ExitProtocol, want)
		}
	}
}

// TestRawUnreached: raw tells of a server that cannot be reached as all commands do.
func TestRawUnreached(t *testing.T) {
	const want = "mcp raw: cannot connect to http://127.0.0.1:9/: dial tcp 127.0.0.1:9: connect: connection refused\n" +
		"Nothing listens there. Is the server running, and is the address right?\n"
	status, out, said := runMCP(t, &cli.Env{In: strings.NewReader("{}\n")}, "raw", "http://127.0.0.1:9/")
	if status != cli.ExitProtocol || out != "" || said != want {
		t.Errorf("got: %d %q %q\nwant: %d %q", status, out, said, cli.ExitProtocol, want)
	}
}

// TestTooLongAnswer: of what is too long the user learns the bound, and no name of the Go API.
func TestTooLongAnswer(t *testing.T) {
	target := hostile(t, func(m message, send func(string, ...any)) {
		of := unescaped(modern())
		of["tools/list"] = `{"x":"` + strings.Repeat("x", 16<<20) + `"}`
		results(of)(m, send)
	})
	const want = "mcp tools: the peer sent a response that is none: Message too long: at most 16777216 bytes a line\n"
	status, out, said := runMCP(t, &cli.Env{}, "tools", target)
	if status != cli.ExitProtocol || out != "" || !strings.HasSuffix(said, want) || strings.Contains(said, "MaxMessage") {
		t.Errorf("got: %d %q %q\nwant: %d %q", status, out, said, cli.ExitProtocol, want)
	}
}

// TestLogLevel: what is less grave than -log is not shown, though the server sends it.
func TestLogLevel(t *testing.T) {
	const log = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"%s","data":"x"}}`
	target := hostile(t, func(m message, send func(string, ...any)) {
		if m.Method == "tools/call" {
			for _, level := range []string{"debug", "info", "error", "alert"} {
				send(log, level)
			}
		}
		results(map[string]string{
			"initialize":       `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"n","version":"1"}}`,
			"logging/setLevel": `{}`,
			"tools/list":       `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`,
			"tools/call":       `{"content":[]}`,
		})(m, send)
	})
	for _, tt := range []struct{ args, want string }{
		{"", "debug: x\ninfo: x\nerror: x\nalert: x\n"},
		{"-log debug", "debug: x\ninfo: x\nerror: x\nalert: x\n"},
		{"-log notice", "error: x\nalert: x\n"},
		{"-log error", "error: x\nalert: x\n"},
		{"-log emergency", ""},
		{"-log debug -quiet", ""},
	} {
		args := append([]string{"call", "-era", "legacy", target, "a"}, strings.Fields(tt.args)...)
		if status, _, said := runMCP(t, &cli.Env{}, args...); status != cli.ExitOK || said != tt.want {
			t.Errorf("%q: exit status %d, got %q, want %q", tt.args, status, said, tt.want)
		}
	}
}
