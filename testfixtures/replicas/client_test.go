package replicas

import (
	"bufio"
	"io"
	"net/http"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/testfixtures/fixture/fixturetest"
)

// url is that of the endpoint, as the client sees it.
const url = "http://127.0.0.1/mcp"

// answer is what comes back for one message, while it comes.
type answer struct {
	status int
	header http.Header
	by     string // the address of the replica
	events bool
	body   io.ReadCloser
	lines  *bufio.Reader
}

// send sends one message through nginx, with more headers: names and values in turn.
func (c *cluster) send(message string, more ...string) *answer {
	c.t.Helper()
	r := fixturetest.Post(c.t, c.client, url, message, more...)
	// Where nginx has tried several, the last one has answered.
	tried := strings.Split(r.Header.Get("X-Upstream"), ", ")
	return &answer{
		status: r.StatusCode, header: r.Header, by: tried[len(tried)-1], body: r.Body, lines: bufio.NewReader(r.Body),
		events: strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream"),
	}
}

// next is the next message: that of an event, or all of a body of JSON. At the end it
// is "" with [io.EOF].
func (a *answer) next() (string, error) {
	if !a.events {
		text, err := io.ReadAll(a.lines)
		if err == nil && len(text) == 0 {
			err = io.EOF
		}
		return string(text), err
	}
	for {
		line, err := a.lines.ReadString('\n')
		if err != nil {
			return "", err
		}
		if data, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "data: "); ok && data != "" {
			return data, nil
		}
	}
}

// result reads to the response, and returns its result, or nil when the stream breaks
// off or something else comes.
func (a *answer) result() jsonrpc.Raw {
	defer a.body.Close()
	for {
		text, err := a.next()
		if err != nil {
			return nil
		}
		var m jsonrpc.Message
		var s jsonrpc.Scanner
		if s.Scan([]byte(text), &m) != nil {
			return nil
		}
		if m.Kind == jsonrpc.Response {
			return m.Result
		}
	}
}

// turns notes which replicas have answered, and fails when one comes twice in a row while all are
// there.
type turns []string

func (s *turns) add(c *cluster, a *answer) {
	c.t.Helper()
	if n := len(*s); n > 0 && (*s)[n-1] == a.by && len(c.replicas) == size {
		c.t.Errorf("%s has answered twice in a row", a.by)
	}
	if c.replicas[a.by] == nil {
		c.t.Errorf("%q has answered, which is no replica", a.by)
	}
	*s = append(*s, a.by)
}
