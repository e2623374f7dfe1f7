package cli_test

import (
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/cmd/mcp/cli"
)

// TestListTooLong: a list that goes on and on is not kept without end, whether its entries are many or
// long; one of it can be seen.
func TestListTooLong(t *testing.T) {
	many := strings.Repeat(`{"uri":"a:b","name":""},`, 10_000)
	long := `{"uri":"a:b","name":"","description":"` + strings.Repeat("x", 3<<20) + `"},`
	const tooMuch = "resources or more, which is too much to show"
	for _, tt := range []struct {
		name       string
		page       string // the entries of each page before its own one, a:1 and so on
		pages      int
		args       string
		status     int
		out, shown string // the end of the output, and part of what is said
	}{
		{"many entries", many, 2, "", cli.ExitOK, "\na:2\n", ""},
		{"too many entries", many, 16, "", cli.ExitProtocol, "", tooMuch},
		{"one of too many", many, 16, "a:16", cli.ExitOK, "a:16\n", ""},
		{"too long entries", long, 12, "", cli.ExitProtocol, "", tooMuch},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sent := 0
			target := hostile(t, func(m message, send func(string, ...any)) {
				if m.Method != "resources/list" {
					results(map[string]string{"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"resources":{}},"ttlMs":0,"cacheScope":"private"}`})(m, send)
					return
				}
				sent++
				next := ""
				if sent < tt.pages {
					next = fmt.Sprintf(`"nextCursor":"%d",`, sent)
				}
				send(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete",%s"ttlMs":0,"cacheScope":"private","resources":[%s{"uri":"a:%d","name":""}]}}`, m.ID, next, tt.page, sent)
			})
			status, out, said := runMCP(t, &cli.Env{}, append([]string{"resources", target}, strings.Fields(tt.args)...)...)
			if status != tt.status || !strings.HasSuffix(out, tt.out) || (out == "") != (tt.out == "") || !strings.Contains(said, tt.shown) || (said == "") != (tt.shown == "") {
				t.Errorf("exit status %d, %d bytes and %q, want %d, %q and %q", status, len(out), said, tt.status, tt.out, tt.shown)
			}
		})
	}
}

// TestToolTitle: the title of a tool may stand in either of two places, and its own counts first
// (2026-07-28 schema, Tool).
func TestToolTitle(t *testing.T) {
	for _, tt := range []struct{ name, titles, want string }{
		{"its own", `"title":"One",`, "a\nOne\n"},
		{"of its annotations", `"annotations":{"title":"Two"},`, "a\nTwo\n"},
		{"both", `"annotations":{"title":"Two"},"title":"One",`, "a\nOne\n"},
		{"none", `"annotations":{"readOnlyHint":true},`, "a\n\n"},
	} {
		target := hostile(t, results(map[string]string{
			"server/discover": `{}`,
			"initialize":      `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}`,
			"tools/list":      `{"tools":[{"name":"a",` + tt.titles + `"inputSchema":{"type":"object"}}]}`,
		}))
		status, out, said := runMCP(t, &cli.Env{}, "tools", target, "a")
		if status != cli.ExitOK || !strings.HasPrefix(out+"\n", tt.want) {
			t.Errorf("%s: exit status %d, printed %q, %q, want %q", tt.name, status, out, said, tt.want)
		}
	}
}

// TestListOnLines: each entry has a line. A description is cut on a terminal alone, and names of many
// lengths leave the others in their column.
func TestListOnLines(t *testing.T) {
	long, longer := strings.Repeat("n", 50), strings.Repeat("m", 61)
	text := strings.Repeat("word ", 50) + "end"
	target := hostile(t, results(unescaped(map[string]string{
		"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`,
		"tools/list": `{"resultType":"complete","tools":[{"name":"a","description":"` + strings.ReplaceAll(text, " ", `\n`) + `","inputSchema":{"type":"object"}},
			{"name":"` + long + `","description":"x","inputSchema":{"type":"object"}},{"name":"` + longer + `","description":"y","inputSchema":{"type":"object"}}]}`,
	})))
	rest := long + "  x\n" + longer + "  y\n"
	for _, tt := range []struct {
		terminal bool
		want     string
	}{
		{false, "a" + strings.Repeat(" ", 51) + text + "\n" + rest},
		{true, "a" + strings.Repeat(" ", 51) + text[:71] + "…\n" + rest},
	} {
		if status, out, said := runMCP(t, &cli.Env{OutTerminal: tt.terminal}, "tools", target); status != cli.ExitOK || out != tt.want {
			t.Errorf("terminal %v: exit status %d, %s\n got:\n%s\nwant:\n%s", tt.terminal, status, said, out, tt.want)
		}
	}
}
