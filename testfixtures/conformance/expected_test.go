package main

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

func TestExpected(t *testing.T) {
	file := filepath.Join(t.TempDir(), "expected.txt")
	want := counts{
		{"2025-11-25", "ping", success, "a"}: 2,
		{"2025-11-25", "ping", skipped, "b"}: 1,
		{"2026-07-28", "ping", success, "a"}: 1,
	}
	if err := writeExpected(file, want); err != nil {
		t.Fatal(err)
	}
	got, err := readExpected(file)
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestExpectedFaults(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "# a comment\n\n", "expects nothing"},
		{"a word is missing", "\n2025-11-25 ping SUCCESS a\n", ":2: 4 words, want"},
		{"no number", "2025-11-25 ping SUCCESS a many\n", `:1: "many" is no count`},
		{"none", "2025-11-25 ping SUCCESS a 0\n", `:1: "0" is no count`},
		{"twice", "2025-11-25 ping SUCCESS a 1\n2025-11-25 ping SUCCESS a 1\n", ":2: 2025-11-25 ping SUCCESS a stands here twice"},
		{"a failure", "2025-11-25 ping FAILURE a 1\n", ":1: 2025-11-25 ping FAILURE a: nothing is expected to be FAILURE"},
		{"a warning", "2025-11-25 ping WARNING a 1\n", "nothing is expected to be WARNING"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "expected.txt")
			write(t, file, test.text)
			got, err := readExpected(file)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q: got %v, %v, want an error with %q", test.text, got, err, test.want)
			}
		})
	}
}

// What is committed must be readable, and it must hold both sets.
func TestExpectedFile(t *testing.T) {
	n, err := readExpected("expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	scenarios := make(map[string]map[string]bool)
	for _, revision := range revisions {
		scenarios[revision] = make(map[string]bool)
	}
	for k := range n {
		if k.status == success {
			scenarios[k.revision][k.scenario] = true
		}
	}
	if old, modern := len(scenarios[revisions[0]]), len(scenarios[revisions[1]]); old < 33 || modern < 40 {
		t.Errorf("%d and %d scenarios with SUCCESS, want 33 and 40 at least", old, modern)
	}
}
