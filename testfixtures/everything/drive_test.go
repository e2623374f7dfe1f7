package everything_test

import (
	"log/slog"
	"testing"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/everything"
)

// quiet makes a server that logs nothing.
func quiet(testing.TB) *mcp.Server {
	return everything.NewServer(&everything.Options{Logger: slog.New(slog.DiscardHandler)})
}

// same fails the test unless got is want.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n got %s\nwant %s", what, got, want)
	}
}
