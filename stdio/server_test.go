package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// newServer makes a server with a tool for each thing that a transport has to
// cope with. Calls of gate end when the channel is closed, whatever their context
// says. A nil log discards.
func newServer(log *slog.Logger, gate <-chan struct{}) *mcp.Server {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := mcp.NewServer("transport", "1.0.0", &mcp.ServerOptions{Logger: log})
	add := func(name string, h func(context.Context, *mcp.Call) (string, error)) {
		s.AddTool(mcp.Tool{Name: name, InputSchema: jsonrpc.Raw(`{"type":"object"}`)},
			func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
				text, err := h(ctx, c)
				return mcp.TextResult(text), err
			})
	}
	add("echo", func(_ context.Context, c *mcp.Call) (string, error) {
		text, _ := c.Argument("text").Text()
		return text, nil
	})
	add("who", func(_ context.Context, c *mcp.Call) (string, error) {
		return c.ClientInfo().Name + " " + c.ProtocolVersion(), nil
	})
	add("boom", func(context.Context, *mcp.Call) (string, error) { panic("/secret/path") })
	add("wait", func(ctx context.Context, c *mcp.Call) (string, error) {
		c.Progress(1, 0, "")
		<-ctx.Done()
		return "", ctx.Err()
	})
	add("gate", func(_ context.Context, c *mcp.Call) (string, error) {
		c.Progress(1, 0, "")
		<-gate
		return "through", nil
	})
	return s
}

// era is how a client of one era speaks.
type era struct {
	name    string
	open    []string // what comes before everything else
	replies int      // to open
	meta    string   // member of params of every request, or ""
}

func initialize(id int, version, client string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":%q,"version":"1"}}}`, id, version, client)
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

var (
	legacyEra = era{name: "legacy", open: []string{initialize(0, "2025-06-18", "old"), initialized}, replies: 1}
	modernEra = era{name: "modern", meta: `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"new","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`}
)

func eachEra(t *testing.T, f func(t *testing.T, e era)) {
	t.Helper()
	for _, e := range []era{legacyEra, modernEra} {
		t.Run(e.name, func(t *testing.T) { f(t, e) })
	}
}

// request makes a request. members are those of params.
func (e era) request(id int, method, members string) string {
	meta := fmt.Sprintf(`"_meta":{"progressToken":%d`, id)
	if e.meta != "" {
		meta += "," + e.meta
	}
	if members != "" {
		members += ","
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}}`, id, method, members, meta)
}

// call makes a request that calls a tool with the argument text.
func (e era) call(id int, tool, text string) string {
	return e.request(id, "tools/call", fmt.Sprintf(`"name":%q,"arguments":{"text":%q}`, tool, text))
}

// message is what a client receives.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  *struct {
		Content []struct{ Text string } `json:"content"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	line string
}

// text is that of the first block of a tool's result, or what came in its place.
func (m message) text() string {
	if m.Result == nil || len(m.Result.Content) == 0 {
		return "not a tool's result: " + m.line
	}
	return m.Result.Content[0].Text
}

// client is the other end of a stream.
type client struct {
	t testing.TB
	w io.Writer
	r *bufio.Reader
}

func newClient(t testing.TB, r io.Reader, w io.Writer) *client {
	return &client{t, w, bufio.NewReader(r)}
}

// send sends each text as a line.
func (c *client) send(lines ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c.w, strings.Join(lines, "\n")+"\n"); err != nil {
		c.t.Fatalf("sending %.200q: %v", lines, err)
	}
}

// next receives a message, or reports false at the end of the stream.
func (c *client) next() (m message, ok bool) {
	c.t.Helper()
	line, err := c.r.ReadString('\n')
	if err == io.EOF && line == "" {
		return m, false
	}
	if err != nil {
		c.t.Fatalf("receiving after %.200q: %v", line, err)
	}
	return c.parse(line), true
}

func (c *client) parse(line string) (m message) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" {
		c.t.Fatalf("received %.200q, which is no message: %v", line, err)
	}
	m.line = line
	return m
}

func (c *client) receive() message {
	c.t.Helper()
	m, ok := c.next()
	if !ok {
		c.t.Fatal("the stream ended where a message was due")
	}
	return m
}

// maybe receives a message unless the stream ends in any way.
func (c *client) maybe() (m message, ok bool) {
	c.t.Helper()
	line, err := c.r.ReadString('\n')
	if err != nil {
		return m, false
	}
	return c.parse(line), true
}

// ask sends a line and receives the next message.
func (c *client) ask(line string) message {
	c.t.Helper()
	c.send(line)
	return c.receive()
}

// open begins as a client of the era does.
func (c *client) open(e era) {
	c.t.Helper()
	if len(e.open) > 0 {
		c.send(e.open...)
	}
	for range e.replies {
		if m := c.receive(); m.Result == nil {
			c.t.Fatalf("the handshake was answered with %s", m.line)
		}
	}
}

// rest receives until the stream ends, by id.
func (c *client) rest() map[string]message {
	c.t.Helper()
	all := map[string]message{}
	for {
		m, ok := c.next()
		if !ok {
			return all
		}
		if m.Method != "" {
			continue
		}
		if _, twice := all[string(m.ID)]; twice {
			c.t.Fatalf("a second answer for id %s: %s", m.ID, m.line)
		}
		all[string(m.ID)] = m
	}
}

// end waits for a server's end and compares.
func end(t testing.TB, done <-chan error, want error) {
	t.Helper()
	if err := <-done; !errors.Is(err, want) || want == nil && err != nil {
		t.Errorf("the server ended with %v, want %v", err, want)
	}
}
