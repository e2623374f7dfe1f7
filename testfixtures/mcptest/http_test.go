package mcptest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/testfixtures/mcptest"
)

// answering is a server that gives one answer to every POST, in which ID stands for the id
// of the message, if it has one.
func answering(status int, header, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		for line := range strings.SplitSeq(header, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		io.WriteString(w, strings.ReplaceAll(body, "ID", string(mcptest.At(sent, "id"))))
	}
}

const (
	jsonType   = "Content-Type: application/json"
	eventsType = "Content-Type: text/event-stream\nCache-Control: no-cache\nX-Accel-Buffering: no"
	emptyList  = `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}}`
)

// TestHTTPFinds: a client fails its test for answers that are not as they must be over HTTP.
func TestHTTPFinds(t *testing.T) {
	failure := func(code int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":ID,"error":{"code":%d,"message":"m"}}`, code)
	}
	list := func(c *mcptest.Client) { c.Request("tools/list", "") }
	note := func(c *mcptest.Client) { c.Notify("notifications/x", "") }
	tests := []struct {
		name         string
		status       int
		header, body string
		do           func(c *mcptest.Client)
		want         string
	}{
		{"a good answer", 200, jsonType, emptyList, list, ""},
		{"a good stream", 200, eventsType, ": keep-alive\n\nevent: message\ndata: " + emptyList + "\n\n", list, ""},
		{"a notification taken", 202, "X: x", "", note, ""},
		{"a notification refused", 400, jsonType, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`, note, ""},
		{"another type", 200, "Content-Type: text/plain", emptyList, list, "a message that is no application/json"},
		{"no message", 200, jsonType, `7`, list, "a body that is no message"},
		{"nothing", 200, jsonType, ``, list, "a request without an answer"},
		{"a notification answered", 200, jsonType, `{}`, note, "nothing was asked, so the answer is 202 without a body"},
		{"a notification taken with 200", 200, jsonType, ``, note, "nothing was asked, so the answer is 202 without a body"},
		{"an unknown method with 200", 200, jsonType, failure(-32601), list, "an error with a status that it does not have"},
		{"an unknown method with 404", 404, jsonType, failure(-32601), list, ""},
		{"a mismatch with 200", 200, jsonType, failure(-32020), list, "an error with a status that it does not have"},
		{"a mismatch with 400", 400, jsonType, failure(-32020), list, ""},
		{"a parse error with 200", 200, jsonType, failure(-32700), list, "an error with a status that it does not have"},
		{"bad params with 500", 500, jsonType, failure(-32602), list, "an error with a status that it does not have"},
		{"a result with 201", 201, jsonType, emptyList, list, "a result has the status 200"},
		{"a stream with 201", 201, eventsType, "data: " + emptyList + "\n\n", list, "a stream has the status 200"},
		{"a stream that is held back", 200, "Content-Type: text/event-stream\nCache-Control: no-cache", "data: " + emptyList + "\n\n", list, "a stream that a proxy may hold back"},
		{"a stream that is kept", 200, "Content-Type: text/event-stream\nX-Accel-Buffering: no", "data: " + emptyList + "\n\n", list, "a stream that a proxy may keep"},
		{"an id", 200, eventsType, "id: 1\ndata: " + emptyList + "\n\n", list, "modern streams cannot be resumed"},
		{"more behind the answer", 200, eventsType, "data: " + emptyList + "\n\ndata: {}\n\n", list, "an event behind the answer"},
		{"an event of another name", 200, eventsType, "event: result\ndata: " + emptyList + "\n\n", list, "an event that clients do not look at"},
		{"an empty event", 200, eventsType, "event: message\n\ndata: " + emptyList + "\n\n", list, "an event that says nothing"},
		{"no message in an event", 200, eventsType, "data: 7\n\ndata: " + emptyList + "\n\n", list, "an event that holds no message"},
		{"an odd line", 200, eventsType, "date: 7\n\n", list, `a line that means nothing: "date: 7"`},
		{"an event that stays open", 200, eventsType, "data: " + emptyList + "\n", list, "the stream ends within an event"},
		{"a retry that is none", 200, eventsType, "retry: soon\n\n", list, `the line "retry: soon" has no number`},
	}
	for _, test := range tests {
		var found string
		synctest.Test(t, func(t *testing.T) {
			found = record(t, func(t testing.TB) {
				c := mcptest.Dial(t, sound(nil, nil)(t), &mcptest.Options{Unchecked: true, Transport: mcptest.HTTPWith(answering(test.status, test.header, test.body))})
				test.do(c)
				c.Close()
			})
		})
		if (found == "") != (test.want == "") || !strings.Contains(found, test.want) {
			t.Errorf("%s\n got %s\nwant %s", test.name, found, test.want)
		}
	}
}

// TestHTTPResumes: a legacy client comes back for the rest of a stream, after the time that
// it is told, and with the id that it has seen last.
func TestHTTPResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var left time.Time
		endpoint := func(w http.ResponseWriter, r *http.Request) {
			sent, _ := io.ReadAll(r.Body)
			switch {
			case mcptest.At(sent, "method").Is("initialize"):
				answering(200, jsonType+"\nMcp-Session-Id: s", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)(w, r)
			case r.Header.Get("Mcp-Session-Id") != "s" || r.Header.Get("MCP-Protocol-Version") != "2025-11-25":
				t.Errorf("%s %s has the headers %v", r.Method, sent, r.Header)
			case r.Method == "POST" && mcptest.At(sent, "id") == nil:
				w.WriteHeader(http.StatusAccepted)
			case r.Method == "POST":
				left = time.Now()
				answering(200, eventsType, "id: a/1\nretry: 2000\ndata:\n\n")(w, r)
			case r.Header.Get("Last-Event-ID") == "a/1":
				if waited := time.Since(left); waited < 2*time.Second || waited > 3*time.Second {
					t.Errorf("the client came back after %v, want 2s", waited)
				}
				answering(200, eventsType, "id: a/2\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n")(w, r)
			default: // the stream of the session
				answering(200, eventsType, ": nothing\n\n")(w, r)
			}
		}
		c := mcptest.Dial(t, sound(nil, nil)(t), &mcptest.Options{Revision: "2025-11-25", Transport: mcptest.HTTPWith(endpoint)})
		if r := c.Request("ping", ""); string(r.Result) != `{}` {
			t.Errorf("got %s", r)
		}
	})
}

// TestSSEFinds: the same over the transport of 2024-11-05.
func TestSSEFinds(t *testing.T) {
	const endpoint = "event: endpoint\ndata: /messages?id=1\n\n"
	tests := []struct {
		name, stream string
		status       int
		body, want   string
	}{
		{"good", endpoint + "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n\n", 202, "", ""},
		{"a refusal", endpoint, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"m"}}`, ""},
		{"no endpoint", "event: message\ndata: {}\n\n", 202, "", "want the endpoint"},
		{"no event", "", 202, "", "opening the stream: EOF"},
		{"another host", "event: endpoint\ndata: http://evil.example/messages\n\n", 202, "", "the endpoint is on another host"},
		{"no URL", "event: endpoint\ndata: http://%zz\n\n", 202, "", "opening the stream"},
		{"an event with an id", endpoint + "event: message\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n\n", 202, "", "an event that is no message"},
		{"a message answered with 200", endpoint, 200, `{}`, "a message is answered with 202, or refused"},
		{"a stream that breaks", endpoint + "data: x\n", 202, "", "the stream ends with the stream ends within an event"},
	}
	for _, test := range tests {
		serve := func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == "POST":
				answering(test.status, jsonType, test.body)(w, r)
			default:
				answering(200, eventsType, test.stream)(w, r)
			}
		}
		var found string
		synctest.Test(t, func(t *testing.T) {
			found = record(t, func(t testing.TB) {
				c := mcptest.DialRaw(t, sound(nil, nil)(t), &mcptest.Options{Revision: "2024-11-05", Unchecked: true, Transport: mcptest.HTTPWith(serve)})
				if test.want == "" || test.status == 200 {
					c.Send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
				}
				c.Settle()
				c.Close()
			})
		})
		if test.status == 400 {
			test.want = "an answer that nothing in flight asks for" // it was sent as it is
		}
		if (found == "") != (test.want == "") || !strings.Contains(found, test.want) {
			t.Errorf("%s\n got %s\nwant %s", test.name, found, test.want)
		}
	}
}

// TestHeaderText has the examples of 2026-07-28 basic/transports/streamable-http, Value
// Encoding.
func TestHeaderText(t *testing.T) {
	for value, want := range map[string]string{
		"us-west1": "us-west1", "Hello, 世界": "=?base64?SGVsbG8sIOS4lueVjA==?=", " padded ": "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2": "=?base64?bGluZTEKbGluZTI=?=", "=?base64?literal?=": "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
		"": "", "a\tb": "a\tb", "=?base64?open": "=?base64?open",
	} {
		if got := mcptest.HeaderText(value); got != want {
			t.Errorf("%q in a header is %q, want %q", value, got, want)
		}
	}
}
