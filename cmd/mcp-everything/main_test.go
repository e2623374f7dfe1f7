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

const onStdio = "everything-server 1.0.0 ready on stdio: legacy 2024-11-05 2025-03-26 2025-06-18 2025-11-25, modern 2026-07-28\n"

// binary is the path of the command, built for these tests.
var binary string

func TestMain(m *testing.M) {
	os.Exit(fixturetest.Main(m, "isthmus.internal/cmd/mcp-everything", &binary))
}

// modernMeta declares a client that can be asked.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

// call is a line that calls a tool in the modern era. more is what params hold besides.
func call(tool, more string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `",` + more + modernMeta + `}}` + "\n"
}

// TestHelp runs the line that the help offers for pasting.
func TestHelp(t *testing.T) {
	ran := fixturetest.Run(t, "", binary, "-h")
	if ran.Status != 0 || ran.Err != "" || !strings.Contains(ran.Out, "-seal-key-file FILE") {
		t.Fatalf("-h: got %+v, want status 0, nothing on standard error, and a word on -seal-key-file", ran)
	}
	example := regexp.MustCompile(`(?m)^  (printf .*\| )mcp-everything$`).FindStringSubmatch(ran.Out)
	if example == nil {
		t.Fatalf("-h shows no line to paste:\n%s", ran.Out)
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to paste into")
	}
	ran = fixturetest.Run(t, "", shell, "-c", example[1]+binary)
	if ran.Status != 0 || !strings.Contains(ran.Out, `"structuredContent":{"sum":3}`) {
		t.Errorf("the example: got status %d and\n%s\nwant 0 and the sum 3", ran.Status, ran.Out)
	}
}

// TestSealKeys: a process takes the state that another one has made, if and only if they
// share a key.
func TestSealKeys(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const tool = "test_input_required_result_tampered_state"
	one, rotated := write("one", "0123456789abcdef\n"), write("two", "\nfedcba9876543210\n0123456789abcdef\n")
	asked := fixturetest.Run(t, call(tool, ""), binary, "-seal-key-file", one)
	state := regexp.MustCompile(`"requestState":"([^"]+)"`).FindStringSubmatch(asked.Out)
	if asked.Err != onStdio || state == nil {
		t.Fatalf("got %+v, want the ready line and a state", asked)
	}
	retry := call(tool, `"inputResponses":{"confirm":{"action":"accept","content":{"ok":true}}},"requestState":"`+state[1]+`",`)
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"the same key", []string{"-seal-key-file", one}, "state-ok: asked"},
		{"behind a new key", []string{"-seal-key-file", rotated}, "state-ok: asked"},
		{"no key", nil, `"code":-32602`},
	} {
		if ran := fixturetest.Run(t, retry, binary, test.args...); ran.Status != 0 || !strings.Contains(ran.Out, test.want) {
			t.Errorf("%s: got %+v, want %s", test.name, ran, test.want)
		}
	}
	for name, text := range map[string]string{"short": "0123456789\n", "empty": "\n"} {
		path := write(name, text)
		ran := fixturetest.Run(t, "", binary, "-seal-key-file", path)
		if ran.Status != 2 || ran.Out != "" || !strings.Contains(ran.Err, path) || strings.Contains(ran.Err, "0123") {
			t.Errorf("%s: got %+v, want status 2 and a line that names the file and not the secret", name, ran)
		}
	}
	if ran := fixturetest.Run(t, "", binary, "-seal-key-file", filepath.Join(dir, "none")); ran.Status != 2 {
		t.Errorf("no file: got %+v, want status 2", ran)
	}
}

// TestEnd: at the end of the input what was asked is answered, streams are ended, and
// the status is 0.
func TestEnd(t *testing.T) {
	listen := `{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}` + "\n"
	ran := fixturetest.Run(t, listen+call("slow", `"arguments":{"ms":100},`), binary)
	if ran.Status != 0 || ran.Err != onStdio {
		t.Errorf("got %+v, want status 0 and the ready line", ran)
	}
	for _, want := range []string{`"text":"done"`, `"method":"notifications/subscriptions/acknowledged"`, `{"jsonrpc":"2.0","id":"s","result":{"resultType":"complete"`} {
		if !strings.Contains(ran.Out, want) {
			t.Errorf("%s is missing in\n%s", want, ran.Out)
		}
	}
}
