package main

import (
	"slices"
	"strings"
	"testing"
)

// sound are the lines of a run that goes as it should.
func sound(r run) []line {
	lines := []line{{spoke: revisions[r.era]}}
	for _, s := range steps {
		l := line{step: s.name}
		if r.limit(s.name) != nil {
			l.refused = "it says so"
		}
		if s.of(r) {
			lines = append(lines, l)
		}
	}
	return lines
}

// The limits of the plan are about steps that are there, and each is of some use.
func TestLimits(t *testing.T) {
	used := map[*limit]map[string]bool{}
	for _, r := range runs() {
		for _, s := range steps {
			if l := r.limit(s.name); l != nil && s.of(r) {
				if used[l] == nil {
					used[l] = map[string]bool{}
				}
				used[l][s.name] = true
			}
		}
	}
	for i := range limits {
		for _, name := range limits[i].steps {
			if !used[&limits[i]][name] {
				t.Errorf("%s cannot %q: no run has that step, or another limit stands before it", limits[i].client.what, name)
			}
		}
	}
}

func TestJudgeSound(t *testing.T) {
	for _, r := range runs() {
		o := judge(r, sound(r))
		if len(o.faults) > 0 || o.done < 10 || o.spoke != revisions[r.era] {
			t.Errorf("%s: %d done, spoke %s, faults %q", r.label(), o.done, o.spoke, o.faults)
		}
	}
}

func TestJudge(t *testing.T) {
	r := run{sdk1, legacy, stdio}
	at := func(lines []line, step string) *line {
		i := slices.IndexFunc(lines, func(l line) bool { return l.step == step })
		return &lines[i]
	}
	tests := []struct {
		name   string
		change func([]line) []line
		want   []string
	}{
		{"a step that failed", func(ls []line) []line { at(ls, "call").fault = "2 is not 3"; return ls },
			[]string{"TypeScript SDK 1.x, legacy, stdio: call: 2 is not 3"}},
		{"a step that is missing", func(ls []line) []line { return ls[:len(ls)-1] }, []string{"close: said 0 times, want once"}},
		{"a step that is said twice", func(ls []line) []line { return append(ls, line{step: "call"}) }, []string{"call: said 2 times, want once"}},
		{"a step that nobody knows", func(ls []line) []line { return append(ls, line{step: "dance"}) }, []string{"dance: no step of this run"}},
		{"a status", func(ls []line) []line { return append(ls, line{step: "script", fault: "exit status 1"}) }, []string{"script: exit status 1"}},
		{"refused, and it can", func(ls []line) []line { at(ls, "call").refused = "no"; return ls },
			[]string{"call: refused, though the plan says that the client can: no"}},
		{"done, and it cannot", func(ls []line) []line { at(ls, "modern era").refused = ""; return ls },
			[]string{"modern era: done, though the plan says that the client cannot: this generation ends with 2025-11-25"}},
		{"another revision", func(ls []line) []line { ls[0].spoke = "2025-06-18"; return ls }, []string{`it spoke "2025-06-18", want "2025-11-25"`}},
		{"nothing", func([]line) []line { return nil }, append(slices.Repeat([]string{"said 0 times"}, r.total()), `it spoke ""`)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := judge(r, test.change(sound(r))).faults
			if len(got) != len(test.want) {
				t.Fatalf("got %q, want %q", got, test.want)
			}
			for i, want := range test.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("fault %d: got %q, want %q", i, got[i], want)
				}
			}
		})
	}
}

// A step that failed, or that the client cannot do, does not count as done.
func TestCount(t *testing.T) {
	r := run{inspector, legacy, stdio}
	lines := sound(r)
	whole := judge(r, lines).done
	refused := 0
	for _, l := range lines {
		if l.refused != "" {
			refused++
		}
	}
	if refused == 0 || whole+refused != r.total() {
		t.Errorf("%d done and %d refused of %d", whole, refused, r.total())
	}
	lines[1].fault = "no"
	if got := judge(r, lines).done; got != whole-1 {
		t.Errorf("with a fault: %d done, want %d", got, whole-1)
	}
}
