package httpmcp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// versions are the revisions that have Streamable HTTP, and the one before, which may be
// negotiated over it all the same.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// legacyClient is a legacy session as its client sees it.
type legacyClient struct {
	t       testing.TB
	url     string
	session string
	version string
	http    *http.Client
	ctx     context.Context // of requests; nil for one that does not end
	set     []string        // further headers, "Name: value"
}

// initialize is the body that opens a session.
func initialize(version, capabilities string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{` + capabilities + `},"clientInfo":{"name":"t","version":"0"}}}`
}

// dial opens a session and has it ready.
func dial(t testing.TB, url, version, capabilities string) *legacyClient {
	t.Helper()
	c := &legacyClient{t: t, url: url, version: version, http: http.DefaultClient}
	c.open(capabilities)
	c.want("initialized", c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), "202  ")
	return c
}

func (c *legacyClient) open(capabilities string) {
	c.t.Helper()
	reply := c.do("POST", initialize(c.version, capabilities))
	body := text(c.t, reply)
	c.session = reply.Header.Get("Mcp-Session-Id")
	if reply.StatusCode != 200 || c.session == "" || !strings.Contains(body, `"protocolVersion":"`+c.version+`"`) {
		c.t.Fatalf("initialize is answered with %d, session %q: %s", reply.StatusCode, c.session, body)
	}
}

// do sends a request and returns the response, of which the header has come.
func (c *legacyClient) do(method, body string, set ...string) *http.Response {
	c.t.Helper()
	ctx := c.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	reply, err := c.try(ctx, method, body, set...)
	if err != nil {
		c.t.Fatal(err)
	}
	return reply
}

func (c *legacyClient) try(ctx context.Context, method, body string, set ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method == "POST" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
		r.Header.Set("MCP-Protocol-Version", c.version)
	}
	for _, s := range append(c.set[:len(c.set):len(c.set)], set...) {
		key, value, _ := strings.Cut(s, ": ")
		r.Header.Del(key)
		if value != "" {
			r.Header.Set(key, value)
		}
	}
	return c.http.Do(r)
}

// post sends a message and returns what came of it, in one line: status, type and body.
func (c *legacyClient) post(body string, set ...string) string {
	c.t.Helper()
	return summary(c.t, c.do("POST", body, set...))
}

func summary(t testing.TB, reply *http.Response) string {
	t.Helper()
	return fmt.Sprint(reply.StatusCode, " ", reply.Header.Get("Content-Type"), " ", text(t, reply))
}

func text(t testing.TB, reply *http.Response) string {
	t.Helper()
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func (c *legacyClient) want(name, got, want string) {
	c.t.Helper()
	if got != want {
		c.t.Errorf("%s %s\n got %s\nwant %s", c.version, name, got, want)
	}
}

// has reports a fault unless got begins with a status and has a part.
func (c *legacyClient) has(name, got, status string, parts ...string) {
	c.t.Helper()
	for _, part := range append(parts, status) {
		if !strings.Contains(got, part) || !strings.HasPrefix(got, status) {
			c.t.Errorf("%s %s\n got %s\nwant %s and in it %s", c.version, name, got, status, part)
		}
	}
}

// tool is the body of a call.
func tool(id, name, more string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `"` + more + `}}`
}

// events is a stream that is read as it comes.
type events struct {
	body     io.Closer
	come     chan event
	last     string       // the newest id that next has given
	comments atomic.Int64 // that have come
}

type event struct {
	id, data string
}

func stream(t testing.TB, reply *http.Response) *events {
	t.Helper()
	if got := reply.Header.Get("Content-Type"); reply.StatusCode != 200 || got != "text/event-stream" {
		t.Fatalf("no stream: %s", summary(t, reply))
	}
	e := &events{body: reply.Body, come: make(chan event, 100)}
	go e.read(bufio.NewReader(reply.Body))
	return e
}

func (e *events) read(in *bufio.Reader) {
	defer close(e.come)
	defer e.body.Close()
	now, some := event{}, false
	for {
		line, err := in.ReadString('\n')
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case err != nil:
			return
		case line == "\n" && some:
			e.come <- now
			now, some = event{}, false
		case name == "id":
			now.id, some = value, true
		case name == "data":
			now.data, some = value, true
		case name == "" && line != "\n":
			e.comments.Add(1)
		}
	}
}

// next returns the data of the next event; "" for one without data, "end" at the end.
func (e *events) next() string {
	now, ok := <-e.come
	if !ok {
		return "end"
	}
	e.last = now.id
	return now.data
}

// message is next, behind events without data.
func (e *events) message() string {
	for {
		if data := e.next(); data != "" {
			return data
		}
	}
}

// everyVersion runs f in a session of each revision.
func everyVersion(t *testing.T, s func() *mcp.Server, o *httpmcp.Options, capabilities string, f func(t *testing.T, c *legacyClient, e *httpmcp.Endpoint)) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			url, e := serve(t, s(), o)
			f(t, dial(t, url, version, capabilities), e)
		})
	}
}

func tools(t testing.TB) func() *mcp.Server { return func() *mcp.Server { return toolServer(t) } }

// A session opens, answers, takes notifications and responses in with 202 and no body (B46),
// and ends by DELETE (B67).
func TestSession(t *testing.T) {
	everyVersion(t, tools(t), nil, "", func(t *testing.T, c *legacyClient, _ *httpmcp.Endpoint) {
		const found = `application/json {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}]}}`
		call := tool("1", "echo", `,"arguments":{"text":"x"}`)
		c.want("a call", c.post(call), "200 "+found)
		c.want("a call as a stream", strings.Replace(c.post(tool("1", "echo", `,"arguments":{"text":"x"}`), "Accept: text/event-stream")[:25], "\n", " ", -1), "200 text/event-stream "+map[bool]string{true: "ret", false: "eve"}[c.version == "2025-11-25"])
		c.want("a call without progress", c.post(tool("1", "progress", `,"arguments":{"text":"x"}`)), "200 "+found)
		c.want("no version header", c.post(call, "MCP-Protocol-Version"), "200 "+found)
		c.want("ping", c.post(`{"jsonrpc":"2.0","id":"p","method":"ping"}`), `200 application/json {"jsonrpc":"2.0","id":"p","result":{}}`)
		c.want("a method that is not there (B89)", c.post(`{"jsonrpc":"2.0","id":7,"method":"nonexistent/method"}`),
			`200 application/json {"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found: nonexistent/method"}}`)
		c.want("a capability that is not declared (B89)", c.post(`{"jsonrpc":"2.0","id":7,"method":"prompts/list"}`),
			`200 application/json {"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found: prompts/list"}}`)
		c.want("an error of the handler", c.post(tool("1", "fail", `,"arguments":{"text":"x"}`)), `200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-31999,"message":"own"}}`)
		c.has("a panic", c.post(tool("1", "panic", `,"arguments":{"text":"x"}`)), "200 ", `"id":1,"error":{"code":-32603,"message":"Internal error (correlation id`)
		c.want("a notification", c.post(`{"jsonrpc":"2.0","method":"notifications/unknown"}`), "202  ")
		c.want("a response that nobody waits for", c.post(`{"jsonrpc":"2.0","id":7,"result":{}}`), "202  ")
		c.has("a second initialize (B76)", c.post(initialize("2025-03-26", "")), "200 ", `"id":0,"error":{"code":-32600,"message":"Already initialized`)
		c.has("no JSON", c.post(`{`), "400 ", `-32700`)
		c.want("DELETE", summary(t, c.do("DELETE", "")), "204  ")
		const gone = `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Session not found`
		c.has("DELETE again", summary(t, c.do("DELETE", "")), "404 application/json", gone)
		c.has("POST behind it", c.post(call), "404 application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Session not found`)
		c.has("GET behind it", summary(t, c.do("GET", "")), "404 application/json", gone)
		c.has("DELETE of none", summary(t, c.do("DELETE", "", "Mcp-Session-Id")), "400 application/json", `"code":-32600`)
		c.has("GET of none", summary(t, c.do("GET", "", "Mcp-Session-Id")), "400 application/json", `"code":-32600`)
	})
}
