package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// key is a kind of check that may stand in a scenario more than once.
type key struct {
	revision string
	side     side
	scenario string
	status   string
	check    string
}

func (k key) String() string {
	return strings.Join([]string{k.revision, string(k.side), k.scenario, k.status, k.check}, " ")
}

// counts are how often each kind of check stands in the results.
type counts map[key]int

// countsOf counts the checks. INFO is no outcome of a check: with it the suite tells what
// it does, as often as it does it.
func countsOf(outcomes []outcome) counts {
	n := make(counts)
	for _, o := range outcomes {
		for _, c := range o.checks {
			if c.Status == info {
				continue
			}
			n[key{o.revision, o.side, o.name, c.Status, c.ID}]++
		}
	}
	return n
}

// about is the head of the file.
const about = `# What the suite finds: revision, side, scenario, status, check, how often.
# Written by make conformance UPDATE=-update. A check that is SKIPPED here is so by the
# suite's own rule; there are no rows for what fails.
`

// readExpected reads a file that [writeExpected] wrote.
func readExpected(file string) (counts, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the checks that must be there (-update writes them): %w", err)
	}
	n, line := make(counts), 0
	for row := range strings.Lines(string(text)) {
		line++
		words := strings.Fields(row)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) != 6 {
			return nil, fmt.Errorf("%s:%d: %d words, want revision, side, scenario, status, check and count", file, line, len(words))
		}
		k := key{words[0], side(words[1]), words[2], words[3], words[4]}
		count, err := strconv.Atoi(words[5])
		switch {
		case err != nil || count < 1:
			return nil, fmt.Errorf("%s:%d: %q is no count", file, line, words[5])
		case n[k] != 0:
			return nil, fmt.Errorf("%s:%d: %s stands here twice", file, line, k)
		case k.status != success && k.status != skipped:
			return nil, fmt.Errorf("%s:%d: %s: nothing is expected to be %s", file, line, k, k.status)
		}
		n[k] = count
	}
	if len(n) == 0 {
		return nil, errors.New(file + " expects nothing")
	}
	return n, nil
}

// writeExpected writes the file, sorted.
func writeExpected(file string, n counts) error {
	var out strings.Builder
	out.WriteString(about)
	for _, k := range n.keys() {
		fmt.Fprintf(&out, "%s %d\n", k, n[k])
	}
	return os.WriteFile(file, []byte(out.String()), 0o666)
}

// keys are the kinds of checks, sorted.
func (n counts) keys() []key {
	return slices.SortedFunc(maps.Keys(n), func(a, b key) int { return cmp.Compare(a.String(), b.String()) })
}

// sound leaves out the scenarios that fail by themselves: what vanished with that is no
// news.
func sound(n counts, bad map[scenario][]string) counts {
	fails := make(map[string]bool)
	for s, faults := range bad {
		fails[s.String()] = len(faults) > 0
	}
	left := maps.Clone(n)
	maps.DeleteFunc(left, func(k key, _ int) bool {
		return fails[scenario{revision: k.revision, side: k.side, name: k.scenario}.String()]
	})
	return left
}

// compare finds what is not as expected. FAILURE and WARNING are left to [judge].
func compare(want, got counts) []string {
	var faults []string
	for _, k := range want.keys() {
		if got[k] < want[k] {
			faults = append(faults, fmt.Sprintf("%s: vanished: %d of %d are left", k, got[k], want[k]))
		}
	}
	for _, k := range got.keys() {
		if k.status != failure && k.status != warning && got[k] > want[k] {
			faults = append(faults, fmt.Sprintf("%s: unexpected: %d, where %d are known (UPDATE=-update takes them)", k, got[k], want[k]))
		}
	}
	return faults
}
