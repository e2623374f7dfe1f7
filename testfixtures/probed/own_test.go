package probed_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/echo"
	"isthmus.internal/testfixtures/everything"
	"isthmus.internal/testfixtures/notes"
)

// owns are the fixture servers of this project, which serve both eras.
var owns = map[string]func() *mcp.Server{
	"echo":  func() *mcp.Server { return echo.NewServer(slog.New(slog.DiscardHandler)) },
	"notes": func() *mcp.Server { return notes.NewServer(slog.New(slog.DiscardHandler), notes.Default()) },
	"everything": func() *mcp.Server {
		return everything.NewServer(&everything.Options{Logger: slog.New(slog.DiscardHandler)})
	},
}

// endpoint is one of those of package httpmcp.
type endpoint interface {
	http.Handler
	Shutdown(context.Context) error
}

// overHTTP serves behind an endpoint.
func overHTTP[E endpoint](make func(*mcp.Server, *httpmcp.Options) E, o *httpmcp.Options) func(*mcp.Server) (discover.Transport, func()) {
	return func(s *mcp.Server) (discover.Transport, func()) {
		e := make(s, o)
		site := httptest.NewServer(e)
		return httpmcp.Dial(site.URL, nil), func() {
			e.Shutdown(context.Background())
			site.Close()
		}
	}
}

// ways are those to reach a server that package eras does not have, and the eras that can be
// spoken there.
var ways = []struct {
	name string
	open func(*mcp.Server) (discover.Transport, func())
	eras mcp.Eras
}{
	{"HTTP without sessions", overHTTP(httpmcp.Handler, &httpmcp.Options{Stateless: true}), mcp.Both},
	{"HTTP with SSE", overHTTP(httpmcp.SSEHandler, nil), mcp.Legacy},
}

// The servers of this project are found modern where they are, and each era and revision is
// spoken where it is asked for.
func TestClientFindsOwn(t *testing.T) {
	for _, way := range ways {
		for name, build := range owns {
			for _, m := range modes() {
				t.Run(way.name+", "+name+", "+m.name, func(t *testing.T) {
					tr, stop := way.open(build())
					defer stop()
					findOwn(t, tr, way.eras, m)
				})
			}
		}
	}
}

// mode is a way to connect, and what a server of both eras is then spoken to in.
type mode struct {
	name    string
	o       discover.ConnectOptions
	era     mcp.Eras
	version string
}

func modes() []mode {
	modern, newest := discover.Versions()[0], legacy.Versions()[0]
	all := []mode{
		{"auto", discover.ConnectOptions{}, mcp.Modern, modern},
		{"modern", discover.ConnectOptions{Era: mcp.Modern}, mcp.Modern, modern},
		{"legacy", discover.ConnectOptions{Era: mcp.Legacy}, mcp.Legacy, newest},
		{modern, discover.ConnectOptions{Version: modern}, mcp.Modern, modern},
	}
	for _, version := range legacy.Versions() {
		all = append(all, mode{version, discover.ConnectOptions{Version: version}, mcp.Legacy, version})
	}
	return all
}

// findOwn connects to a server, of these eras where it is, and lists its tools.
func findOwn(t *testing.T, tr discover.Transport, eras mcp.Eras, m mode) {
	c, verdict, err := discover.Connect(t.Context(), tr, &m.o)
	if m.era&eras == 0 && m.name != "auto" {
		if err == nil {
			t.Errorf("there is a connection: %s", verdict)
			c.Close()
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if m.era&eras == 0 {
		m.era, m.version = mcp.Legacy, legacy.Versions()[0]
	}
	if verdict.Era != m.era || verdict.Version != m.version || c.ProtocolVersion() != m.version {
		t.Errorf("got %s, and the client speaks %s, want %s %s", verdict, c.ProtocolVersion(), m.era.String(), m.version)
	}
	tools := 0
	for _, err := range c.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		tools++
	}
	if tools == 0 {
		t.Error("there are no tools")
	}
}
