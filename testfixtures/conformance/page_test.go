package main

import "testing"

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
