package main_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"isthmus.internal/testfixtures/fixture/fixturetest"
)

// TestHTTP: the ready line names the url, the command answers there and ends with status 0 on
// SIGTERM. Meanwhile the port is taken for everybody else, who is told.
func TestHTTP(t *testing.T) {
	p := fixturetest.Start(t, io.Discard, binary, "-log", "error", "-http", "127.0.0.1:0")
	ready := regexp.MustCompile(`^echo-server 1\.0\.0 ready on (http://(127\.0\.0\.1:[1-9]\d*)/mcp): ` + versions + `$`).FindStringSubmatch(p.Ready)
	if ready == nil {
		p.Terminate()
		t.Fatalf("got %q, want that it is ready on http", p.Ready)
	}
	// The end of standard input means nothing here.
	p.Stdin.Close()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for id := range 2 {
		got := fixturetest.Post(t, client, ready[1], strings.TrimSpace(modern(id, "x")))
		if text := fixturetest.Body(t, got); got.StatusCode != http.StatusOK || text != modernAnswer(id, "x") {
			t.Errorf("got %d %s\nwant 200 %s", got.StatusCode, text, modernAnswer(id, "x"))
		}
	}
	ran := fixturetest.Run(t, "", binary, "-http", ready[2])
	if want := "mcp-echo: -http: listen tcp " + ready[2] + ": bind: address already in use; port 0 takes a free one\n"; ran != (fixturetest.Ran{Err: want, Status: 2}) {
		t.Errorf("on a port that is taken: got %+v, want status 2 and %q", ran, want)
	}
	if status, log := p.Terminate(); status != 0 || log != "" {
		t.Errorf("after SIGTERM: got status %d and %q, want 0 and nothing", status, log)
	}
}
