package main_test

import (
	"bufio"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"isthmus.internal/testfixtures/fixture/fixturetest"
)

// startHTTP starts the command with -http and returns the url that it tells.
func startHTTP(t *testing.T, args ...string) (p *fixturetest.Process, url string) {
	t.Helper()
	p = fixturetest.Start(t, io.Discard, binary, append(args, "-http", "127.0.0.1:0", "-log", "error")...)
	ready := regexp.MustCompile(`^everything-server 1\.0\.0 ready on (http://127\.0\.0\.1:[1-9]\d*/mcp): legacy `).FindStringSubmatch(p.Ready)
	if ready == nil {
		p.Terminate()
		t.Fatalf("got %q, want that it is ready on http", p.Ready)
	}
	return p, ready[1]
}

// TestHTTPEnd: on SIGTERM a listen stream ends in order, a call that runs is answered, and
// the status is 0.
func TestHTTPEnd(t *testing.T) {
	p, url := startHTTP(t)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	listen := fixturetest.Post(t, client, url, strings.TrimSpace(`{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+modernMeta+`}}`))
	withToken := strings.Replace(modernMeta, `"_meta":{`, `"_meta":{"progressToken":"p",`, 1)
	slow := fixturetest.Post(t, client, url, strings.Replace(strings.TrimSpace(call("slow", `"arguments":{"ms":300},`)), modernMeta, withToken, 1))
	var streams [2]*bufio.Reader
	for i, a := range []*http.Response{listen, slow} {
		defer a.Body.Close()
		streams[i] = bufio.NewReader(a.Body)
		if line, err := streams[i].ReadString('\n'); err != nil {
			t.Fatalf("got %q, %v, want what opens an event", line, err)
		}
	}
	if status, log := p.Terminate(); status != 0 || log != "" {
		t.Errorf("after SIGTERM: got status %d and %q, want 0 and nothing", status, log)
	}
	for i, want := range []string{`"id":"s","result":{"resultType":"complete"`, `"text":"done"`} {
		if rest, err := io.ReadAll(streams[i]); err != nil || !strings.Contains(string(rest), want) {
			t.Errorf("got %q, %v, want %s", rest, err, want)
		}
	}
}
