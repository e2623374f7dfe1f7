package httpmcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// A modern notification needs no header and is taken with 202 (B46), but what cannot be accepted is 400 with an error
// without id: where headers lie, for a revision that is not served, and where none is named (2026-07-28
// basic/transports/streamable-http, Sending Messages and Server Validation).
func TestModernNotification(t *testing.T) {
	const mismatch, unsupported = `400 application/json {"jsonrpc":"2.0","error":{"code":-32020,`, `400 application/json {"jsonrpc":"2.0","error":{"code":-32022,`
	const none = `400 application/json {"jsonrpc":"2.0","error":{"code":-32600,"message":"The notification names no revision`
	body := func(version string) string {
		return `{"jsonrpc":"2.0","method":"notifications/x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":` + version + `}}}`
	}
	const bare = `{"jsonrpc":"2.0","method":"notifications/x"}`
	url, _ := serve(t, toolServer(t), nil)
	for _, row := range []struct {
		name, body string
		set        []string
		want       string
	}{
		{"all headers", body(`"2026-07-28"`), nil, "202  "},
		{"no headers", body(`"2026-07-28"`), []string{"Mcp-Method", "Mcp-Protocol-Version"}, "202  "},
		{"the version in the header alone", bare, []string{"Mcp-Method"}, "202  "},
		{"a cancellation", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, []string{"Mcp-Method: notifications/cancelled"}, "202  "},
		{"another method", body(`"2026-07-28"`), []string{"Mcp-Method: notifications/y"}, mismatch},
		{"another version", body(`"2026-07-28"`), []string{"Mcp-Protocol-Version: 2025-11-25"}, mismatch},
		{"a version that is not served", body(`"1900-01-01"`), []string{"Mcp-Protocol-Version: 1900-01-01"}, unsupported},
		{"the same, in the body alone", body(`"1900-01-01"`), []string{"Mcp-Protocol-Version"}, unsupported},
		{"the same, in the header alone", bare, []string{"Mcp-Protocol-Version: 1900-01-01"}, unsupported},
		{"a version that is no string", body(`3`), []string{"Mcp-Protocol-Version"}, `400 application/json {"jsonrpc":"2.0","error":{"code":-32602,`},
		{"no version at all", bare, []string{"Mcp-Protocol-Version"}, none},
		{"that of a legacy client without its session", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, []string{"Mcp-Method", "Mcp-Protocol-Version"}, none},
		{"the same with its version", bare, []string{"Mcp-Method", "Mcp-Protocol-Version: 2025-06-18"}, `400 application/json {"jsonrpc":"2.0","error":{"code":-32602,`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := answer(t, post(t, url, "notifications/x", "", row.body, row.set...)); !strings.HasPrefix(got, row.want) || row.want == "202  " && got != row.want {
				t.Errorf("%s %q\n got %s\nwant %s", row.body, row.set, got, row.want)
			}
		})
	}
}

// A status that the specification demands is sent to a client that takes events alone, too (2026-07-28
// basic/transports/streamable-http, Protocol Version Header; basic/index, Per-request protocol fields).
func TestStatusWithoutJSON(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	for _, row := range []struct {
		name string
		r    *http.Request
		want string
	}{
		{"a method that is not there", post(t, url, "nope", "", `{"jsonrpc":"2.0","id":1,"method":"nope","params":{`+modernMeta+`}}`), "404 application/json {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,"},
		{"a capability that the client lacks", post(t, url, "tools/call", "ask", modernCall("1", "ask", "")), "400 application/json {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32021,"},
		{"a version that is not served", post(t, url, "tools/call", "echo", strings.Replace(modernCall("1", "echo", ""), "2026-07-28", "1900-01-01", 1), "Mcp-Protocol-Version: 1900-01-01"), "400 application/json {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,"},
		{"headers that lie", post(t, url, "tools/call", "fail", modernCall("1", "echo", "")), "400 application/json {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32020,"},
		{"another error", post(t, url, "tools/call", "fail", modernCall("1", "fail", "")), "200 text/event-stream event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-31999,"},
	} {
		row.r.Header.Set("Accept", "text/event-stream")
		if got := answer(t, row.r); !strings.HasPrefix(got, row.want) {
			t.Errorf("%s\n got %s\nwant %s", row.name, got, row.want)
		}
	}
}

// A response that is not taken is refused without its id: that is one of ours, and the client may have a request with
// the same one (2025-11-25 basic/transports, Sending Messages to the Server, 4).
func TestResponseRefusedWithoutID(t *testing.T) {
	const good, broken = `{"jsonrpc":"2.0","id":5,"result":{}}`, `{"jsonrpc":"2.0","id":5,"result":{},"error":{"code":1,"message":""}}`
	url, _ := serve(t, toolServer(t), nil)
	c := dial(t, url, "2025-11-25", "")
	old, _ := serveOld(t, toolServer(t), nil)
	o := open(t, old)
	for name, got := range map[string]string{
		"modern":                    answer(t, post(t, url, "x", "", good, "Mcp-Method")),
		"modern, broken":            answer(t, post(t, url, "x", "", broken, "Mcp-Method")),
		"neither era":               answer(t, post(t, url, "x", "", good, "Mcp-Method", "Mcp-Protocol-Version")),
		"in no session":             c.post(good, "Mcp-Session-Id"),
		"in no session, broken":     c.post(broken, "Mcp-Session-Id"),
		"in a session, broken":      c.post(broken),
		"in an unknown one":         c.post(good, "Mcp-Session-Id: x"),
		"in an unknown one, broken": c.post(broken, "Mcp-Session-Id: x"),
		"in another version":        c.post(good, "Mcp-Protocol-Version: 2025-06-18"),
		"HTTP with SSE, broken":     o.send(broken),
	} {
		if !strings.HasPrefix(got, "40") || !strings.Contains(got, `{"jsonrpc":"2.0","error":{"code":`) {
			t.Errorf("%s: got %s, want an error without id", name, got)
		}
	}
}

// What the headers rule out of a request whose id could be read is refused with that id (2026-07-28 basic/index, Error
// Responses).
func TestListenRefusedWithID(t *testing.T) {
	url, _ := serve(t, toolServer(t), &httpmcp.Options{MaxStreams: 1})
	first := must(t, post(t, url, "subscriptions/listen", "", listen))
	defer first.Body.Close()
	for set, want := range map[string]string{"Accept: application/json": "406", "Accept: */*": "503"} {
		if got := answer(t, post(t, url, "subscriptions/listen", "", listen, set)); !strings.HasPrefix(got, want+` application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32`) {
			t.Errorf("%s: got %s, want %s and the id", set, got, want)
		}
	}
}

// A request that names a session which has ended is 404, whatever its body is (2025-11-25 basic/transports, Session
// Management, 3).
func TestEndedSessionComesFirst(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	for _, version := range versions {
		c := dial(t, url, version, "")
		c.want("DELETE", summary(t, c.do("DELETE", "")), "204  ")
		for _, body := range []string{
			tool("1", "echo", ""), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `[` + tool("1", "echo", "") + `]`, initialize(version, ""),
			``, `{`, `[`, `[]`, `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`,
		} {
			c.has("POST of "+body, c.post(body), "404 application/json", "Session not found")
		}
		c.has("GET", summary(t, c.do("GET", "")), "404 application/json", "Session not found")
		c.has("DELETE", summary(t, c.do("DELETE", "")), "404 application/json", "Session not found")
	}
}

// The version that initialize comes with is one that is served, or the one that it asks for, which is negotiated.
func TestVersionOfInitialize(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	for _, row := range []struct{ header, asked, want string }{
		{"", "2025-06-18", "200 2025-06-18"},
		{"2025-06-18", "2025-06-18", "200 2025-06-18"},
		{"2026-07-28", "2025-06-18", "200 2025-06-18"}, // of a client that has tried the modern era first
		{"2099-01-01", "2099-01-01", "200 2025-11-25"},
		{"1.0", "2025-06-18", "400"},
		{"not-a-version", "2025-11-25", "400"},
		{"2099-01-01", "2025-11-25", "400"},
	} {
		c := &legacyClient{t: t, url: url, http: http.DefaultClient}
		reply := c.do("POST", initialize(row.asked, ""), "Mcp-Protocol-Version: "+row.header)
		body := text(t, reply)
		got := fmt.Sprint(reply.StatusCode)
		if _, version, ok := strings.Cut(body, `"protocolVersion":"`); ok {
			got += " " + version[:len("2025-11-25")]
		}
		if got != row.want || (reply.Header.Get("Mcp-Session-Id") != "") != (reply.StatusCode == 200) {
			t.Errorf("header %q, asked for %q: got %s %s, session %q, want %s", row.header, row.asked, got, body, reply.Header.Get("Mcp-Session-Id"), row.want)
		}
	}
}

// Where initialize is answered with a stream, it is one like any other: with ids, and with an event without data first
// in the revision that has that (2025-11-25 basic/transports, Sending Messages to the Server, 6).
func TestInitializeAsStream(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	for _, version := range versions {
		c := &legacyClient{t: t, url: url, version: version, http: http.DefaultClient}
		reply := c.do("POST", initialize(version, ""), "Accept: text/event-stream")
		c.session = reply.Header.Get("Mcp-Session-Id")
		e := stream(t, reply)
		if version == "2025-11-25" {
			c.want("the first event", e.next(), "")
		}
		first := e.last
		c.has("the answer", e.next(), `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"`+version+`"`)
		if e.last == "" || e.last == first {
			t.Errorf("%s: the ids are %q and %q, want two", version, first, e.last)
		}
		c.want("the end", e.next(), "end")
		if first != "" {
			c.has("again", stream(t, c.do("GET", "", "Last-Event-ID: "+first)).message(), `{"jsonrpc":"2.0","id":0,"result":`)
		}
		c.want("ping", c.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), `200 application/json {"jsonrpc":"2.0","id":1,"result":{}}`)
	}
}

// A GET that cannot be answered with a stream is 405 (2025-11-25 basic/transports, Listening for Messages from the
// Server, 3), and Allow says what is left.
func TestGetWithoutFlush(t *testing.T) {
	url, e := serve(t, toolServer(t), nil)
	c := dial(t, url, "2025-11-25", "")
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Mcp-Session-Id", c.session)
	w := httptest.NewRecorder()
	e.ServeHTTP(struct{ http.ResponseWriter }{w}, r) // which has no Flush
	if got := w.Header().Get("Allow"); w.Code != http.StatusMethodNotAllowed || got != "POST, DELETE" {
		t.Errorf("got %d, Allow %q, %s, want 405 and POST, DELETE", w.Code, got, w.Body)
	}
}

// What sessions and streams of the legacy era have in headers means nothing to a modern request, and is not sent with
// its answer, also where there is such a session (2026-07-28 basic/transports/streamable-http, Earlier Streamable HTTP
// Revisions).
func TestModernKnowsNoSession(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	for _, id := range []string{"x", dial(t, url, "2025-11-25", "").session} {
		for _, accept := range []string{"application/json", "text/event-stream"} {
			reply := must(t, post(t, url, "tools/call", "echo", modernCall("1", "echo", ""), "Mcp-Session-Id: "+id, "Last-Event-ID: 1.1", "Accept: "+accept))
			body := text(t, reply)
			if reply.StatusCode != 200 || reply.Header.Get("Mcp-Session-Id") != "" || !strings.Contains(body, result) || strings.Contains(body, "id: ") {
				t.Errorf("session %q, %s: got %d %v %s, want an answer without session and ids of events", id, accept, reply.StatusCode, reply.Header, body)
			}
		}
	}
}

// A quiet listen stream is kept alive by comments, and they are nothing else: what comes behind them is whole (2026-07-28
// basic/transports/streamable-http, Receiving Messages).
func TestListenQuiet(t *testing.T) {
	var s *workshop
	inBubble(t, func() *mcp.Server { s = newWorkshop(); return s.Server }, &httpmcp.Options{KeepAlive: time.Second}, func(t *testing.T, w *world) {
		reply, err := w.http.Do(post(t, "http://127.0.0.1/", "subscriptions/listen", "", listen).WithContext(w.ctx))
		if err != nil {
			t.Fatal(err)
		}
		e := stream(t, reply)
		const id = `"_meta":{"io.modelcontextprotocol/subscriptionId":1}`
		want := func(want string) {
			t.Helper()
			if got := e.next(); got != want || e.last != "" {
				t.Errorf("got id %q, %s\nwant no id, %s", e.last, got, want)
			}
		}
		want(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` + id + `,"notifications":{"toolsListChanged":true}}}`)
		<-time.After(time.Minute)
		s.change()
		want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{` + id + `}}`)
		if got := e.comments.Load(); got < 58 || got > 60 {
			t.Errorf("%d comments in a minute, want one a second", got)
		}
	})
}
