package httpmcp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// TestModernLinkToEndpoint: the two halves of this package understand each other.
func TestModernLinkToEndpoint(t *testing.T) {
	s, runs := markedServer(t)
	url, _ := serve(t, s, nil)
	region := mcp.HeaderParam{Name: "Mcp-Param-Region", Path: []string{"region"}, Type: "string"}
	count := mcp.HeaderParam{Name: "Mcp-Param-Count", Path: []string{"count"}, Type: "integer"}
	flag := mcp.HeaderParam{Name: "Mcp-Param-Flag", Path: []string{"opts", "flag"}, Type: "boolean"}
	const done = `result {"resultType":"complete",`
	tests := []struct {
		name  string
		out   *mcp.Outgoing
		want  string // the beginning of the outcome
		heard string
	}{
		{"discover", says("server/discover", ""), done, ""},
		{"a call", says("tools/call", `"name":"echo","arguments":{"text":"é\n"}`), done + `"content":[{"type":"text","text":"é\n"}]`, ""},
		{"a stream", says("tools/call", `"name":"progress","arguments":{"text":"x"}`), done + `"content":[{"type":"text","text":"x"}]`, ""},
		{"an error", says("tools/call", `"name":"fail","arguments":{"text":"x"}`), "error -31999 own ", ""},
		{"an unknown method", says("tools/none", ""), "error -32601 ", ""},
		{"an unknown tool", says("tools/call", `"name":"nöne"`), "error -32602 ", ""},
		{"a resource", says("resources/read", `"uri":"a:b"`), done, ""},
		{"marks", says("tools/call", `"name":"marked","arguments":{"region":" ü","count":4.2e1,"opts":{"flag":true}}`, region, count, flag), done, ""},
		{"marks of nothing", says("tools/call", `"name":"marked","arguments":{"region":null,"opts":{}}`, region, count, flag), done, ""},
		{"a mark that is missing", says("tools/call", `"name":"marked","arguments":{"region":"x"}`), "error -32020 Header mismatch", ""},
		{"a version that is not served", &mcp.Outgoing{Method: "server/discover", Version: "2999-01-01", Params: func(dst []byte, _ jsonrpc.ID) []byte {
			return append(dst, strings.ReplaceAll("{"+modernMeta+"}", "2026-07-28", "2999-01-01")...)
		}}, "error -32022 ", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := &ears{}
			link := modernLink(t, url+"/", nil, e)
			if got := outcome(link.Call(t.Context(), test.out)); !strings.HasPrefix(got, test.want) || e.all() != test.heard {
				t.Errorf("got %s, heard %q\nwant %s, heard %q", got, e.all(), test.want, test.heard)
			}
		})
	}
	if n := runs.Load(); n != 3 {
		t.Errorf("%d calls ran, want 3", n)
	}
}

// TestModernLinkProgress: what comes before the answer has been heard when the call returns, under the
// request's own token.
func TestModernLinkProgress(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	e := &ears{}
	link := modernLink(t, url+"/", nil, e)
	out := says("tools/call", "")
	out.Params = func(dst []byte, id jsonrpc.ID) []byte {
		return append(dst, `{"name":"progress","arguments":{"text":"x"},`+strings.Replace(modernMeta, "{", `{"progressToken":`+string(id.Raw())+`,`, 1)+`}`...)
	}
	for i := range 3 {
		if got := outcome(link.Call(t.Context(), out)); !strings.HasPrefix(got, "result ") {
			t.Fatal(got)
		}
		want := fmt.Sprintf(`notifications/progress {"progressToken":%d,"progress":1,"total":2,"message":"half"}`, i+1)
		if all := e.all(); !strings.HasSuffix(all, want) {
			t.Errorf("heard %s\nwant %s", all, want)
		}
	}
}

// TestModernLinkListen: a stream stays open, tells changes, and ends with ctx.
func TestModernLinkListen(t *testing.T) {
	s := toolServer(t)
	url, _ := serve(t, s, nil)
	heard := make(chan string, 10)
	e := &ears{then: func(_ context.Context, m *jsonrpc.Message) { heard <- string(m.Method) }}
	link := modernLink(t, url+"/", nil, e)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan string, 1)
	go func() {
		out := says("subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
		out.Open = true
		ended <- outcome(link.Call(ctx, out))
	}()
	if got := <-heard; got != "notifications/subscriptions/acknowledged" {
		t.Errorf("heard %s first", got)
	}
	s.RemoveTool("fail")
	if got := <-heard; got != "notifications/tools/list_changed" {
		t.Errorf("heard %s then", got)
	}
	cancel()
	if got := <-ended; got != "cancelled" {
		t.Errorf("ended with %s", got)
	}
}

// TestModernRequest: what goes over the wire.
func TestModernRequest(t *testing.T) {
	type seen struct {
		head string
		body string
	}
	var got seen
	url := scripted(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var head strings.Builder
		r.Header.Del("User-Agent")
		r.Header.Del("Accept-Encoding")
		r.Header.Write(&head)
		got = seen{r.Method + " " + r.Host + r.URL.RequestURI() + "\n" + strings.ReplaceAll(head.String(), "\r", ""), string(body)}
		if !strings.Contains(string(body), `"id"`) {
			w.WriteHeader(202)
			return
		}
		write(w, 200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
	link := modernLink(t, url+"/mcp?key=1#part", &httpmcp.DialOptions{Header: http.Header{
		"authorization": {"Bearer x"}, "Host": {"other.example"}, "Accept": {"text/html"}, "mcp-method": {"none"},
		"Mcp-Session-Id": {"s"}, "X-Two": {"1", "2"},
	}}, &ears{})
	if got := outcome(link.Call(t.Context(), says("tools/call", `"name":"a b"`))); got != "result {}" {
		t.Fatal(got)
	}
	want := seen{"POST other.example/mcp?key=1\nAccept: application/json, text/event-stream\nAuthorization: Bearer x\nContent-Length: 164\nContent-Type: application/json\n" +
		"Mcp-Method: tools/call\nMcp-Name: a b\nMcp-Protocol-Version: 2026-07-28\nX-Two: 1\nX-Two: 2\n",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a b",` + modernMeta + `}}`}
	want.head = strings.Replace(want.head, "164", fmt.Sprint(len(want.body)), 1)
	if got != want {
		t.Errorf("got %s%s\nwant %s%s", got.head, got.body, want.head, want.body)
	}
	if err := link.Notify(t.Context(), says("notifications/x", "")); err != nil {
		t.Error(err)
	}
	if want := `{"jsonrpc":"2.0","method":"notifications/x","params":{` + modernMeta + `}}`; got.body != want || !strings.Contains(got.head, "Mcp-Method: notifications/x\n") {
		t.Errorf("notification %s%s\nwant %s", got.head, got.body, want)
	}
}

const eventsKind, plainKind = "text/event-stream", "application/json"

// TestModernAnswers: what a call makes of what comes. In the bodies ID is that of the request.
func TestModernAnswers(t *testing.T) {
	const (
		good     = `{"jsonrpc":"2.0","id":ID,"result":{"a":1}}`
		told     = `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"m","data":[1]}}`
		noID     = `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"m"}}`
		foreign  = `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"m"}}`
		progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`
		result   = `result {"a":1}`
	)
	event := func(data ...string) string {
		var b strings.Builder
		for _, d := range data {
			b.WriteString("data: " + d + "\n\n")
		}
		return b.String()
	}
	tests := []struct {
		name   string
		status int
		kind   string
		body   string
		want   string // the beginning of the outcome
		heard  string
	}{
		{"JSON", 200, plainKind, good, result, ""},
		{"JSON on several lines", 200, plainKind, " {\"jsonrpc\":\"2.0\",\n\"id\":ID,\r\n\"result\":{\"a\":1}}\n", result, ""},
		{"JSON with a charset", 200, "Application/JSON; charset=UTF-8", good, result, ""},
		{"JSON in another charset", 200, "application/json; charset=latin1", good, "rejected 200", ""},
		{"JSON by another name", 200, "application/jsonx", good, "rejected 200", ""},
		{"JSON without a type", 200, "", good, "rejected 200", ""},
		{"JSON as text", 200, "text/plain", good, "rejected 200", ""},
		{"an error", 200, plainKind, told, "error -32602 m [1]", ""},
		{"an error without an id", 200, plainKind, noID, "error -32000 m", ""},
		{"an error with another id", 200, plainKind, foreign, "rejected 200", ""},
		{"a result with another id", 200, plainKind, `{"jsonrpc":"2.0","id":77,"result":{}}`, "rejected 200", ""},
		{"a result with the id as a text", 200, plainKind, `{"jsonrpc":"2.0","id":"ID","result":{}}`, "rejected 200", ""},
		{"a result without an id", 200, plainKind, `{"jsonrpc":"2.0","result":{}}`, "rejected 200", ""},
		{"both result and error", 200, plainKind, `{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":""}}`, "broken result must not stand beside error", ""},
		{"an error that is none", 200, plainKind, `{"jsonrpc":"2.0","id":ID,"error":"no"}`, "broken error must be an object", ""},
		{"not JSON-RPC", 200, plainKind, `{}`, `rejected 200 "" 200 OK, which is no answer to the request (Content-Type "application/json"): {}`, ""},
		{"not JSON", 200, plainKind, `no`, "rejected 200", ""},
		{"no body", 200, plainKind, ``, "rejected 200", ""},
		{"a notification", 200, plainKind, progress, "rejected 200", "notifications/progress {\"progress\":1}"},
		{"a batch", 200, plainKind, "[" + good + "]", "rejected 200", ""},
		{"202", 202, "", ``, `rejected 202 "" 202 Accepted, which is no answer`, ""},
		{"204", 204, "", ``, `rejected 204`, ""},
		{"other success", 201, plainKind, good, result, ""},
		{"a page", 200, "text/html", "<html>\x1b[31m\n<body>", `rejected 200 "" 200 OK, which is no answer to the request (Content-Type "text/html"): <html> [31m <body>`, ""},

		{"400 with an error", 400, plainKind, told, "error -32602 m [1]", ""},
		{"400 with an error without an id", 400, plainKind, noID, "error -32000 m", ""},
		{"400 with an error with another id", 400, plainKind, foreign, "error -32600 m", ""},
		{"400 with an error as text", 400, "text/plain", told, "error -32602 m [1]", ""},
		{"404 with an error", 404, plainKind, told, "error -32602 m [1]", ""},
		{"500 with an error", 500, plainKind, told, "error -32602 m [1]", ""},
		{"400 with a result", 400, plainKind, good, "rejected 400", ""},
		{"400 with text", 400, "text/plain", "no\nway", `rejected 400 "" 400 Bad Request: no way`, ""},
		{"400 with nothing", 400, "", "", `rejected 400 "" 400 Bad Request`, ""},
		{"400 with events", 400, eventsKind, event(good), `rejected 400`, ""},
		{"401", 401, plainKind, told, `rejected 401 "Bearer x, Basic y" 401 Unauthorized: {`, ""},
		{"403", 403, plainKind, told, `rejected 403`, ""},
		{"404 with text", 404, "text/plain", "404 page not found\n", `rejected 404 "" 404 Not Found: 404 page not found`, ""},
		{"405", 405, "", "", `rejected 405`, ""},
		{"an unknown status", 799, "", "", `rejected 799 "" 799`, ""},
		{"not modified", 304, "", "", `rejected 304`, ""},

		{"events", 200, eventsKind, event(good), result, ""},
		{"events with a charset", 200, "Text/Event-Stream ; charset=utf-8", event(good), result, ""},
		{"events by another name", 200, "text/event-streams", event(good), "rejected 200", ""},
		{"an error in an event", 200, eventsKind, event(told), "error -32602 m [1]", ""},
		{"an error in an event without an id", 200, eventsKind, event(noID), "error -32000 m", ""},
		{"progress before", 200, eventsKind, event(progress, progress, good), result, `notifications/progress {"progress":1}; notifications/progress {"progress":1}`},
		{"progress behind", 200, eventsKind, event(good, progress), result, ""},
		{"a second answer", 200, eventsKind, event(good, told), result, ""},
		{"answers to others (B185)", 200, eventsKind, event(`{"jsonrpc":"2.0","id":77,"result":{}}`, foreign, good), result, ""},
		{"requests", 200, eventsKind, event(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, good), result, ""},
		{"garbage", 200, eventsKind, event(`no`, `{}`, `[]`, `{"jsonrpc":"1.0","id":ID,"method":"x"}`, good), result, ""},
		{"a batch in an event", 200, eventsKind, event("["+good+"]", good), result, ""},
		{"several lines of data (B53)", 200, eventsKind, "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":ID,\"result\":{\"a\":1}}\n\n", result, ""},
		{"comments, names and empty data (B55)", 200, eventsKind, ": ping\n\nevent: ping\ndata: x\n\nid: 7\ndata:\n\nevent: message\n" + event(progress) + event(good), result, `notifications/progress {"progress":1}`},
		{"an answer by another name", 200, eventsKind, "event: other\n" + event(told) + event(good), result, ""},
		{"CR alone", 200, eventsKind, strings.ReplaceAll(event(good), "\n", "\r"), result, ""},
		{"no answer", 200, eventsKind, event(progress), "cut ", `notifications/progress {"progress":1}`},
		{"no event", 200, eventsKind, "", "cut ", ""},
		{"the answer is cut", 200, eventsKind, "data: " + good + "\n", "cut ", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			url := scripted(t, func(w http.ResponseWriter, r *http.Request) {
				if test.status == 401 {
					w.Header()["Www-Authenticate"] = []string{"Bearer x", "Basic y"}
				}
				body, _ := io.ReadAll(r.Body)
				id, _, _ := strings.Cut(strings.TrimPrefix(string(body), `{"jsonrpc":"2.0","id":`), ",")
				write(w, test.status, test.kind, strings.ReplaceAll(test.body, "ID", id))
			})
			e := &ears{}
			link := modernLink(t, url, nil, e)
			got := outcome(link.Call(t.Context(), says("x", "")))
			if !strings.HasPrefix(got, test.want) || e.all() != test.heard {
				t.Errorf("%d %s %q\n got %s, heard %q\nwant %s, heard %q", test.status, test.kind, test.body, got, e.all(), test.want, test.heard)
			}
		})
	}
}

// TestModernNotify: a notification is taken or refused.
func TestModernNotify(t *testing.T) {
	tests := []struct {
		status int
		body   string
		want   string
	}{
		{202, "", "result "},
		{204, "", "result "},
		{200, "more than was asked for", "result "},
		{400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}`, "error -32600 no "},
		{400, "no", `rejected 400 "" 400 Bad Request: no`},
		{303, "", `rejected 303 "" 303 See Other`},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.status, test.body), func(t *testing.T) {
			url := scripted(t, func(w http.ResponseWriter, _ *http.Request) { write(w, test.status, "", test.body) })
			link := modernLink(t, url, nil, &ears{})
			if got := outcome(nil, link.Notify(t.Context(), says("notifications/x", ""))); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestModernUnsendable: what no server could read is not sent.
func TestModernUnsendable(t *testing.T) {
	url := scripted(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	link := modernLink(t, url, nil, &ears{})
	for name, out := range map[string]*mcp.Outgoing{
		"not JSON":     {Method: "x", Params: func(dst []byte, _ jsonrpc.ID) []byte { return append(dst, "{"...) }},
		"no object":    {Method: "x", Params: func(dst []byte, _ jsonrpc.ID) []byte { return append(dst, "[]"...) }},
		"a name twice": says("x", `"a":1,"a":2`),
		"a line end":   says("x\r\nEvil: y", ""),
		"twice on the way": says("tools/call", `"name":"x","arguments":{"o":{"a":1,"a":2}}`,
			mcp.HeaderParam{Name: "Mcp-Param-A", Path: []string{"o", "a"}, Type: "integer"}),
	} {
		if got := outcome(link.Call(t.Context(), out)); !strings.HasPrefix(got, "fault ") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
