package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc/leaktest"
)

func TestMain(m *testing.M) { os.Exit(leaktest.Run(m)) }

func TestReadLine(t *testing.T) {
	tests := []struct {
		text string
		want line
		err  string
	}{
		{`{"spoke":"2025-11-25"}`, line{spoke: "2025-11-25"}, ""},
		{`{"step":"call"}`, line{step: "call"}, ""},
		{`{"step":"call","fault":"a\nb"}`, line{step: "call", fault: "a\nb"}, ""},
		{`{"step":"ping","refused":"no"}`, line{step: "ping", refused: "no"}, ""},
		{`{}`, line{}, "want a step, or a revision"},
		{`{"step":"call","spoke":"2025-11-25"}`, line{}, "want a step, or a revision"},
		{`{"step":7}`, line{}, "no text in it"},
		{`{"step":"call","when":"now"}`, line{}, "no such member"},
		{`{"step":"call"`, line{}, "the script says"},
		{`hello`, line{}, "the script says"},
		{``, line{}, "the script says"},
	}
	for _, test := range tests {
		got, err := readLine(test.text)
		if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q: got %+v, %v, want %+v, %q", test.text, got, err, test.want, test.err)
		}
	}
}

func TestRunScript(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Node is a shell")
	}
	tests := []struct {
		name, text string
		want       []line
		err        string
	}{
		{"arguments", `echo "{\"step\":\"$1 $2\"}"`, []line{{step: "legacy url"}}, ""},
		{"two lines", "echo '{\"spoke\":\"x\"}'\necho '{\"step\":\"a\",\"fault\":\"f\"}'", []line{{spoke: "x"}, {step: "a", fault: "f"}}, ""},
		{"a status", "echo '{\"step\":\"a\"}'\necho why >&2\nexit 3", []line{{step: "a"}, {step: "script", fault: "exit status 3\nwhy\n"}}, ""},
		{"nonsense", "echo hello", nil, `s.mjs: the script says "hello"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "s.mjs"), []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			got, err := runScript(context.Background(), "sh", dir, "s.mjs", "legacy", "url")
			if !slices.Equal(got, test.want) || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("got %+v, %v, want %+v, %q", got, err, test.want, test.err)
			}
		})
	}
	if _, err := runScript(context.Background(), filepath.Join(t.TempDir(), "node"), ".", "s.mjs"); err == nil {
		t.Error("without Node: no error")
	}
}

// Every script of the plan is there when scripts have been installed, with what it imports.
func TestInstallScripts(t *testing.T) {
	dir := t.TempDir()
	if err := installScripts(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{sdk1.script, client2.script, inspector.script, "report.mjs", "fixture.mjs", "walk.mjs"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		want, err2 := os.ReadFile(name)
		if err != nil || err2 != nil || len(got) == 0 || string(got) != string(want) {
			t.Errorf("%s: %d bytes, %v, want %d, %v", name, len(got), err, len(want), err2)
		}
	}
	if err := installScripts(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("into a folder that is not there: no error")
	}
}
