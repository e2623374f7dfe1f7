package main

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/jsonrpc/leaktest"
	"isthmus.internal/mcp"
)

func TestMain(m *testing.M) { os.Exit(leaktest.Run(m)) }

var revisions = []string{"2025-11-25", "2026-07-28"}

// serve serves s over HTTP, and returns the URL.
func serve(t *testing.T, s *mcp.Server) string {
	t.Helper()
	endpoint := httpmcp.Handler(s, nil)
	server := httptest.NewServer(endpoint)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := endpoint.Shutdown(ctx); err != nil {
			t.Errorf("the endpoint does not end: %v", err)
		}
		server.Close()
	})
	return server.URL
}

// runClient runs the command, and returns its status and what it says.
func runClient(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var said bytes.Buffer
	status := run(args, &said)
	return status, said.String()
}

// Each scenario goes well with a server that has what the suite's has, whether or not the client is
// told the revision; and it goes wrong with one that lacks a tool.
func TestScenarios(t *testing.T) {
	for name, stand := range stands() {
		for _, revision := range stand.revisions {
			for _, find := range []bool{false, true} {
				if find && revision != "2026-07-28" {
					continue // our servers speak the newest one
				}
				args := []string{"-scenario", name, "-version", revision, "-context", stand.context, "-find=" + map[bool]string{true: "true", false: "false"}[find]}
				t.Run(name+"/"+revision+"/"+args[len(args)-1], func(t *testing.T) {
					s := stand.fill()
					url := serve(t, s)
					if status, said := runClient(t, append(args, url)...); status != 0 {
						t.Errorf("status %d, want 0: %s", status, said)
					}
					if stand.spoil == "" {
						s.AddTool(mcp.Tool{Name: "more"}, nothing)
					} else if !s.RemoveTool(stand.spoil) {
						t.Fatalf("there is no tool %s", stand.spoil)
					}
					if status, said := runClient(t, append(args, url)...); status != 1 || !strings.Contains(said, "the tools are ") {
						t.Errorf("with other tools: status %d, want 1: %s", status, said)
					}
				})
			}
		}
	}
}

// Each scenario has a stand, but for the one whose schema no server of ours would send.
func TestStands(t *testing.T) {
	all := stands()
	for name := range scenarios {
		if _, ok := all[name]; !ok && name != "json-schema-ref-no-deref" {
			t.Errorf("the scenario %s is not tested", name)
		}
	}
}

// What is wrong is said, and is the status.
func TestFaults(t *testing.T) {
	url := serve(t, newServer("add_numbers=8"))
	deaf := httptest.NewServer(nil)
	deaf.Close()
	foreign := newServer()
	foreign.AddTool(mcp.Tool{Name: "lookup_user", InputSchema: jsonrpc.Raw(`{"type":"object","properties":{"id":{"type":"string"}}}`)}, nothing)
	tests := []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"another answer", []string{"-scenario", "tools_call", "-version", "2026-07-28", url}, 1, `add_numbers answered "8", want "The sum of`},
		{"another revision than is found", []string{"-scenario", "tools_call", "-version", "2025-11-25", "-find", url}, 1, "connected as modern 2026-07-28: "},
		{"nobody there", []string{"-scenario", "tools_call", "-version", "2026-07-28", deaf.URL}, 1, "connection refused"},
		{"a schema that refers to nothing else", []string{"-scenario", "json-schema-ref-no-deref", "-version", "2026-07-28", serve(t, foreign)}, 1, "the schema was compiled"},
		{"no context", []string{"-scenario", "http-custom-headers", "-version", "2026-07-28", url}, 2, "-context: "},
		{"a scenario that is not known", []string{"-scenario", "auth/scope", "-version", "2026-07-28", url}, 2, `the scenario "auth/scope" is not known`},
		{"no revision", []string{"-scenario", "tools_call", url}, 2, "usage: "},
		{"no URL", []string{"-scenario", "tools_call", "-version", "2026-07-28"}, 2, "usage: "},
		{"an unknown flag", []string{"-scenarios"}, 2, "usage: "},
		{"help", []string{"-h"}, 0, "-scenario name"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			status, said := runClient(t, test.args...)
			if status != test.status || !strings.Contains(said, test.want) {
				t.Errorf("%q: status %d, %q, want %d and %q", test.args, status, said, test.status, test.want)
			}
		})
	}
}

// The names are those that the suite has, so that none is here in vain.
func TestScenarioNames(t *testing.T) {
	text, err := os.ReadFile("../expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(text))
	for name := range scenarios {
		if !slices.Contains(words, name) {
			t.Errorf("the suite has no scenario %s", name)
		}
	}
}
