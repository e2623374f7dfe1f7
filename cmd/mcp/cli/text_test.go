package cli_test

import (
	"strings"
	"testing"

	"isthmus.internal/cmd/mcp/cli"
)

// TestTextAsItCame: text of resources, results and prompts is written as the server has sent it, but to
// a terminal, where nothing of it steers and CR LF ends a line. What is laid out is clean everywhere.
func TestTextAsItCame(t *testing.T) {
	const text = "a\r\nb\tc" + steering + "\rd\r\n"
	const safe = "a\nb\tc�[2J�31m����d\n"
	bad, open := quoted("x"+steering), quoted("a")
	target := hostile(t, results(unescaped(map[string]string{
		"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{},"prompts":{}}}`,
		"tools/list":      `{"resultType":"complete","tools":[]}`,
		"tools/call": `{"resultType":"complete","content":[{"type":"text","text":` + quoted(text) + `},{"type":"text","text":` + open + `},
			{"type":"resource","resource":{"uri":"u:","text":` + quoted(text) + `}},{"type":"resource_link","uri":"u:","name":` + bad + `}]}`,
		"resources/read": `{"resultType":"complete","contents":[{"uri":"u:","text":` + quoted(text) + `},{"uri":"u:","text":` + open + `}]}`,
		"prompts/get":    `{"resultType":"complete","messages":[{"role":"user","content":{"type":"text","text":` + quoted(text) + `}}]}`,
	})))
	const link = "[link to u:: x�[2J�31m���]\n"
	for _, tt := range []struct {
		name, args, file, terminal string
	}{
		{"a resource", "read TARGET u:", text + "a", safe + "a\n"},
		{"a result", "call TARGET t", text + "a\n" + text + link, safe + "a\n" + safe + link},
		{"a prompt", "prompt TARGET p", "user:\n" + text, "user:\n" + safe},
	} {
		for _, to := range []struct {
			terminal bool
			want     string
		}{{false, tt.file}, {true, tt.terminal}} {
			args := strings.Fields(strings.Replace(tt.args, "TARGET", target, 1))
			status, out, said := runMCP(t, &cli.Env{OutTerminal: to.terminal}, args...)
			if status != cli.ExitOK || said != "" || out != to.want {
				t.Errorf("%s, terminal %v: exit status %d, %q\n got: %q\nwant: %q", tt.name, to.terminal, status, said, out, to.want)
			}
		}
	}
}
