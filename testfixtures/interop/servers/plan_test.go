package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each step of each server is taken, or lacking with a reason; each run can be started.
func TestPlan(t *testing.T) {
	labels := map[string]bool{}
	for _, r := range runs() {
		for _, fault := range r.server.planFaults() {
			t.Error(fault)
		}
		s := r.server.starts[r.transport]
		if labels[r.label()] || revisions[r.era] == "" || (r.transport == stdio) != (s.url == "") || (s.url == "") != (s.ready == "") {
			t.Errorf("%s stands twice, or cannot be started", r.label())
		}
		labels[r.label()] = true
	}
	if len(labels) < 8 {
		t.Errorf("there are %d runs", len(labels))
	}
}

func TestPlanFaults(t *testing.T) {
	s := server{what: "s", steps: map[string]func(*walk) error{"ping": pingStep, "dance": pingStep}, lacks: map[string]string{"ping": "it is mute"}}
	faults := strings.Join(s.planFaults(), "\n")
	for _, want := range []string{"s: ping: taken true, lacking true", "s: connect: taken false, lacking false", `s: there is no step "dance"`} {
		if !strings.Contains(faults, want) {
			t.Errorf("%q is missing in\n%s", want, faults)
		}
	}
}

// Every package is pinned.
func TestVersion(t *testing.T) {
	pins := filepath.Join("..", "package.json")
	for _, s := range servers() {
		if v, err := version(pins, s.pkg); err != nil || strings.Trim(v, "0123456789.") != "" {
			t.Errorf("%s: %q, %v, want numbers", s.pkg, v, err)
		}
	}
	if v, err := version(pins, "nothing"); err == nil {
		t.Errorf("a package that is not pinned: %q", v)
	}
}

func TestTables(t *testing.T) {
	r := run{memory, legacy, stdio}
	got := tables([]outcome{{run: r, spoke: "2025-11-25", done: 10}}, map[string]string{memory.pkg: "1.2.3"})
	for _, want := range []string{
		"| server-memory | `@modelcontextprotocol/server-memory` 1.2.3 | legacy | 2025-11-25 | stdio | 10 of 23 |\n",
		"\n| ping | `ping` |\n",
		"\n| server-memory | list prompts, prompt, complete | it has no prompts |\n",
		"\n| all, in the modern era | ping | ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if lacks := (run{server2, modern, stdio}).lacks("ping"); lacks == "" || slices.Contains(server2.eras, "") {
		t.Error("the modern era has a ping")
	}
}
