package eras_test

import (
	"context"
	"log/slog"
	"net"
	"net/http/httptest"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/asks"
	"isthmus.internal/testfixtures/echo"
	"isthmus.internal/testfixtures/everything"
	"isthmus.internal/testfixtures/notes"
)

// patience is how long anything may take that must happen.
const patience = 20 * time.Second

// mode is a way to say which era is to be spoken, and what is to be spoken then.
type mode struct {
	name    string
	o       discover.ConnectOptions
	era     mcp.Eras
	version string
	sends   bool // connecting sends something
}

// modes are all of them: found out, forced, and known from before.
func modes() []mode {
	all := []mode{
		{"auto", discover.ConnectOptions{}, mcp.Modern, "2026-07-28", true},
		{"modern", discover.ConnectOptions{Era: mcp.Modern}, mcp.Modern, "2026-07-28", true},
		{"legacy", discover.ConnectOptions{Era: mcp.Legacy}, mcp.Legacy, "2025-11-25", true},
		{"known modern", discover.ConnectOptions{Known: &discover.Verdict{Era: mcp.Modern, Version: "2026-07-28"}}, mcp.Modern, "2026-07-28", false},
		{"known legacy", discover.ConnectOptions{Known: &discover.Verdict{Era: mcp.Legacy, Version: "2024-11-05"}}, mcp.Legacy, "2025-11-25", true},
		{"known and forced", discover.ConnectOptions{Era: mcp.Modern, Known: &discover.Verdict{Era: mcp.Modern, Version: "2026-07-28"}}, mcp.Modern, "2026-07-28", false},
	}
	for _, version := range legacy.Versions() {
		all = append(all, mode{version, discover.ConnectOptions{Version: version}, mcp.Legacy, version, true})
	}
	for _, version := range discover.Versions() {
		all = append(all, mode{version, discover.ConnectOptions{Version: version}, mcp.Modern, version, true})
	}
	return all
}

// ways are the transports.
var ways = []struct {
	name string
	dial func(t *testing.T, s *mcp.Server) discover.Transport
}{
	{"stream", func(t *testing.T, s *mcp.Server) discover.Transport {
		near, far := net.Pipe()
		served := make(chan error, 1)
		go func() { served <- stdio.ServeStream(context.Background(), far, s, nil) }()
		t.Cleanup(func() {
			near.Close()
			<-served
		})
		return stdio.Stream(near, nil)
	}},
	{"http", func(t *testing.T, s *mcp.Server) discover.Transport {
		endpoint := httpmcp.Handler(s, nil)
		server := httptest.NewServer(endpoint)
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := endpoint.Shutdown(ctx); err != nil {
				t.Errorf("the endpoint does not end: %v", err)
			}
			server.Close()
		})
		return httpmcp.Dial(server.URL, nil)
	}},
}

// fixtures make the servers.
var fixtures = map[string]func() *mcp.Server{
	"echo":  func() *mcp.Server { return echo.NewServer(quiet) },
	"notes": func() *mcp.Server { return notes.NewServer(quiet, notes.Default()) },
	"everything": func() *mcp.Server {
		return everything.NewServer(&everything.Options{Logger: quiet, Keys: seal.RandomKeys()})
	},
	"asks": func() *mcp.Server { return asks.NewServer(seal.RandomKeys(), nil).Server },
}

var quiet = slog.New(slog.DiscardHandler)

// each runs body with a client of the fixture in every mode and over each transport.
func each(t *testing.T, fixture string, o mcp.ClientOptions, body func(t *testing.T, c *mcp.Client)) {
	t.Helper()
	for _, w := range ways {
		for _, m := range modes() {
			t.Run(w.name+"/"+m.name, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				m.o.Client = &o
				c, verdict, err := discover.Connect(ctx, w.dial(t, fixtures[fixture]()), &m.o)
				if err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := c.Close(); err != nil {
						t.Errorf("close: %v", err)
					}
					<-c.Done()
				}()
				if verdict.Era != m.era || verdict.Version != m.version || c.Era() != m.era || c.ProtocolVersion() != m.version {
					t.Fatalf("got %v and a client of %s, want %s", verdict, c.ProtocolVersion(), m.version)
				}
				if known := c.Server() != nil; known != m.sends {
					t.Errorf("the server is known: %t, want %t", known, m.sends)
				}
				body(t, c)
			})
		}
	}
}

// call calls a tool whose result is one text.
func call(t *testing.T, c *mcp.Client, tool, arguments string, o *mcp.CallOptions) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var in any
	if arguments != "" {
		in = jsonrpc.Raw(arguments)
	}
	text, err := mcp.CallTool[string](ctx, c, tool, in, o)
	if err != nil {
		t.Errorf("%s: %v", tool, err)
	}
	return text
}
