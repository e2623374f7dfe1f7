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
  - auth/scope

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
		{"2025-11-25", server, "ping", scored}, {"2025-11-25", server, "tools-list", scored},
		{"2025-11-25", server, "server-session-lifecycle", later}, {"2025-11-25", server, "server-sse-polling", pending},
		{"2025-11-25", client, "initialize", scored}, {"2025-11-25", client, "auth/scope", scored},
		{"2025-11-25", client, "json-schema-2020-12-preservation", later},
		{"2025-11-25", finder, "initialize", scored}, {"2025-11-25", finder, "json-schema-2020-12-preservation", later},
	}
	if got, err := parseList(text, "2025-11-25"); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, text := range []string{"Client scenarios:\n  - initialize\n", "Server scenarios:\n  - ping\n", "Server scenarios:\n  - ping\n\nClient scenarios:\n  - auth/scope\n"} {
		if got, err := parseList(text, "2025-11-25"); err == nil {
			t.Errorf("a list without one of the sides:\n%s: got %v, want an error", text, got)
		}
	}
}
