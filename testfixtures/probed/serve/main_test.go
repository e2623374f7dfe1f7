package main_test

import (
	"os"
	"strings"
	"testing"

	"isthmus.internal/testfixtures/fixture/fixturetest"
	"isthmus.internal/testfixtures/probed"
)

var binary string

func TestMain(m *testing.M) {
	os.Exit(fixturetest.Main(m, "isthmus.internal/testfixtures/probed/serve", &binary))
}

var probe = fixturetest.Request("0", "server/discover", fixturetest.Meta) + "\n"

func TestServe(t *testing.T) {
	found := fixturetest.Error("0", "-32601", "Method not found") + "\n"
	tests := []struct {
		name string
		want fixturetest.Ran
	}{
		{"method-not-found", fixturetest.Ran{Out: found}},
		{"silence", fixturetest.Ran{}},
		{"exit", fixturetest.Ran{Err: "serve: panic: unknown method\n", Status: 3}},
		{"error-and-exit", fixturetest.Ran{Out: found, Err: "serve: panic: unknown method\n", Status: 3}},
	}
	for _, test := range tests {
		if ran := fixturetest.Run(t, probe, binary, test.name); ran != test.want {
			t.Errorf("%s: got  %+v\nwant %+v", test.name, ran, test.want)
		}
	}
}

func TestHTTP(t *testing.T) {
	p := fixturetest.Start(t, nil, binary, "-http", "bad-request")
	defer p.Kill()
	if !strings.HasPrefix(p.Ready, "probed ready on http://127.0.0.1:") || !strings.HasSuffix(p.Ready, "/mcp: 400 and a text") {
		t.Errorf("got %q", p.Ready)
	}
}

func TestList(t *testing.T) {
	for _, args := range [][]string{nil, {"nobody"}, {"-http"}} {
		ran := fixturetest.Run(t, probe, binary, args...)
		for _, s := range append(probed.Streams(), probed.Sites()...) {
			if ran.Status != 2 || ran.Out != "" || !strings.Contains(ran.Err, s.Name+" ") || !strings.Contains(ran.Err, s.Probe+"\n") {
				t.Fatalf("%q: got %+v, want status 2 and a line on %s", args, ran, s.Name)
			}
		}
	}
}
