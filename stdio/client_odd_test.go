package stdio_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// oddServer is the server's end of a stream that says what it likes: say is given each message
// of the client's, and what it returns is sent.
type oddServer struct {
	say func(m *jsonrpc.Message) []string

	mu   sync.Mutex
	came []string // the lines of the client
}

// serve connects a client to the server.
func (s *oddServer) serve(t *testing.T, o *discover.ConnectOptions) *mcp.Client {
	t.Helper()
	ours, theirs := net.Pipe()
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	serving.Go(func() {
		defer theirs.Close()
		for in := bufio.NewScanner(theirs); in.Scan(); {
			s.mu.Lock()
			s.came = append(s.came, in.Text())
			s.mu.Unlock()
			m, scanner := &jsonrpc.Message{}, jsonrpc.Scanner{}
			if fault := scanner.Scan(in.Bytes(), m); fault != nil {
				t.Errorf("the client has sent what is no message: %s: %v", in.Text(), fault)
			}
			for _, line := range s.say(m) {
				if _, err := fmt.Fprintln(theirs, line); err != nil {
					return
				}
			}
		}
	})
	c, _, err := discover.Connect(bounded(t), stdio.Stream(ours, nil), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// lines are those of the client that hold this text.
func (s *oddServer) lines(with string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.came), func(line string) bool { return !strings.Contains(line, with) })
}

// greet answers what a client asks first, in both eras, and a call of a tool.
func greet(m *jsonrpc.Message) []string {
	result := ""
	switch string(m.Method) {
	case "server/discover":
		result = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}`
	case "initialize":
		result = `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"odd","version":"0"}}`
	case "tools/call":
		result = `{"content":[]}`
	default:
		return nil
	}
	return []string{`{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":` + result + `}`}
}

// oddRequests are what a server should not ask, or not so, each with what a client of the legacy era
// answers; "" for nothing.
var oddRequests = []struct{ line, legacy string }{
	{`{"jsonrpc":"2.0","id":"a","method":"ping"}`, `{"jsonrpc":"2.0","id":"a","result":{}}`},
	{`{"jsonrpc":"2.0","id":"b","method":"roots/list"}`, `"id":"b","error":{"code":-32601,`},
	{`{"jsonrpc":"2.0","id":"c","method":"roots/list","params":7}`, `"id":"c","error":{"code":-32602,`},
	{`{"jsonrpc":"1.0","id":"d","method":"roots/list"}`, `"id":"d","error":{"code":-32600,`},
	{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, ""},
	{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, ""},
	{`[{"jsonrpc":"2.0","id":"e","method":"ping"}]`, ""},
	{`{"jsonrpc":"2.0","id":"f"`, ""},
}

// TestOddRequests (B35): a client of the modern era writes no responses, whatever it is asked, and also
// before it knows the era (2026-07-28 basic/transports/stdio, Sending Messages); one of the legacy
// era answers all that has an id.
func TestOddRequests(t *testing.T) {
	var all []string
	for _, odd := range oddRequests {
		all = append(all, odd.line, odd.line) // the second one finds the id in use, or the same
	}
	ask := func(when string) func(m *jsonrpc.Message) []string {
		return func(m *jsonrpc.Message) []string {
			if string(m.Method) == when {
				return append(slices.Clone(all), greet(m)...)
			}
			return greet(m)
		}
	}
	for _, when := range []string{"server/discover", "tools/call"} {
		s := &oddServer{say: ask(when)}
		c := s.serve(t, nil)
		for range 2 { // all that was written for the first is there before the second
			if _, err := c.CallTool(bounded(t), "x", nil, nil); err != nil {
				t.Errorf("%s: %v", when, err)
			}
		}
		c.Close()
		for _, line := range s.lines("") {
			if !strings.Contains(line, `"method":`) {
				t.Errorf("asked with the answer to %s, the modern client wrote %s\nwant requests alone", when, line)
			}
		}
	}

	s := &oddServer{say: ask("tools/call")}
	c := s.serve(t, &discover.ConnectOptions{Era: mcp.Legacy})
	if _, err := c.CallTool(bounded(t), "x", nil, nil); err != nil {
		t.Error(err)
	}
	answers := func() int { return len(s.lines("")) - len(s.lines(`"method":`)) }
	want := 0
	for _, odd := range oddRequests {
		if odd.legacy != "" {
			want += 2
			within(t, odd.line+" is answered", func() bool { return len(s.lines(odd.legacy)) > 0 })
		}
	}
	within(t, "all are answered", func() bool { return answers() >= want })
	if c.Close(); answers() != want {
		t.Errorf("the legacy client wrote %d answers, want %d: %q", answers(), want, s.lines(""))
	}
}

// TestBrokenResponse: a response that is none fails its call at once, as no error of the server, and
// no other call.
func TestBrokenResponse(t *testing.T) {
	for _, era := range []mcp.Eras{mcp.Modern, mcp.Legacy} {
		s := &oddServer{say: func(m *jsonrpc.Message) []string {
			switch name, _ := m.Param("name").Text(); name {
			case "odd":
				return []string{`{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":{},"error":{"code":1,"message":"no"}}`}
			case "long":
				return []string{`{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":{"a":"` + strings.Repeat("x", 16<<20) + `"}}`}
			}
			return greet(m)
		}}
		c := s.serve(t, &discover.ConnectOptions{Era: era})
		for _, row := range [][2]string{
			{"odd", "result must not stand beside error"},
			{"long", "Message too long: at most 16777216 bytes a line (ClientOptions.MaxMessage)"},
		} {
			_, err := c.CallTool(bounded(t), row[0], nil, nil)
			var told *jsonrpc.Error
			var broken *jsonrpc.BrokenResponse
			if !errors.As(err, &broken) || broken.Reason != row[1] || errors.As(err, &told) {
				t.Errorf("era %v: %v (%T), want that the response is none: %s", era, err, err, row[1])
			}
			if _, err := c.CallTool(bounded(t), "x", nil, nil); err != nil {
				t.Errorf("era %v, the next call: %v", era, err)
			}
		}
	}
}

// within waits until something is so.
func within(t *testing.T, what string, so func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for !so() {
		select {
		case <-ctx.Done():
			t.Errorf("it is not so: %s", what)
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// TestTornSubscription: what the server has ended the client does not cancel (2026-07-28
// basic/patterns/cancellation, Behavior Requirements), whether a result follows or not, and whether
// its user closes it, the context ends, or neither.
func TestTornSubscription(t *testing.T) {
	const note = `{"jsonrpc":"2.0","method":"notifications/`
	for _, end := range []string{"close", "context", "neither", "close before"} {
		torn := func(id string) string { return note + `cancelled","params":{"requestId":` + id + `}}` }
		s := &oddServer{say: func(m *jsonrpc.Message) []string {
			if string(m.Method) != "subscriptions/listen" {
				return greet(m)
			}
			lines := []string{note + `subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + m.ID.String() + `},` +
				`"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["a:b","a:c"]}}}`}
			if end != "close before" {
				lines = append(lines, torn(m.ID.String()))
			}
			return lines
		}}
		c := s.serve(t, nil)
		ctx, cancel := context.WithCancel(t.Context())
		sub, err := c.Listen(ctx, &mcp.Filter{ToolsListChanged: true, ResourceSubscriptions: []string{"a:c", "a:d"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%+v", sub.Honoured()); !strings.Contains(got, "ToolsListChanged:true PromptsListChanged:false") || !strings.Contains(got, "[a:c]") {
			t.Errorf("%s: honoured is %s, want what was asked for of it", end, got)
		}
		want := 0
		switch end {
		case "close before":
			sub.Close()
			want = 1
		case "close":
			<-sub.Done()
			sub.Close()
		case "context":
			<-sub.Done()
			cancel()
		case "neither":
			<-sub.Done()
			<-time.After(1200 * time.Millisecond) // until the client has given up to wait for the result
		}
		if _, err := c.CallTool(bounded(t), "x", nil, nil); err != nil {
			t.Errorf("%s: %v", end, err)
		}
		if got := s.lines("notifications/cancelled"); len(got) != want {
			t.Errorf("%s: the client sent %q, want %d", end, got, want)
		}
		cancel()
		c.Close()
	}
}
