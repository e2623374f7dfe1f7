package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestTableOfFaults(t *testing.T) {
	good := outcome{scenario{revisions[0], "ping", scored}, []check{{ID: "a", Status: success}, {ID: wire, Status: success}}}
	fails := outcome{scenario{revisions[1], "ping", scored}, []check{{ID: "a", Status: failure}, {ID: wire, Status: success}}}
	only := outcome{scenario{revisions[1], "newer", scored}, []check{{ID: "a", Status: success}}}
	all := []outcome{good, fails, only}
	const want = `| scenario | 2025-11-25 | 2026-07-28 |
|---|---:|---:|
| ping | 2 | 1 of 2, failed |
| newer |  | 1 |
| **scored** | **1 of 1, 2 checks** | **1 of 2, 2 checks** |
| **pending** | **none** | **none** |
| **added-after-release** | **none** | **none** |

No check was skipped.
`
	if got := tableOf(all, judge(all)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCheckTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	tests := []struct{ name, text, want string }{
		{"the same", "a\n" + tableBegin + "table\n" + tableEnd, ""},
		{"another", "a\n" + tableBegin + "old\n" + tableEnd, "does not hold the table"},
		{"no begin", "a\n" + tableEnd, "has no lines"},
		{"no end", "a\n" + tableBegin + "table\n", "has no lines"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			write(t, file, test.text)
			got := checkTable(file, "table\n")
			if (len(got) == 0) != (test.want == "") || len(got) > 0 && !strings.Contains(got[0], test.want) {
				t.Errorf("%q: got %q, want %q", test.text, got, test.want)
			}
			err := writeTable(file, "new\n")
			if wrong := test.want == "has no lines"; wrong != (err != nil) {
				t.Errorf("%q: writing: %v", test.text, err)
			}
		})
	}
	if got := checkTable(filepath.Join(t.TempDir(), "none.md"), ""); len(got) != 1 {
		t.Errorf("a page that is not there: %q", got)
	}
}
