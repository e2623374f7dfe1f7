package cases_test

import (
	"log/slog"
	"os"
	"testing"

	"isthmus.internal/jsonrpc/leaktest"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/everything"
)

func TestMain(m *testing.M) { os.Exit(leaktest.Run(m)) }

// all makes the fixture that does everything.
func all(testing.TB) *mcp.Server {
	return everything.NewServer(&everything.Options{Logger: slog.New(slog.DiscardHandler)})
}

// with makes a server that a test fills itself.
func with(fill func(s *mcp.Server)) func(testing.TB) *mcp.Server {
	return func(testing.TB) *mcp.Server {
		s := mcp.NewServer("cases", "1", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Logging: true})
		fill(s)
		return s
	}
}

// same fails the test unless got is want.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n got %.500s\nwant %.500s", what, got, want)
	}
}
