package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
)

// A client gets what the suite says of a scenario as arguments, whatever its own path is.
func TestClientArguments(t *testing.T) {
	c := updated(t)
	if faults, err := c.run(context.Background(), nil, io.Discard); err != nil || len(faults) > 0 {
		t.Fatalf("faults %q, error %v", faults, err)
	}
	got := strings.Split(strings.TrimSpace(read(t, c.client+".args")), "\n")
	slices.Sort(got) // they ran side by side
	var want []string
	for _, find := range []string{"<-find>", ""} {
		for _, name := range []string{"initialize", "schema"} {
			for _, revision := range revisions {
				want = append(want, find+"<-scenario><"+name+"><-version><"+revision+`><-context><{"a":"b  c"}><http://localhost:1/mcp>`)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("arguments\n got %q\nwant %q", got, want)
	}
}

// A run that is cut short is an error of each scenario that was under way, and of all that follow.
func TestClientsCutShort(t *testing.T) {
	c := stage(t, soundSaid())
	s, err := newSuite(c.suite, c.results)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	all := slices.Repeat([]scenario{{revisions[0], client, "initialize", scored}}, 3*atOnce)
	_, faults, err := c.testClients(ctx, s, all)
	if err == nil || strings.Count(err.Error(), "context canceled") != len(all) {
		t.Errorf("faults %q, error %v, want one for each of %d", faults, err, len(all))
	}
}
