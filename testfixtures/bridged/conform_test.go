package bridged_test

import (
	"testing"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/echo"
	"isthmus.internal/testfixtures/everything"
	"isthmus.internal/testfixtures/mcptest"
	"isthmus.internal/testfixtures/notes"
)

// TestConform puts each fixture behind a bridge through the checks that it passes by itself,
// with clients of all revisions and the bridge speaking each to the fixture.
func TestConform(t *testing.T) {
	for _, revision := range upstreams {
		t.Run("echo in "+revision, func(t *testing.T) {
			mcptest.Conform(t, behind(func() *mcp.Server { return echo.NewServer(quiet()) }, revision), &mcptest.Conforming{Except: map[string]string{
				"wrong arguments are told": "the clients that it is made for expect the error -32602",
			}})
		})
		t.Run("notes in "+revision, func(t *testing.T) {
			mcptest.Conform(t, behind(func() *mcp.Server { return notes.NewServer(quiet(), notes.Default()) }, revision), &mcptest.Conforming{Except: map[string]string{
				"unknown names are refused": "the clients that it is made for expect -32602 for a resource in the legacy revisions, too",
			}})
		})
		t.Run("everything in "+revision, func(t *testing.T) {
			mcptest.Conform(t, behind(func() *mcp.Server { return everything.NewServer(&everything.Options{Logger: quiet()}) }, revision), &mcptest.Conforming{
				Slow: "slow", SlowArguments: `{"ms":60000}`,
			})
		})
	}
}
