package mcptest_test

import (
	"log/slog"
	"testing"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/echo"
	"isthmus.internal/testfixtures/mcptest"
)

// TestFixtures puts the small fixtures through the kit. What they do otherwise on purpose
// is left out by name.
func TestFixtures(t *testing.T) {
	t.Run("echo", func(t *testing.T) {
		newEcho := func(testing.TB) *mcp.Server { return echo.NewServer(slog.New(slog.DiscardHandler)) }
		mcptest.Conform(t, newEcho, &mcptest.Conforming{Except: map[string]string{
			"wrong arguments are told": "the clients that it is made for expect the error -32602",
		}})
	})
	t.Run("notes", func(t *testing.T) {
		mcptest.Conform(t, newNotes, &mcptest.Conforming{Except: map[string]string{
			"unknown names are refused": "the clients that it is made for expect -32602 for a resource in the legacy revisions, too",
		}})
	})
}
