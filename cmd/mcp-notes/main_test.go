package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"isthmus.internal/testfixtures/fixture/fixturetest"
)

const onStdio = "notes-server 1.0.0 ready on stdio: legacy 2024-11-05 2025-03-26 2025-06-18 2025-11-25, modern 2026-07-28\n"

// query asks for all notes.
const query = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notes_query","arguments":{},` + fixturetest.Meta + `}}` + "\n"

// found is the answer with these notes, which are JSON inside a JSON string.
func found(notes string) string {
	return `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"` + notes + `"}],` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"notes-server","version":"1.0.0"}}}}` + "\n"
}

const (
	note1 = `{\"id\":1,\"tag\":\"release\",\"text\":\"v2.1 shipped with streaming fixes\"}`
	note2 = `{\"id\":2,\"tag\":\"incident\",\"text\":\"gateway 502 spike traced to upstream pool\"}`
	note3 = `{\"id\":3,\"tag\":\"release\",\"text\":\"v2.2 rolled out canary to 5%\"}`
)

// binary is the path of the command, built for these tests.
var binary string

func TestMain(m *testing.M) {
	os.Exit(fixturetest.Main(m, "isthmus.internal/cmd/mcp-notes", &binary))
}

func TestData(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.json")
	if err := os.WriteFile(file, []byte(`[{"id":5,"text":"b","tag":"a"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"built in", nil, found(`[` + note1 + `,` + note2 + `,` + note3 + `]`)},
		{"from a file", []string{"-data", file}, found(`[{\"id\":5,\"tag\":\"a\",\"text\":\"b\"}]`)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ran := fixturetest.Run(t, query, binary, test.args...)
			if want := (fixturetest.Ran{Out: test.want, Err: onStdio}); ran != want {
				t.Errorf("got  %+v\nwant %+v", ran, want)
			}
		})
	}
}

func TestBadData(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name, file string
		want       string // after the file's name
	}{
		{"not JSON", `[{"id":1`, ": not a JSON value: "},
		{"wrong member", `[{"id":1,"tag":"a","text":"b"},{"id":2,"tag":3,"text":"b"}]`, ": entry 2: tag must be a string\n"},
		{"id twice", `[{"id":1,"tag":"a","text":"b"},{"id":1,"tag":"a","text":"b"}]`, ": entry 2: id 1 is taken by entry 1 already\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(dir, strings.ReplaceAll(test.name, " ", "-"))
			if err := os.WriteFile(path, []byte(test.file), 0o600); err != nil {
				t.Fatal(err)
			}
			refused(t, fixturetest.Run(t, query, binary, "-data", path), "mcp-notes: "+path+test.want)
		})
	}
	missing := filepath.Join(dir, "missing")
	refused(t, fixturetest.Run(t, query, binary, "-data", missing), missing)
	refused(t, fixturetest.Run(t, query, binary, "-data"), "mcp-notes: flag needs an argument: -data")
}

// refused expects status 2, no protocol, and one line that tells why.
func refused(t *testing.T, ran fixturetest.Ran, why string) {
	t.Helper()
	if ran.Status != 2 || ran.Out != "" || strings.Count(ran.Err, "\n") != 1 || !strings.Contains(ran.Err, why) {
		t.Errorf("got  %+v\nwant status 2 and one line with %q", ran, why)
	}
}

// TestHelp runs the line that the help offers for pasting.
func TestHelp(t *testing.T) {
	ran := fixturetest.Run(t, "", binary, "-h")
	if ran.Status != 0 || ran.Err != "" || !strings.Contains(ran.Out, "-data FILE") {
		t.Fatalf("-h: got %+v, want status 0, nothing on standard error, and a word on -data", ran)
	}
	example := regexp.MustCompile(`(?m)^  (printf .*\| )mcp-notes$`).FindStringSubmatch(ran.Out)
	if example == nil {
		t.Fatalf("-h shows no line to paste:\n%s", ran.Out)
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to paste into")
	}
	ran = fixturetest.Run(t, "", shell, "-c", example[1]+binary)
	if want := found(`[` + note1 + `,` + note3 + `]`); ran.Status != 0 || ran.Out != want {
		t.Errorf("the example: got status %d and\n%s\nwant 0 and\n%s", ran.Status, ran.Out, want)
	}
}
