package legacy_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// TestHandshake: each revision can be forced, and is spoken from then on.
func TestHandshake(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			l := serve(declaresAll)
			x := connect(t, l, &mcp.ClientOptions{Info: mcp.Implementation{Name: "n", Version: "1"}}, version)
			if err := x.Ping(t.Context()); err != nil {
				t.Error(err)
			}
			lines(t, "sent", l.lines,
				`quiet initialize {"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"n","version":"1"}}`,
				version+" notifications/initialized",
				version+" ping")
			d, err := x.Discover(t.Context())
			if err != nil || d != x.Server() {
				t.Fatalf("Discover: %v, %v", d, err)
			}
			same(t, "Form", x.Form().Revision, version)
			same(t, "SupportedVersions", fmt.Sprint(d.SupportedVersions), "["+version+"]")
			same(t, "Instructions", d.Instructions, "Use it.")
			same(t, "the server's name", string(d.Meta[mcp.MetaServerInfo]), `{"name":"srv","version":"9","x":1}`)
			if !d.Capabilities.Logging || !d.Capabilities.Resources.Subscribe {
				t.Errorf("Capabilities: %+v", d.Capabilities)
			}
			if got, want := x.AllowBatch() == nil, version == "2025-03-26"; got != want {
				t.Errorf("batches are taken: %t, want %t", got, want)
			}
		})
	}
}

// TestVersionsAnswered is what comes of a server's choice of another version.
func TestVersionsAnswered(t *testing.T) {
	tests := []struct{ name, forced, answered, want string }{
		{"the newest", "", "2025-11-25", "2025-11-25"},
		{"an older one", "", "2024-11-05", "2024-11-05"},
		{"one between", "", "2025-03-26", "2025-03-26"},
		{"modern", "", "2026-07-28", `error: legacy: initialize for version "2025-11-25" was answered with version "2026-07-28"; this client has a handshake for 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05: do not force the version or the era, or use a newer one of either program`},
		{"unknown", "", "1.0", `error: legacy: initialize for version "2025-11-25" was answered with version "1.0"; this client`},
		{"none", "", "", `was answered with version ""; this client`},
		{"not the forced one", "2025-03-26", "2025-06-18", `error: legacy: initialize for version "2025-03-26" was answered with version "2025-06-18"; this client`},
		{"forced and unknown", "1.0", "1.0", `error: legacy: version "1.0" cannot be asked for: it is none of ["2025-11-25"`},
		{"forced and modern", "2026-07-28", "2026-07-28", `error: legacy: version "2026-07-28" cannot be asked for`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := serve(`{}`)
			l.onlyFor("initialize", func(context.Context, string) (string, error) { return welcome(test.answered, `{}`), nil })
			if got := opened(t, l, test.forced); !strings.Contains(got, test.want) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// opened is the version of a session that is opened over the link, or the error. It must
// leave nothing behind.
func opened(t *testing.T, l *link, forced string) string {
	t.Helper()
	x := legacy.NewClient(mcp.NewClient(nil), &legacy.ClientOptions{Version: forced})
	if err := x.Open(t.Context(), l); err != nil {
		return "error: " + err.Error()
	}
	defer x.Close()
	return x.Form().Revision
}

// TestInitializeRefused: a server that refuses a version says with which one to try again.
func TestInitializeRefused(t *testing.T) {
	refuse := func(data string) error {
		return &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "Unsupported protocol version", Data: jsonrpc.Raw(data)}
	}
	tests := []struct {
		name, forced string
		err          error
		want         string
		tries        int
	}{
		{"one in common", "", refuse(`{"supported":["2024-11-05"],"requested":"2025-11-25"}`), "2024-11-05", 2},
		{"the newest in common", "", refuse(`{"supported":["x","2024-11-05","2025-06-18",5]}`), "2025-06-18", 2},
		{"the one that was asked for", "", refuse(`{"supported":["2025-11-25"]}`), `initialize for version "2025-11-25": the server supports ["2025-11-25"]`, 1},
		{"modern alone", "", refuse(`{"supported":["2026-07-28"]}`), `initialize for version "2025-11-25": the server supports ["2026-07-28"]; this client has a handshake for 2025-11-25, `, 1},
		{"forced", "2025-03-26", refuse(`{"supported":["2024-11-05"]}`), `initialize for version "2025-03-26": the server supports ["2024-11-05"]; this client`, 1},
		{"data is no object", "", refuse(`"supported"`), `initialize for version "2025-11-25": jsonrpc: error -32602: Unsupported`, 1},
		{"no data", "", refuse(``), `initialize for version "2025-11-25": jsonrpc: error -32602: Unsupported`, 1},
		{"no such method", "", jsonrpc.Errorf(jsonrpc.MethodNotFound, "no"), `initialize for version "2025-11-25": jsonrpc: error -32601: no`, 1},
		{"no answer", "", &mcp.Rejected{Status: 404, Reason: "404 Not Found"}, `initialize for version "2025-11-25": mcp: the server has rejected the request: 404 Not Found`, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := serve(`{}`)
			first := true
			answer := l.answer
			l.answer = func(ctx context.Context, out *mcp.Outgoing, params string) (string, error) {
				if first && out.Method == "initialize" {
					first = false
					return "", test.err
				}
				return answer(ctx, out, params)
			}
			if got := opened(t, l, test.forced); !strings.Contains(got, test.want) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if got := l.handshakes(); got != test.tries {
				t.Errorf("initialize was sent %d times, want %d", got, test.tries)
			}
		})
	}
	x := legacy.NewClient(mcp.NewClient(nil), nil)
	l := serve(`{}`)
	l.onlyFor("initialize", func(context.Context, string) (string, error) { return "", jsonrpc.Errorf(-5, "no") })
	if err := x.Open(t.Context(), l); !errors.Is(err, &jsonrpc.Error{Code: -5}) {
		t.Errorf("the server's error is not in %v", err)
	}
	if _, err := x.Discover(t.Context()); err == nil {
		t.Error("Discover succeeds without a session")
	}
	if err := x.Ping(t.Context()); err == nil {
		t.Error("Ping succeeds without a session")
	}
}

// TestInitializeAnswered: what is no result of initialize opens no session, and the error
// names the place.
func TestInitializeAnswered(t *testing.T) {
	tests := []struct{ name, result, want string }{
		{"nothing in it", `{}`, "result.protocolVersion must be there"},
		{"an array", `[]`, "result must be an object"},
		{"null", `null`, "result must be an object"},
		{"an answer to server/discover", `{"supportedVersions":["2026-07-28"],"capabilities":{}}`, "result.protocolVersion must be there"},
		{"version is a number", `{"protocolVersion":1,"capabilities":{},"serverInfo":{"name":"n","version":"1"}}`, "result.protocolVersion must be a string"},
		{"no name", `{"protocolVersion":"2025-11-25","capabilities":{}}`, "result.serverInfo must be there"},
		{"capabilities are an array", `{"protocolVersion":"2025-11-25","capabilities":[],"serverInfo":{"name":"n","version":"1"}}`, "result.capabilities must be an object"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := serve(`{}`)
			l.onlyFor("initialize", func(context.Context, string) (string, error) { return test.result, nil })
			if got := opened(t, l, ""); !strings.Contains(got, test.want) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestHandshakeGivenUp: the client waits no longer, and the server is not told (B94).
func TestHandshakeGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := serve(`{}`)
	l.onlyFor("initialize", func(ctx context.Context, _ string) (string, error) {
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	})
	x := legacy.NewClient(mcp.NewClient(nil), nil)
	if err := x.Open(ctx, l); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v", err)
	}
	if len(l.lines) != 1 || !strings.HasPrefix(l.lines[0], "quiet initialize ") {
		t.Errorf("sent: %q", l.lines)
	}
}

// TestDeclared: a revision is told what it knows of what the client can be asked for.
func TestDeclared(t *testing.T) {
	all := &mcp.ClientOptions{
		Elicit: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, nil }, ElicitURL: true,
		Sample: func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error) { return nil, nil }, SampleTools: true,
		Roots:        func(context.Context) ([]mcp.Root, error) { return nil, nil },
		Extensions:   map[string]jsonrpc.Raw{"a/b": jsonrpc.Raw(`{}`)},
		Experimental: map[string]jsonrpc.Raw{"e": jsonrpc.Raw(`{}`)},
	}
	for _, version := range versions {
		l := serve(`{}`)
		connect(t, l, all, version)
		first := l.lines[0]
		for mark, want := range map[string]bool{
			`"roots":{}`: true, `"sampling":{`: true, `"experimental":{"e":{}}`: true,
			`"elicitation":`: version >= "2025-06-18", `"url":{}`: version >= "2025-11-25", `"extensions":`: false,
		} {
			if got := strings.Contains(first, mark); got != want {
				t.Errorf("%s: declared %s: %t, want %t\n%s", version, mark, got, want, first)
			}
		}
	}
}
