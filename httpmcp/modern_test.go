package httpmcp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// modernMeta is what a modern request says of itself, with a client that can do nothing.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// toolServer has tools that do what their names say.
func toolServer(t testing.TB) *mcp.Server {
	s := mcp.NewServer("tools", "1.0.0", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
	type text struct {
		Text string `json:"text"`
	}
	mcp.AddTool(s, mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.Call, in text) (string, error) { return in.Text, nil })
	mcp.AddTool(s, mcp.Tool{Name: "progress"}, func(_ context.Context, c *mcp.Call, in text) (string, error) {
		c.Progress(1, 2, "half")
		return in.Text, nil
	})
	mcp.AddTool(s, mcp.Tool{Name: "fail"}, func(context.Context, *mcp.Call, text) (string, error) {
		return "", &jsonrpc.Error{Code: -31999, Message: "own"}
	})
	mcp.AddTool(s, mcp.Tool{Name: "panic"}, func(context.Context, *mcp.Call, text) (string, error) { panic("secret") })
	mcp.AddTool(s, mcp.Tool{Name: "exit"}, func(context.Context, *mcp.Call, text) (string, error) {
		runtime.Goexit()
		return "", nil
	})
	mcp.AddTool(s, mcp.Tool{Name: "ask"}, func(ctx context.Context, c *mcp.Call, _ text) (string, error) {
		_, err := c.Sample(ctx, "s", &mcp.SampleRequest{Messages: []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, "hi")}, MaxTokens: 1})
		return "", err
	})
	return s
}

// modernCall is the body of a modern tools/call.
func modernCall(id, tool, more string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"text":"x"},` + more + modernMeta + `}}`
}

// post is a POST with the headers of a modern request; each of set, "Name: value", stands
// in place of one, and without a value takes one away.
func post(t testing.TB, url, method, name, body string, set ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}, "Mcp-Name": {name},
	}
	if name == "" {
		r.Header.Del("Mcp-Name")
	}
	for _, s := range set {
		key, value, _ := strings.Cut(s, ": ")
		r.Header.Del(key)
		if value != "" {
			r.Header.Set(key, value)
		}
	}
	return r
}

// answer is what came of a request, in one line: status, type and body.
func answer(t testing.TB, r *http.Request) string {
	t.Helper()
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(reply.StatusCode, " ", reply.Header.Get("Content-Type"), " ", string(body))
}

// serve runs an endpoint until the end of the test.
func serve(t testing.TB, s *mcp.Server, o *httpmcp.Options) (url string, e *httpmcp.Endpoint) {
	t.Helper()
	e = httpmcp.Handler(s, o)
	l := httptest.NewServer(e)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := e.Shutdown(ctx); err != nil {
			t.Errorf("the endpoint does not end: %v", err)
		}
		l.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return l.URL, e
}

const result = `,"result":{"resultType":"complete","content":[{"type":"text","text":"x"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"tools","version":"1.0.0"}}}}`

func TestModern(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	tests := []struct {
		name string
		r    *http.Request
		want string
	}{
		{"a call", post(t, url, "tools/call", "echo", modernCall("1", "echo", "")), `200 application/json {"jsonrpc":"2.0","id":1` + result},
		{"as a stream, where nothing else is taken", post(t, url, "tools/call", "echo", modernCall("1", "echo", ""), "Accept: text/event-stream"),
			"200 text/event-stream event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1" + result + "\n\n"},
		{"an error of the handler", post(t, url, "tools/call", "fail", modernCall("1", "fail", "")),
			`200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-31999,"message":"own"}}`},
		{"a handler that panics", post(t, url, "tools/call", "panic", modernCall("1", "panic", "")),
			`200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error (`},
		{"a handler that ends its goroutine", post(t, url, "tools/call", "exit", modernCall("1", "exit", "")),
			`200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error (`},
		{"a method that is not there", post(t, url, "nope", "", `{"jsonrpc":"2.0","id":"a","method":"nope","params":{`+modernMeta+`}}`),
			`404 application/json {"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"Method not found: nope"}}`},
		{"a capability that the client lacks", post(t, url, "tools/call", "ask", modernCall("1", "ask", "")),
			`400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"This needs the client capability sampling","data":{"requiredCapabilities":{"sampling":{}}}}}`},
		{"no version in _meta", post(t, url, "server/discover", "", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`),
			`400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params._meta[\"io.modelcontextprotocol/protocolVersion\"] must be a string: it is missing"}}`},
		{"no capabilities in _meta", post(t, url, "server/discover", "", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`),
			`400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params._meta[\"io.modelcontextprotocol/clientCapabilities\"] must be an object: it is missing"}}`},
		{"neither era", post(t, url, "tools/list", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Mcp-Protocol-Version"),
			`400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"This request opens neither era`},
		{"a version that is not served", post(t, url, "server/discover", "", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}`, "Mcp-Protocol-Version: 1900-01-01"),
			`400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"1900-01-01"}}}`},
		{"what is of the era before", post(t, url, "tools/call", "echo", modernCall("1", "echo", ""), "Mcp-Session-Id: x"), `200 application/json {"jsonrpc":"2.0","id":1` + result},
		{"initialize", post(t, url, "initialize", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{`+modernMeta+`}}`), `404 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"ping", post(t, url, "ping", "", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{`+modernMeta+`}}`), `404 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"no JSON", post(t, url, "tools/call", "echo", "{"), `400 application/json {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error`},
		{"progress over a stream", post(t, url, "tools/call", "progress", strings.Replace(modernCall("1", "progress", ""), `"_meta":{`, `"_meta":{"progressToken":7,`, 1)),
			"200 text/event-stream event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":7,\"progress\":1,\"total\":2,\"message\":\"half\"}}\n\n" +
				"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1" + result + "\n\n"},
		{"progress that the client cannot take", post(t, url, "tools/call", "progress", strings.Replace(modernCall("1", "progress", ""), `"_meta":{`, `"_meta":{"progressToken":7,`, 1), "Accept: application/json"),
			`200 application/json {"jsonrpc":"2.0","id":1` + result},
		{"a notification", post(t, url, "notifications/x", "", `{"jsonrpc":"2.0","method":"notifications/x"}`), "202  "},
		{"a response", post(t, url, "", "", `{"jsonrpc":"2.0","id":1,"result":{}}`), `400 application/json {"jsonrpc":"2.0","error":{"code":-32600`},
		{"another type", post(t, url, "tools/call", "echo", modernCall("1", "echo", ""), "Content-Type: text/plain"), `415 application/json {"jsonrpc":"2.0","error":{"code":-32600`},
		{"listen without a stream", post(t, url, "subscriptions/listen", "", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},`+modernMeta+`}}`, "Accept: application/json"),
			`406 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32600`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := answer(t, tt.r); !strings.HasPrefix(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A client that closes its connection has cancelled its request (2026-07-28
// basic/transports/streamable-http, Cancellation; B95).
func TestDisconnectCancels(t *testing.T) {
	for _, noted := range []bool{false, true} {
		t.Run(fmt.Sprintf("as a stream %v", noted), func(t *testing.T) {
			began, ended := make(chan struct{}), make(chan error, 1)
			s := mcp.NewServer("slow", "1", nil)
			mcp.AddTool(s, mcp.Tool{Name: "slow"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
				if noted {
					c.Progress(1, 2, "")
				}
				close(began)
				<-ctx.Done()
				ended <- ctx.Err()
				return "", ctx.Err()
			})
			url, _ := serve(t, s, nil)
			ctx, cancel := context.WithCancel(context.Background())
			r := post(t, url, "tools/call", "slow", strings.Replace(strings.Replace(modernCall("1", "slow", ""), `"_meta":{`, `"_meta":{"progressToken":7,`, 1), `"text":"x"`, "", 1))
			go func() {
				if reply, err := http.DefaultClient.Do(r.WithContext(ctx)); err == nil {
					io.Copy(io.Discard, reply.Body)
					reply.Body.Close()
				}
			}()
			<-began
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the handler's context ended with %v, want %v", err, context.Canceled)
			}
		})
	}
}

// Shutdown ends a stream in order (B155): the cancellation, the result, the end.
func TestListenEnds(t *testing.T) {
	s := toolServer(t)
	url, e := serve(t, s, nil)
	reply, err := http.DefaultClient.Do(post(t, url, "subscriptions/listen", "", `{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+modernMeta+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	in := bufio.NewReader(reply.Body)
	next := func() string {
		in.ReadString('\n')
		line, _ := in.ReadString('\n')
		in.ReadString('\n')
		return strings.TrimSpace(line)
	}
	const id = `"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}`
	if got, want := next(), `data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+id+`,"notifications":{"toolsListChanged":true}}}`; got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	s.RemoveTool("fail")
	if got, want := next(), `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{`+id+`}}`; got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	if err := e.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if got, want := next(), `data: {"jsonrpc":"2.0","method":"notifications/cancelled","params":{`+id+`,"requestId":"s","reason":"The server ends the connection"}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := next(), `data: {"jsonrpc":"2.0","id":"s","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"tools","version":"1.0.0"},"io.modelcontextprotocol/subscriptionId":"s"}}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if rest, err := io.ReadAll(in); err != nil || len(rest) > 0 {
		t.Errorf("got %q and %v behind the result, want the end", rest, err)
	}
	if got := answer(t, post(t, url, "tools/call", "echo", modernCall("1", "echo", ""))); !strings.HasPrefix(got, "503 ") {
		t.Errorf("got %s after the end, want 503", got)
	}
}
