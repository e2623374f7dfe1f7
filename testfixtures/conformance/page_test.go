package main

import "testing"

func TestTableOfFaults(t *testing.T) {
	good := outcome{scenario{revisions[0], server, "ping", scored}, []check{{ID: "a", Status: success}, {ID: wire, Status: success}}}
	fails := outcome{scenario{revisions[1], server, "ping", scored}, []check{{ID: "a", Status: failure}, {ID: wire, Status: success}}}
	only := outcome{scenario{revisions[1], server, "newer", pending}, []check{{ID: "a", Status: success}}}
	left := outcome{scenario{revisions[1], server, "auth/any", scored}, nil}
	all := []outcome{good, fails, only, left}
	const want = `| scenario | 2025-11-25 | 2026-07-28 |
|---|---:|---:|
| ping | 2 | 1 of 2, failed |
| newer (pending) |  | 1 |
| **scored** | **1 of 1, 2 checks** | **0 of 1, 1 checks** |
| **pending** | **none** | **1 of 1, 1 checks** |
`
	if got := tableOf(all, judge(all)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
