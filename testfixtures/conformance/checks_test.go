package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The files of testdata/results have the form that the suite writes.
func TestReadChecks(t *testing.T) {
	tests := []struct {
		name string
		want []string // status and check
		err  string
	}{
		{"good", []string{"SUCCESS good", "SUCCESS wire-schema-valid"}, ""},
		{"failing", []string{"SUCCESS first", "FAILURE second", "SUCCESS wire-schema-valid"}, ""},
		{"warning", []string{"SUCCESS first", "WARNING second", "SUCCESS wire-schema-valid"}, ""},
		{"skipping", []string{"SKIPPED first", "INFO second", "SUCCESS wire-schema-valid"}, ""},
		{"go", nil, "the suite left no result"}, // the beginning of a name is not the name
		{"twice", nil, "the suite left 2 results, want 1"},
		{"empty", nil, "the suite checked nothing"},
		{"broken", nil, "server-broken-2026-11-30T22-20-09-000Z/checks.json: "},
		{"bare", nil, "checks.json"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			checks, err := readChecks(os.DirFS("testdata/results"), "server-"+test.name)
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error %v, want %q", err, test.err)
			}
			var got []string
			for _, c := range checks {
				got = append(got, c.Status+" "+c.ID)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	if _, err := readChecks(os.DirFS("testdata/nowhere"), "server-good"); err == nil {
		t.Error("a folder that is not there has checks")
	}
	if _, err := readChecks(fstest.MapFS{}, "server-good"); err == nil {
		t.Error("an empty folder has checks")
	}
}

func TestJudge(t *testing.T) {
	tests := []struct {
		name string
		want []string
	}{
		{"good", nil},
		{"failing", []string{"2026-07-28 server failing: FAILURE second: The second holds (Failed: 3 is not 4)"}},
		{"warning", []string{"2026-07-28 server warning: WARNING second: The second should hold ()"}},
		{"skipping", []string{"2026-07-28 server skipping: no check of its own with SUCCESS among 3"}},
		{"unknown", []string{"2026-07-28 server unknown: MAYBE second: The second holds ()"}},
		{"auth/any", nil}, // left out
		{"nothing", []string{"2026-07-28 server nothing: no check of its own with SUCCESS among 0"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			checks, _ := readChecks(os.DirFS("testdata/results"), "server-"+test.name)
			o := outcome{scenario{revisions[1], server, test.name, scored}, checks}
			matches(t, judge([]outcome{o})[o.scenario], test.want)
		})
	}
}

func TestCompare(t *testing.T) {
	one, two := key{"2025-11-25", server, "ping", success, "a"}, key{"2025-11-25", server, "ping", skipped, "b"}
	tests := []struct {
		name      string
		want, got counts
		faults    []string
	}{
		{"same", counts{one: 2, two: 1}, counts{one: 2, two: 1}, nil},
		{"vanished", counts{one: 2, two: 1}, counts{two: 1}, []string{"2025-11-25 server ping SUCCESS a: vanished: 0 of 2 are left"}},
		{"fewer", counts{one: 2}, counts{one: 1}, []string{"2025-11-25 server ping SUCCESS a: vanished: 1 of 2 are left"}},
		{"more", counts{one: 1}, counts{one: 2}, []string{"2025-11-25 server ping SUCCESS a: unexpected: 2, where 1 are known"}},
		{"skipped of a sudden", counts{one: 1}, counts{one: 1, two: 1}, []string{"2025-11-25 server ping SKIPPED b: unexpected: 1, where 0 are known"}},
		{"a failure is not looked at here", counts{one: 1}, counts{one: 1, key{"2025-11-25", server, "ping", failure, "c"}: 1}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { matches(t, compare(test.want, test.got), test.faults) })
	}
}
