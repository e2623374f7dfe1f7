package cli_test

import (
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/cmd/mcp/cli"
)

// TestRemarksAreSaidOnce: what the client has to say of the server's faults is said once of each kind,
// and counted.
func TestRemarksAreSaidOnce(t *testing.T) {
	const none = "mcp: the server has sent what is no message of MCP (mcp wire before the command shows it), code: "
	const first = none + `-32700, reason: Parse error: unexpected character at byte 0, it begins "one �[2J"`
	const number = none + `-32600, reason: message must be an object, it begins "7"`
	kinds := func(n int) (sent, said []string) {
		for i := range n {
			name := strings.Repeat("k", i+1)
			sent = append(sent, `{"jsonrpc":"2.0","method":"`+name+`","params":7}`)
			said = append(said, none[:len(none)-len("code: ")]+"method: "+name+", code: -32602, reason: params must be an object")
		}
		return sent, said
	}
	many, said := kinds(18)
	for _, tt := range []struct {
		name string
		sent []string
		want []string
	}{
		{"once", []string{"one \x1b[2J"}, []string{first}},
		{"thrice", []string{"one \x1b[2J", "go", "three one"}, []string{first, "(and 1 more like it)", none + `-32700, reason: Parse error: unknown word at byte 0, it begins "three one"`}},
		{"at other bytes", []string{"one \x1b[2J", "  [I] up", " go"}, []string{first, "(and 2 more like it)"}},
		{"in turns", []string{"one \x1b[2J", "7", "one", "8", "one"}, []string{first, number, "(and 1 more like it)", first + " (and 2 more like it)"}},
		{"of many kinds", many, append(said[:16:16], "mcp: more faults of other kinds: 2")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target := hostile(t, func(m message, send func(string, ...any)) {
				if m.Method == "tools/list" {
					for _, line := range tt.sent {
						send("%s", line)
					}
				}
				results(map[string]string{
					"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"n","version":"1"}}`,
					"tools/list": `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`,
					"tools/call": `{"content":[]}`,
				})(m, send)
			})
			status, _, log := runMCP(t, &cli.Env{}, "call", "--era", "legacy", target, "a")
			if want := strings.Join(tt.want, "\n") + "\n"; status != cli.ExitOK || log != want {
				t.Errorf("exit status %d\n got: %s\nwant: %s", status, log, want)
			}
		})
	}
}

// TestGarbage: what only ever sends lines that are no messages is given up long before -timeout, in a
// few lines that say what it sends; what sends a few of them is told when nothing else comes.
func TestGarbage(t *testing.T) {
	for _, tt := range []struct {
		name, timeout string
		lines         int
		reason        string
	}{
		{"without end", "1m", 1 << 30, "message after message is none of MCP"},
		{"a banner", "200ms", 3, "the server speaks neither era: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target := streamOf(t, "Welcome!\n", tt.lines)
			status, out, log := runMCP(t, &cli.Env{}, "tools", "-timeout", tt.timeout, target)
			for _, want := range []string{
				fmt.Sprintf("mcp tools: cannot connect to %s: %s", target, tt.reason),
				"\nWhat it sends is not MCP, and begins \"Welcome!\". Does it serve a message a line there?",
				" more like it)\n",
			} {
				if status != cli.ExitProtocol || out != "" || !strings.Contains(log, want) || strings.Count(log, "\n") > 4 {
					t.Errorf("exit status %d, printed %q\n got: %s\nwant: %s", status, out, log, want)
				}
			}
		})
	}
}
