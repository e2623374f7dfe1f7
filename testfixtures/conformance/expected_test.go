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
		{"2025-11-25", server, "ping", success, "a"}: 2,
		{"2025-11-25", server, "ping", skipped, "b"}: 1,
		{"2026-07-28", client, "ping", success, "a"}: 1,
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
		{"a word is missing", "\n2025-11-25 server ping SUCCESS a\n", ":2: 5 words, want"},
		{"no number", "2025-11-25 server ping SUCCESS a many\n", `:1: "many" is no count`},
		{"none", "2025-11-25 server ping SUCCESS a 0\n", `:1: "0" is no count`},
		{"twice", "2025-11-25 server ping SUCCESS a 1\n2025-11-25 server ping SUCCESS a 1\n", ":2: 2025-11-25 server ping SUCCESS a stands here twice"},
		{"a failure", "2025-11-25 server ping FAILURE a 1\n", ":1: 2025-11-25 server ping FAILURE a: nothing is expected to be FAILURE"},
		{"a warning", "2025-11-25 server ping WARNING a 1\n", "nothing is expected to be WARNING"},
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

// What is committed must be readable, and it must hold both sets of each side.
func TestExpectedFile(t *testing.T) {
	n, err := readExpected("expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	scenarios := make(map[scenario]bool)
	for k := range n {
		if k.status == success {
			scenarios[scenario{revision: k.revision, side: k.side, name: k.scenario}] = true
		}
	}
	least := map[string]int{
		"2025-11-25 server": 33, "2026-07-28 server": 40,
		"2025-11-25 client": 5, "2026-07-28 client": 8,
		"2025-11-25 finder": 5, "2026-07-28 finder": 8,
	}
	got := make(map[string]int)
	for s := range scenarios {
		got[s.revision+" "+string(s.side)]++
	}
	for set, want := range least {
		if got[set] < want {
			t.Errorf("%s: %d scenarios with SUCCESS, want %d at least", set, got[set], want)
		}
	}
}
