package uritemplate_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/mcp/uritemplate"
)

var suites = flag.String("suites", "", "folder of the public test data; empty skips the tests that need it")

// group is one group of test cases: its variables, and templates with what they expand
// to.
type group struct {
	Variables map[string]json.RawMessage
	TestCases [][2]json.RawMessage
}

// value reads a variable of the suite; numbers count as the text that they are.
func value(t *testing.T, raw json.RawMessage) uritemplate.Value {
	t.Helper()
	switch raw[0] {
	case '"':
		return uritemplate.Text(decoded[string](t, raw))
	case '[':
		return uritemplate.List(decoded[[]string](t, raw)...)
	case '{':
		return uritemplate.Map(decoded[map[string]string](t, raw))
	case 'n':
		return uritemplate.Value{}
	}
	return uritemplate.Text(string(raw))
}

func decoded[T any](t *testing.T, raw json.RawMessage) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func TestSuite(t *testing.T) {
	if *suites == "" {
		t.Skip("no -suites given")
	}
	names := map[string]int{ // and the least number of cases that must be there
		"spec-examples.json": 64, "spec-examples-by-section.json": 100, "extended-tests.json": 50, "negative-tests.json": 36,
	}
	for name, least := range names {
		text, err := os.ReadFile(filepath.Join(*suites, "uritemplate", name))
		if err != nil {
			t.Fatal(err)
		}
		cases, matched := 0, 0
		for title, g := range decoded[map[string]group](t, text) {
			values := make(uritemplate.Values)
			for name, raw := range g.Variables {
				values[name] = value(t, raw)
			}
			for _, c := range g.TestCases {
				cases++
				if checkCase(t, name+", "+title, values, decoded[string](t, c[0]), c[1]) {
					matched++
				}
			}
		}
		if cases < least {
			t.Errorf("%s: %d cases; want %d at least", name, cases, least)
		}
		t.Logf("%s: %d cases, %d of them found again by matching", name, cases, matched)
	}
}

// checkCase checks one case, and reports whether its template can be matched and was.
func checkCase(t *testing.T, where string, values uritemplate.Values, text string, want json.RawMessage) bool {
	t.Helper()
	template, err := uritemplate.Parse(text)
	var got string
	if err == nil {
		got, err = template.Expand(values)
	}
	if string(want) == "false" {
		if err == nil {
			t.Errorf("%s: %s expanded to %q; want an error", where, text, got)
		}
		return false
	}
	allowed := []string{strings.Trim(string(want), `"`)}
	if want[0] == '[' {
		allowed = decoded[[]string](t, want)
	} else {
		allowed[0] = decoded[string](t, want)
	}
	if err != nil || !slices.Contains(allowed, got) {
		t.Errorf("%s: %s expanded to %q, %v; want one of %q", where, text, got, err, allowed)
		return false
	}
	return checkMatch(t, template, got)
}

// checkMatch matches what a template expanded to, and checks that what is found expands
// to the same again.
func checkMatch(t *testing.T, template *uritemplate.Template, uri string) bool {
	t.Helper()
	m, err := template.Matcher()
	if err != nil {
		return false
	}
	values, ok := m.Match(uri)
	if !ok {
		return false
	}
	again, err := template.Expand(values)
	if err != nil || !same(template, values, uri, again) {
		t.Errorf("%s matched %q as %v, which expands to %q, %v", template, uri, values, again, err)
	}
	return true
}
