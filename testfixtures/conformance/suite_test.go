package main

import (
	"slices"
	"testing"
)

func TestParseList(t *testing.T) {
	const text = `Required for 2025-11-25 (3 scenarios, frozen; run at the 2025-11-25 wire):

Server scenarios (test against a server):
  - ping
  - tools-list

Client scenarios (test against a client):
  - initialize

Run and reported, but never scored:
  extension (2):
    - auth/dpop [client]
    - tasks-lifecycle [server]
  added-after-release (2):
    - server-session-lifecycle [server]
    - json-schema-2020-12-preservation [client]
  pending (1):
    - server-sse-polling [server]

`
	want := []scenario{
		{"2025-11-25", "ping", scored}, {"2025-11-25", "tools-list", scored},
		{"2025-11-25", "server-session-lifecycle", later}, {"2025-11-25", "server-sse-polling", pending},
	}
	if got, err := parseList(text, "2025-11-25"); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if got, err := parseList("Client scenarios:\n  - initialize\n", "2025-11-25"); err == nil {
		t.Errorf("a list without servers: got %v, want an error", got)
	}
}
