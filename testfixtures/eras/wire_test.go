package eras_test

import (
	"bufio"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// far is the server's end of a stream, by hand.
type far struct {
	t     *testing.T
	c     net.Conn
	lines *bufio.Scanner
}

// next is the next line of the client.
func (f *far) next() string {
	f.c.SetDeadline(time.Now().Add(patience))
	if !f.lines.Scan() {
		f.t.Errorf("the client says nothing: %v", f.lines.Err())
		return ""
	}
	return f.lines.Text()
}

// expects reads a line of the client and gives its id.
func (f *far) expects(method string) jsonrpc.ID { return f.reads(f.next(), method) }

func (f *far) reads(line, method string) jsonrpc.ID {
	var m jsonrpc.Message
	scanner := jsonrpc.Scanner{}
	if e := scanner.Scan([]byte(line), &m); e != nil || string(m.Method) != method {
		f.t.Errorf("got %s, want %s", line, method)
	}
	return m.ID.Clone()
}

func (f *far) says(lines ...string) {
	f.c.SetDeadline(time.Now().Add(patience))
	if _, err := f.c.Write([]byte(strings.Join(lines, "\n") + "\n")); err != nil {
		f.t.Errorf("%q: %v", lines, err)
	}
}

// byHand connects to a server that the test is.
func byHand(t *testing.T, o *discover.ConnectOptions, server func(f *far), client func(c *mcp.Client)) {
	t.Helper()
	near, there := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer there.Close()
		f := &far{t, there, bufio.NewScanner(there)}
		server(f)
		for f.lines.Scan() { // the rest
		}
	}()
	c, _, err := discover.Connect(t.Context(), stdio.Stream(near, nil), o)
	if err != nil {
		t.Error(err)
	} else {
		client(c)
		c.Close()
	}
	near.Close()
	<-done
}

func answer(id jsonrpc.ID, result string) string {
	return `{"jsonrpc":"2.0","id":` + id.String() + `,"result":` + result + `}`
}

// TestModernAnswersNothing: a server of the modern era that sends a request, or what is no
// message, gets no answer to it: a client of that era sends no responses (2026-07-28
// basic/transports/stdio, Sending Messages).
func TestModernAnswersNothing(t *testing.T) {
	byHand(t, nil, func(f *far) {
		id := f.expects("server/discover")
		f.says(`{"jsonrpc":"2.0","id":3,"method":"ping","params":7}`, `{"id":"z","method":"ping"}`) // while the era is unknown
		f.says(answer(id, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`),
			`{"jsonrpc":"2.0","id":"x","method":"roots/list"}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, `no message`, `[]`, `{"id":7}`)
		id = f.expects("tools/list")
		f.says(`{"jsonrpc":"2.0","id":"y","method":"sampling/createMessage","params":{}}`, answer(id, `{"tools":[]}`))
		f.says(answer(f.expects("tools/list"), `{"tools":[]}`))
	}, func(c *mcp.Client) {
		for range 2 {
			if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestLateProbe: an answer to the probe that comes when the server has been given up as a
// modern one is dropped.
func TestLateProbe(t *testing.T) {
	byHand(t, &discover.ConnectOptions{ProbeTime: 20 * time.Millisecond}, func(f *far) {
		probe := f.expects("server/discover")
		id := f.expects("initialize")
		f.says(answer(probe, `{"supportedVersions":["2026-07-28"],"capabilities":{}}`),
			`{"jsonrpc":"2.0","id":"p","method":"ping"}`,
			answer(id, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"old","version":"1"}}`))
		// The answer to the ping may come before, between or behind the two others.
		const pong = `{"jsonrpc":"2.0","id":"p","result":{}}`
		said := []string{f.next(), f.next(), f.next()}
		rest := slices.DeleteFunc(slices.Clone(said), func(line string) bool { return line == pong })
		if len(rest) != 2 || !strings.Contains(rest[0], "notifications/initialized") || !strings.Contains(rest[1], "tools/list") {
			f.t.Errorf("got %q", said)
			return
		}
		f.says(answer(f.reads(rest[1], "tools/list"), `{"tools":[]}`))
	}, func(c *mcp.Client) {
		if c.ProtocolVersion() != "2025-06-18" {
			t.Errorf("the client speaks %s", c.ProtocolVersion())
		}
		if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
			t.Error(err)
		}
	})
}
