package legacy_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/mcp"
)

// logging is a server whose tool log says something at two levels.
func logging(declared bool) *mcp.Server {
	s := mcp.NewServer("logs", "1", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Logging: declared})
	s.AddTool(mcp.Tool{Name: "log"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		c.Log(mcp.LogInfo, "", "i")
		c.Log(mcp.LogError, "", "e")
		return &mcp.Result{}, nil
	})
	return s
}

// TestSetLevel (B202): a session hears nothing before it asks, then what it asked for,
// and no other session hears it.
func TestSetLevel(t *testing.T) {
	const info, grave = `notifications/message {"level":"info","data":"i"}`, `notifications/message {"level":"error","data":"e"}`
	const wrong = "-32602 params.level must be one of debug, info, notice, warning, error, critical, alert, emergency"
	tests := []struct {
		name, rest, answer string
		want               []string
	}{
		{"never set", "", "", nil},
		{"B202 unknown", `,"params":{"level":"loud"}`, wrong, nil},
		{"B202 warning", `,"params":{"level":"warning"}`, `{}`, []string{grave}},
		{"unknown leaves what was", `,"params":{"level":"loud"}`, wrong, []string{grave}},
		{"case counts", `,"params":{"level":"Info"}`, wrong, []string{grave}},
		{"null", `,"params":{"level":null}`, wrong, []string{grave}},
		{"no level", `,"params":{}`, wrong, []string{grave}},
		{"no params", ``, wrong, []string{grave}},
		{"info", `,"params":{"level":"info"}`, `{}`, []string{info, grave}},
		{"emergency", `,"params":{"level":"emergency"}`, `{}`, nil},
		{"debug", `,"params":{"level":"debug"}`, `{}`, []string{info, grave}},
		{"the key of the modern era says nothing here", `,"params":{"level":"error","_meta":{"io.modelcontextprotocol/logLevel":"debug"}}`, `{}`, []string{grave}},
	}
	for _, version := range versions {
		s := logging(true)
		a, b := dial(t, s), dial(t, s)
		if got := a.open(version); !strings.Contains(got, `"capabilities":{"logging":{},`) {
			t.Errorf("%s: logging is not declared in %s", version, got)
		}
		b.open(version)
		for _, test := range tests {
			if test.answer != "" {
				same(t, version+" "+test.name, a.ask("logging/setLevel", test.rest), test.answer)
			}
			a.notes = nil
			a.ask("tools/call", `,"params":{"name":"log","_meta":{"io.modelcontextprotocol/logLevel":"debug"}}`)
			if !slices.Equal(a.notes, test.want) {
				t.Errorf("%s %s: sent %q, want %q", version, test.name, a.notes, test.want)
			}
			b.ask("tools/call", `,"params":{"name":"log"}`)
			same(t, version+" "+test.name+", the other session", b.sent(), "")
		}
	}
}

// A server that does not log has no level to set.
func TestSetLevelWithoutLogging(t *testing.T) {
	for _, version := range versions {
		c := dial(t, logging(false))
		if got := c.open(version); strings.Contains(got, "logging") {
			t.Errorf("%s: logging is declared in %s", version, got)
		}
		same(t, version, c.ask("logging/setLevel", `,"params":{"level":"info"}`), "-32601 Method not found: logging/setLevel")
		c.ask("tools/call", `,"params":{"name":"log"}`)
		same(t, version, c.sent(), "")
	}
	c := dial(t, logging(true))
	same(t, "before initialize", c.ask("logging/setLevel", `,"params":{"level":"info"}`), "-32602 Not initialized: send initialize first")
}
