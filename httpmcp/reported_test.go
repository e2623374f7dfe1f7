package httpmcp_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"isthmus.internal/httpmcp"
)

// What is no message gets 400, an error of JSON-RPC and its id wherever that could be read, in both eras, and nothing
// of it runs (B01, B02, B14, B19, B22).
func TestNoMessages(t *testing.T) {
	const invalid = `400 application/json {"jsonrpc":"2.0",%s"error":{"code":-32600,`
	const call = `"method":"tools/call","params":{"name":"panic","arguments":{"text":"x"},` + modernMeta + `}`
	url, _ := serve(t, toolServer(t), nil)
	for _, row := range []struct{ name, body, id string }{
		{"B01 Method", `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, `"id":1,`},
		{"B14 no version", `{"id":99,` + call + `}`, `"id":99,`},
		{"B14 another version", `{"jsonrpc":"1.0","id":98,` + call + `}`, `"id":98,`},
		{"B14 a number", `{"jsonrpc":2.0,"id":97,` + call + `}`, `"id":97,`},
		{"B19 null", `{"jsonrpc":"2.0","id":null,` + call + `}`, ``},
		{"B22 an object", `{"jsonrpc":"2.0","id":{},` + call + `}`, ``},
		{"B22 an array", `{"jsonrpc":"2.0","id":[1],` + call + `}`, ``},
		{"B22 a truth value", `{"jsonrpc":"2.0","id":true,` + call + `}`, ``},
	} {
		want := fmt.Sprintf(invalid, row.id)
		for name, r := range map[string]*http.Request{
			"modern": post(t, url, "tools/call", "panic", row.body),
			"legacy": post(t, url, "", "", row.body, "Mcp-Method", "Mcp-Protocol-Version", "Mcp-Session-Id: "+dial(t, url, "2025-11-25", "").session),
			"bare":   post(t, url, "", "", row.body, "Mcp-Method", "Mcp-Protocol-Version"),
		} {
			if got := answer(t, r); !strings.HasPrefix(got, want) {
				t.Errorf("%s, %s\n got %s\nwant %s", row.name, name, got, want)
			}
		}
	}
	c := dial(t, url, "2025-11-25", "")
	const twice = `"name":"echo","Name":"panic","NAME":"panic","arguments":{"text":"x"}`
	c.want("B02 other names", c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+twice+`}}`), "200 application/json "+answered("1", "x"))
	c.has("B02 a long s", c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","param\u017f":{`+twice+`}}`), "200 ", `"id":1,"error":{"code":-32602,`)
}

// An id that is in flight in a session cannot be used again there, and the call that has it gets its own answer (B23). In
// the modern era an id means something within its POST alone: TestStatelessMixesNothing, TestSameIDs.
func TestIDInFlight(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		e := c.begin("1", "wait", withToken)
		c.want("the call", e.message(), progress(1))
		c.has("the same id", c.post(ping), "400 application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"id is in use`)
		c.has("as a text", c.post(`{"jsonrpc":"2.0","id":"1","method":"ping"}`), "200 ", `"id":"1","result":{}`)
		s.open <- struct{}{}
		<-s.ended
		c.want("the call", e.message(), progress(2))
		c.has("its answer", "200 "+e.message(), "200 ", `"id":1,"result":`)
		c.want("the id is free", c.post(ping), pong)
	})
}

// initialize is negotiated, or refused, as on any transport, and what is refused opens no session (B73, B77, B79, B80).
func TestNegotiation(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	c := &legacyClient{t: t, url: url, http: http.DefaultClient}
	const client = `,"capabilities":{},"clientInfo":{"name":"t","version":"0"}`
	for _, row := range []struct{ name, params, want string }{
		{"B73 no params", ``, `"error":{"code":-32602,`},
		{"B73 empty params", `,"params":{}`, `"error":{"code":-32602,`},
		{"B77 long ago", `,"params":{"protocolVersion":"1999-01-01"` + client + `}`, `"result":{"protocolVersion":"2025-11-25",`},
		{"B77 to come", `,"params":{"protocolVersion":"2099-01-01"` + client + `}`, `"result":{"protocolVersion":"2025-11-25",`},
		{"B77 draft", `,"params":{"protocolVersion":"draft"` + client + `}`, `"result":{"protocolVersion":"2025-11-25",`},
		{"the modern one", `,"params":{"protocolVersion":"2026-07-28"` + client + `}`, `"result":{"protocolVersion":"2025-11-25",`},
		{"B79 a number", `,"params":{"protocolVersion":20250618` + client + `}`, `"error":{"code":-32602,`},
		{"B79 null", `,"params":{"protocolVersion":null` + client + `}`, `"error":{"code":-32602,`},
		{"B79 a list", `,"params":{"protocolVersion":["2025-06-18"]` + client + `}`, `"error":{"code":-32602,`},
		{"B80 nothing else", `,"params":{"protocolVersion":"2025-06-18"}`, `"error":{"code":-32602,"message":"params.capabilities must be an object`},
		{"as it should be", `,"params":{"protocolVersion":"2025-06-18"` + client + `}`, `"result":{"protocolVersion":"2025-06-18",`},
	} {
		reply := c.do("POST", `{"jsonrpc":"2.0","id":1,"method":"initialize"`+row.params+`}`)
		id := reply.Header.Get("Mcp-Session-Id")
		c.has(row.name, summary(t, reply), "200 application/json", `{"jsonrpc":"2.0","id":1,`+row.want)
		if (id != "") != strings.HasPrefix(row.want, `"result"`) {
			t.Errorf("%s: the session is %q", row.name, id)
		}
		if id != "" {
			c.has(row.name+", then a list", c.post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, "Mcp-Session-Id: "+id), "200 ", `"id":2,"result":{"tools":[`)
		}
	}
}

// Each era's results have what is the era's, and nothing of the other one's (B88), at one URL in turn (B86); a request of neither is told of both ways
// in (B83).
func TestFieldsOfEras(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	fields := []string{`"resultType":"complete"`, `"ttlMs":`, `"cacheScope":`}
	c := dial(t, url, "2025-06-18", "")
	legacy := c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	modern := answer(t, post(t, url, "tools/list", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modernMeta+`}}`))
	discover := answer(t, post(t, url, "server/discover", "", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+modernMeta+`}}`))
	for _, field := range fields {
		if strings.Contains(legacy, field) || !strings.Contains(modern, field) || !strings.Contains(discover, field) {
			t.Errorf("%s must stand in modern results alone\nlegacy   %s\nmodern   %s\ndiscover %s", field, legacy, modern, discover)
		}
	}
	got := answer(t, post(t, url, "", "", tool("1", "echo", `,"arguments":{"text":"x"}`), "Mcp-Method", "Mcp-Protocol-Version"))
	c.has("neither era", got, "400 application/json", `"id":1,"error":{"code":-32602,`, "initialize", "io.modelcontextprotocol/protocolVersion")
}

// Methods that are not served are 405, and Allow names those that are (B44).
func TestOtherMethods(t *testing.T) {
	for _, row := range []struct {
		name, allow string
		o           *httpmcp.Options
	}{
		{"with sessions", "POST, GET, DELETE", nil},
		{"without", "POST", &httpmcp.Options{Stateless: true}},
	} {
		url, _ := serve(t, toolServer(t), row.o)
		for _, method := range []string{"PUT", "PATCH", "HEAD", "TRACE", "PROPFIND"} {
			reply := (&legacyClient{t: t, url: url, http: http.DefaultClient}).do(method, "")
			text(t, reply)
			if got := reply.Header.Get("Allow"); reply.StatusCode != 405 || got != row.allow {
				t.Errorf("%s %s: got %d, Allow %q, want 405, %q", method, row.name, reply.StatusCode, got, row.allow)
			}
		}
	}
}

// An endpoint does not look at its path, and sends nobody to another one (B49).
func TestAnyPath(t *testing.T) {
	e := httpmcp.Handler(toolServer(t), nil)
	defer e.Shutdown(t.Context())
	mux := http.NewServeMux()
	mux.Handle("/mcp", e)
	mux.Handle("/api/", http.StripPrefix("/api/v1", e))
	for _, row := range []struct {
		h    http.Handler
		path string
		want string
	}{
		{e, "/", "200 "}, {e, "/mcp", "200 "}, {e, "/mcp/", "200 "}, {e, "/a//b/../c?x=%zz", "200 "},
		{mux, "/mcp", "200 "}, {mux, "/mcp/", "404 "}, {mux, "/api/v1/mcp", "200 "}, {mux, "/api/v1", "200 "},
	} {
		l := httptest.NewServer(row.h)
		got := answer(t, post(t, l.URL+row.path, "tools/call", "echo", modernCall("1", "echo", "")))
		l.Close()
		if !strings.HasPrefix(got, row.want) {
			t.Errorf("%s: got %s, want %s", row.path, got, row.want)
		}
	}
}

// gathering is the writer of middleware that passes bytes on when it is flushed, and not before.
type gathering struct {
	http.ResponseWriter
	waiting bytes.Buffer
	headers int // how often one was written
}

func (g *gathering) Write(b []byte) (int, error) { return g.waiting.Write(b) }

func (g *gathering) WriteHeader(status int) {
	g.headers++
	g.ResponseWriter.WriteHeader(status)
}

func (g *gathering) FlushError() error {
	if _, err := g.waiting.WriteTo(g.ResponseWriter); err != nil {
		return err
	}
	return http.NewResponseController(g.ResponseWriter).Flush()
}

// An answer that has become a stream stays one to its end, with one header, and all of it has been flushed when the handler
// returns (B58, B62).
func TestStreamIsFlushed(t *testing.T) {
	e := httpmcp.Handler(toolServer(t), nil)
	defer e.Shutdown(t.Context())
	l := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g := &gathering{ResponseWriter: w}
		e.ServeHTTP(g, r)
		if r.Header.Get("X-Stream") == "" { // the setting up, which is not looked at
			g.waiting.WriteTo(w)
			return
		}
		if g.waiting.Len() > 0 || g.headers != 1 {
			t.Errorf("not flushed at the end: %q; %d headers, want 1", g.waiting.String(), g.headers)
		}
	}))
	defer l.Close()
	token := strings.Replace(modernCall("1", "progress", ""), `"_meta":{`, `"_meta":{"progressToken":7,`, 1)
	c := dial(t, l.URL, "2025-06-18", "")
	c.set = []string{"X-Stream: 1"}
	for name, reply := range map[string]*http.Response{
		"modern": must(t, post(t, l.URL, "tools/call", "progress", token, "X-Stream: 1")),
		"legacy": c.do("POST", tool("1", "progress", `,"arguments":{"text":"x"},"_meta":{"progressToken":7}`)),
	} {
		body, kinds, length := text(t, reply), reply.Header.Values("Content-Type"), reply.Header.Get("Content-Length")
		if len(kinds) != 1 || kinds[0] != "text/event-stream" || length != "" || strings.Count(body, "data: {") != 2 || !strings.HasSuffix(body, "}\n\n") || strings.HasPrefix(body, "{") {
			t.Errorf("%s: %q, Content-Length %q\n%s", name, kinds, length, body)
		}
	}
}

// Behind middleware that cannot flush nothing hangs: what can be is answered with JSON (B59).
func TestNoWayToFlush(t *testing.T) {
	e := httpmcp.Handler(toolServer(t), nil)
	defer e.Shutdown(t.Context())
	for _, row := range []struct {
		name, kind string
		wrap       func(w http.ResponseWriter) http.ResponseWriter
	}{
		{"Unwrap", "text/event-stream", func(w http.ResponseWriter) http.ResponseWriter { return unwraps{w} }},
		{"neither", "application/json", func(w http.ResponseWriter) http.ResponseWriter { return onlyWriter{w} }},
	} {
		t.Run(row.name, func(t *testing.T) {
			l := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { e.ServeHTTP(row.wrap(w), r) }))
			defer l.Close()
			token := strings.Replace(modernCall("1", "progress", ""), `"_meta":{`, `"_meta":{"progressToken":7,`, 1)
			c := dial(t, l.URL, "2025-06-18", "")
			for era, got := range map[string]string{
				"modern": answer(t, post(t, l.URL, "tools/call", "progress", token)),
				"legacy": c.post(tool("1", "progress", `,"arguments":{"text":"x"},"_meta":{"progressToken":7}`)),
			} {
				c.has(era, got, "200 "+row.kind, `{"jsonrpc":"2.0","id":1,"result":{`)
			}
		})
	}
}

// A proxy on the same machine that keeps the name of its clients is told which option lets it pass, and then passes (B149).
func TestHostOfProxy(t *testing.T) {
	for _, row := range []struct {
		hosts []string
		want  string
	}{
		{nil, "403 application/json"},
		{[]string{"other.example.com"}, "403 application/json"},
		{[]string{"app.example.com"}, "200 application/json"},
	} {
		url, _ := serve(t, toolServer(t), &httpmcp.Options{AllowedHosts: row.hosts})
		for name, r := range map[string]*http.Request{
			"modern": post(t, url, "tools/call", "echo", modernCall("1", "echo", "")),
			"legacy": post(t, url, "", "", initialize("2025-11-25", ""), "Mcp-Method", "Mcp-Protocol-Version"),
		} {
			r.Host = "app.example.com"
			if got := answer(t, r); !strings.HasPrefix(got, row.want) || strings.HasPrefix(got, "403") != strings.Contains(got, "none that this server allows") {
				t.Errorf("%v, %s: got %s, want %s", row.hosts, name, got, row.want)
			}
		}
	}
}
