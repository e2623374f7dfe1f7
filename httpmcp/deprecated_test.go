package httpmcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// oldClient is a client of the deprecated transport.
type oldClient struct {
	t      testing.TB
	http   *http.Client
	body   io.ReadCloser
	events *sseReader
	url    string // for messages
}

// serveOld runs an endpoint of that transport until the end of the test.
func serveOld(t testing.TB, s *mcp.Server, o *httpmcp.Options) (url string, e *httpmcp.SSEEndpoint) {
	t.Helper()
	e = httpmcp.SSEHandler(s, o)
	l := httptest.NewServer(e)
	t.Cleanup(func() {
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		e.Shutdown(gone)
		l.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return l.URL + "/sse", e
}

// open opens a stream and waits for its first event. It is open for twice patience at most.
func open(t testing.TB, at string, set ...string) *oldClient {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", at, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range set {
		key, value, _ := strings.Cut(s, ": ")
		r.Header.Set(key, value)
	}
	return openWith(t, http.DefaultClient, r)
}

func openWith(t testing.TB, client *http.Client, r *http.Request) *oldClient {
	t.Helper()
	reply, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	c := &oldClient{t: t, http: client, body: reply.Body, events: newSSEReader(reply.Body)}
	t.Cleanup(func() { c.body.Close() })
	if kind := reply.Header.Get("Content-Type"); reply.StatusCode != 200 || kind != "text/event-stream" {
		t.Fatalf("got %d and %s, want 200 and a stream", reply.StatusCode, kind)
	}
	first, err := c.events.next()
	if err != nil || first.name != "endpoint" {
		t.Fatalf("the first event is %q, %v", first, err)
	}
	to, err := r.URL.Parse(first.data)
	if err != nil {
		t.Fatal(err)
	}
	c.url = to.String()
	return c
}

// send posts one message and gives the reply, in one line.
func (c *oldClient) send(message string, set ...string) string {
	c.t.Helper()
	r, err := http.NewRequest("POST", c.url, strings.NewReader(message))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for _, s := range set {
		key, value, _ := strings.Cut(s, ": ")
		r.Header.Set(key, value)
	}
	reply, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.TrimSpace(fmt.Sprint(reply.StatusCode, " ", string(body)))
}

// say sends what must be taken in.
func (c *oldClient) say(message string) {
	c.t.Helper()
	if got := c.send(message); got != "202" {
		c.t.Fatalf("%s: got %s, want 202", message, got)
	}
}

// next is the next message of the stream, "" at its end.
func (c *oldClient) next() string {
	c.t.Helper()
	e, err := c.events.next()
	if errors.Is(err, context.DeadlineExceeded) {
		c.t.Fatal("no message has come, nor the end of the stream")
	}
	if err != nil {
		return ""
	}
	if e.name != "message" || e.id != "" {
		c.t.Errorf("got the event %q %q, want messages without ids", e.name, e.id)
	}
	return e.data
}

// want reads one message that begins so.
func (c *oldClient) want(start string) {
	c.t.Helper()
	if got := c.next(); !strings.HasPrefix(got, start) {
		c.t.Fatalf("got  %s\nwant %s", got, start)
	}
}

const oldInitialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{"sampling":{}},"clientInfo":{"name":"old","version":"1"}}}`

// begin opens a session that asks for a revision, and must get one.
func (c *oldClient) begin(asked, want string) {
	c.t.Helper()
	c.say(fmt.Sprintf(oldInitialize, asked))
	c.want(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"` + want + `"`)
	c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func oldCall(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"text":"x"}}}`
}

// The transport is of 2024-11-05, and its clients may negotiate what they like over it.
func TestDeprecated(t *testing.T) {
	tests := []struct{ asked, got string }{
		{"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"}, {"2025-06-18", "2025-06-18"},
		{"2025-11-25", "2025-11-25"}, {"2026-07-28", "2025-11-25"}, {"1999-01-01", "2025-11-25"},
	}
	for _, tt := range tests {
		t.Run(tt.asked, func(t *testing.T) {
			s := toolServer(t)
			url, _ := serveOld(t, s, nil)
			c := open(t, url)
			c.say(`{"jsonrpc":"2.0","id":"early","method":"tools/list"}`)
			c.want(`{"jsonrpc":"2.0","id":"early","error":{"code":-32602`)
			c.begin(tt.asked, tt.got)
			c.say(oldCall("1", "echo"))
			c.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}]`)
			c.say(strings.Replace(oldCall("2", "progress"), `"name"`, `"_meta":{"progressToken":"p"},"name"`, 1))
			c.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1`)
			c.want(`{"jsonrpc":"2.0","id":2,"result"`)
			c.say(oldCall("3", "ask"))
			c.want(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"`)
			c.say(`{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","content":{"type":"text","text":"hello"},"model":"m"}}`)
			c.want(`{"jsonrpc":"2.0","id":3,"result"`)
			c.say(oldCall("5", "ask"))
			c.want(`{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage"`)
			if got := c.send(`{"jsonrpc":"2.0","id":2,"result":{},"error":{}}`); !strings.HasPrefix(got, "400") {
				t.Errorf("a response that is none: got %s, want 400", got)
			}
			c.want(`{"jsonrpc":"2.0","id":5,"`)
			s.RemoveTool("fail")
			c.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"`)
			c.say(`{"jsonrpc":"2.0","id":4,"method":"nope"}`)
			c.want(`{"jsonrpc":"2.0","id":4,"error":{"code":-32601`)
		})
	}
}

func TestDeprecatedEndpointURL(t *testing.T) {
	tests := []struct {
		name, at string
		mount    func(h http.Handler) http.Handler
		opts     *httpmcp.Options
		want     string // with the id left out
	}{
		{"as it is", "/sse", nil, nil, "/sse?sessionId="},
		{"at the root", "", nil, nil, "/?sessionId="},
		{"behind a prefix", "/gw/sse", func(h http.Handler) http.Handler { return http.StripPrefix("/gw", h) }, nil, "/gw/sse?sessionId="},
		{"with a query", "/sse?tenant=a%26b&sessionId=stale", nil, nil, "/sse?sessionId=&tenant=a%26b"},
		{"escaped", "/a%2Fb%20c", nil, nil, "/a%2Fb%20c?sessionId="},
		{"as another host", "//evil.example/sse", nil, nil, "/.//evil.example/sse?sessionId="},
		{"told by option", "/sse", nil, &httpmcp.Options{PublicPath: "/public/sse"}, "/public/sse?sessionId="},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := httpmcp.SSEHandler(toolServer(t), tt.opts)
			var h http.Handler = e
			if tt.mount != nil {
				h = tt.mount(e)
			}
			l := httptest.NewServer(h)
			defer l.Close()
			defer e.Shutdown(context.Background())
			reply, err := http.Get(l.URL + tt.at)
			if err != nil {
				t.Fatal(err)
			}
			first, err := newSSEReader(reply.Body).next()
			if err != nil {
				t.Fatal(err)
			}
			asked, _ := url.Parse(l.URL + tt.at)
			to, err := asked.Parse(first.data)
			if err != nil || to.Host != asked.Host {
				t.Fatalf("%q leads to %v, %v", first.data, to, err)
			}
			id := to.Query().Get("sessionId")
			if got := strings.Replace(first.data, id, "", 1); got != tt.want || len(id) < 26 {
				t.Errorf("got %q with the id %q, want %q with 26 characters", got, id, tt.want)
			}
			reply.Body.Close()
		})
	}
}

// What cannot be taken in is told in the reply to the POST, and the session goes on.
func TestDeprecatedRefusals(t *testing.T) {
	at, _ := serveOld(t, toolServer(t), &httpmcp.Options{MaxBody: 1000, AllowedOrigins: []string{"https://app.example"}})
	c := open(t, at)
	c.begin("2024-11-05", "2024-11-05")
	ping := `{"jsonrpc":"2.0","id":9,"method":"ping"}`
	tests := []struct {
		name, method, url, body string
		set                     []string
		want                    string
	}{
		{"another method", "PUT", at, "", nil, "405"},
		{"GET with a body", "GET", at, ping, nil, "400"},
		{"DELETE", "DELETE", at, "", nil, "405"},
		{"no session", "POST", at, ping, nil, `400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"This URL serves the deprecated transport`},
		{"unknown session", "POST", at + "?sessionId=nope", ping, nil, `404 {"jsonrpc":"2.0","error":{"code":-32600`},
		{"another type", "POST", c.url, ping, []string{"Content-Type: text/plain"}, "415"},
		{"no JSON", "POST", c.url, "{", nil, `400 {"jsonrpc":"2.0","error":{"code":-32700`},
		{"empty", "POST", c.url, "", nil, `400 {"jsonrpc":"2.0","error":{"code":-32700`},
		{"no JSON-RPC", "POST", c.url, `{"id":1,"method":"ping"}`, nil, `400 {"jsonrpc":"2.0","id":1,"error":{"code":-32600`},
		{"a batch", "POST", c.url, "[" + ping + "]", nil, `400 {"jsonrpc":"2.0","error":{"code":-32600`},
		{"a batch that is no JSON", "POST", c.url, "[" + ping, nil, `400 {"jsonrpc":"2.0","error":{"code":-32700`},
		{"modern", "POST", c.url, modernCall("5", "echo", ""), nil, `400 {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"The transport HTTP with SSE serves legacy sessions alone`},
		{"too large", "POST", c.url, `{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"` + strings.Repeat("x", 1000) + `"}}`, nil, "413"},
		{"no stream wanted", "GET", at, "", []string{"Accept: application/json"}, "406"},
		{"foreign host", "GET", at, "", []string{"Host: evil.example:8080"}, "403"}, // B148
		{"foreign host of a message", "POST", c.url, ping, []string{"Host: evil.example:8080"}, "403"},
		{"foreign origin", "GET", at, "", []string{"Origin: https://evil.example"}, "403"},
		{"foreign origin of a message", "POST", c.url, ping, []string{"Origin: https://evil.example"}, "403"},
		{"allowed origin", "OPTIONS", at, "", []string{"Origin: https://app.example", "Access-Control-Request-Method: POST"}, "204"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := http.NewRequest(tt.method, tt.url, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			for _, s := range tt.set {
				key, value, _ := strings.Cut(s, ": ")
				if r.Header.Set(key, value); key == "Host" {
					r.Host = value
				}
			}
			got := answer(t, r)
			if got = strings.Replace(got, " application/json", "", 1); !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			c.say(ping)
			c.want(`{"jsonrpc":"2.0","id":9,"result":{}}`)
		})
	}
}

// What is served is named, with sessions or without (RFC 9110, 15.5.6).
func TestDeprecatedMethods(t *testing.T) {
	at, _ := serveOld(t, toolServer(t), &httpmcp.Options{Stateless: true, AllowedOrigins: []string{"https://app.example"}})
	tests := []struct {
		method, origin, header string
		status                 int
	}{
		{"PUT", "", "Allow", http.StatusMethodNotAllowed},
		{"DELETE", "", "Allow", http.StatusMethodNotAllowed},
		{"OPTIONS", "", "Allow", http.StatusMethodNotAllowed},
		{"OPTIONS", "https://app.example", "Access-Control-Allow-Methods", http.StatusNoContent},
	}
	for _, tt := range tests {
		r, err := http.NewRequest(tt.method, at, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
			r.Header.Set("Access-Control-Request-Method", "POST")
		}
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		if got := reply.Header.Get(tt.header); reply.StatusCode != tt.status || got != "GET, POST" {
			t.Errorf("%s from %q: got %d, %s %q, want %d, %q", tt.method, tt.origin, reply.StatusCode, tt.header, got, tt.status, "GET, POST")
		}
	}
}

// Hosts of the loopback pass (B148).
func TestDeprecatedHosts(t *testing.T) {
	at, _ := serveOld(t, toolServer(t), nil)
	for _, host := range []string{"localhost:8080", "[::1]:8080", "127.0.0.1"} {
		r, err := http.NewRequest("GET", at, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		openWith(t, http.DefaultClient, r).body.Close()
	}
}

// Batches are taken where 2025-03-26 has them, and answered in one event.
func TestDeprecatedBatch(t *testing.T) {
	at, _ := serveOld(t, toolServer(t), nil)
	c := open(t, at)
	c.begin("2025-03-26", "2025-03-26")
	c.say("[" + oldCall("1", "echo") + `,{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	c.want(`[{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}]}},{"jsonrpc":"2.0","id":2,"result":{}}]`)
}

// A session is its principal's.
func TestDeprecatedPrincipal(t *testing.T) {
	at, _ := serveOld(t, toolServer(t), &httpmcp.Options{Principal: func(r *http.Request) *mcp.Principal {
		if name := r.Header.Get("Authorization"); name != "" {
			return &mcp.Principal{ID: name}
		}
		return nil
	}})
	ping := `{"jsonrpc":"2.0","id":9,"method":"ping"}`
	ann, nobody := open(t, at, "Authorization: ann"), open(t, at)
	for _, tt := range []struct {
		name string
		got  string
		want string
	}{
		{"the owner", ann.send(ping, "Authorization: ann"), "202"},
		{"somebody else", ann.send(ping, "Authorization: bob"), "404"},
		{"nobody", ann.send(ping), "404"},
		{"nobody's own", nobody.send(ping), "202"},
		{"somebody in nobody's", nobody.send(ping, "Authorization: bob"), "404"},
	} {
		if !strings.HasPrefix(tt.got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.name, tt.got, tt.want)
		}
	}
	ann.want(`{"jsonrpc":"2.0","id":9,"result":{}}`)
	nobody.want(`{"jsonrpc":"2.0","id":9,"result":{}}`)
}

// B52: whatever a tool returns is one event. A long one leaves in several pieces, and is one
// event, too.
func TestDeprecatedOneEvent(t *testing.T) {
	evil := "x\revent: evil\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"
	long := strings.Repeat("long ", 300_000)
	s := mcp.NewServer("texts", "1", nil)
	for name, text := range map[string]string{"evil": evil, "long": long} {
		mcp.AddTool(s, mcp.Tool{Name: name}, func(context.Context, *mcp.Call, struct{}) (string, error) { return text, nil })
	}
	at, _ := serveOld(t, s, nil)
	c := open(t, at)
	c.begin("2024-11-05", "2024-11-05")
	for tool, text := range map[string]string{"evil": evil, "long": long} {
		c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `"}}`)
		want := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + string(jsonrpc.AppendString(nil, text)) + `}]}}`
		if got := c.next(); got != want {
			t.Errorf("%s: got %.200s, want %.200s", tool, got, want)
		}
	}
}

// Streams are many and messages come at once; each client sees its own answers, each
// once.
func TestDeprecatedTogether(t *testing.T) {
	at, _ := serveOld(t, toolServer(t), nil)
	const clients, calls = 8, 30
	done := make(chan struct{})
	for n := range clients {
		c := open(t, at)
		c.begin("2024-11-05", "2024-11-05")
		go func() {
			for i := range calls {
				go func() {
					call := strings.Replace(oldCall(fmt.Sprint(n*1000+i), "echo"), `"text":"x"`, fmt.Sprintf(`"text":"%d"`, n*1000+i), 1)
					if got := c.send(call); got != "202" {
						t.Errorf("%s: got %s, want 202", call, got)
					}
				}()
			}
			left := make(map[string]bool)
			for i := range calls {
				left[fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%d"}]}}`, n*1000+i, n*1000+i)] = true
			}
			for range calls {
				got := c.next()
				if !left[got] {
					t.Errorf("client %d got %s", n, got)
				}
				delete(left, got)
			}
			done <- struct{}{}
		}()
	}
	for range clients {
		<-done
	}
}
