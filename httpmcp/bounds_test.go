package httpmcp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// patience is how long what has to come is waited for: a rule that is broken fails its test, and
// does not hang it.
const patience = 5 * time.Second

// raw sends bytes as they are on a connection of its own, and returns the status and the
// beginning of the body of the reply. The connection stays open for writing meanwhile.
func raw(t testing.TB, url, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	reply, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("no reply within %v: %v", patience, err)
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !reply.Close {
		t.Errorf("the connection is kept behind a body that was not read: %v", reply.Header)
	}
	return reply.Status + " " + string(body)
}

// What a body claims of its length is not believed, and what it is is bounded (B47).
func TestBodyBounds(t *testing.T) {
	url, _ := serve(t, toolServer(t), &httpmcp.Options{MaxBody: 1000, BodyTime: 50 * time.Millisecond})
	const head = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
	const tooLong = `413 Request Entity Too Large {"jsonrpc":"2.0","error":{"code":-32600,"message":"The body is too large: at most 1000 bytes"}}`
	long := strings.Repeat("x", 1001)
	tests := []struct{ name, text, want string }{
		{"too long, and it says so", head + "Content-Length: 1001\r\n\r\n", tooLong},
		{"too long by far", head + "Content-Length: 1099511627776\r\n\r\n", tooLong},
		{"too long in chunks", head + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n" + long + "\r\n0\r\n\r\n", tooLong},
		{"does not arrive", head + "Content-Length: 10\r\n\r\n{", "408 Request Timeout {"},
		{"does not arrive in chunks", head + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", "408 Request Timeout {"},
		{"no chunks although it says so", head + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n{\r\n", "400 Bad Request {"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := raw(t, url, tt.text); !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	if got, want := answer(t, post(t, url, "tools/call", "echo", modernCall("1", "echo", ""))), `200 application/json`; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s: a body within the bound is served", got, want)
	}
}

// gate is a server with a tool that says that it runs, and waits, but not without end.
func gate(running chan<- struct{}, release <-chan struct{}) *mcp.Server {
	s := mcp.NewServer("gate", "1", nil)
	mcp.AddTool(s, mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.Call, _ struct{}) (string, error) {
		late := time.After(patience)
		select {
		case running <- struct{}{}:
		case <-late:
			return "", errors.New("nobody wanted the call to run")
		}
		select {
		case <-release:
		case <-ctx.Done():
		case <-late:
			return "", errors.New("nobody has ended the call")
		}
		return "", ctx.Err()
	})
	return s
}

func waitCall(t testing.TB, url string) *http.Request {
	return post(t, url, "tools/call", "wait", strings.Replace(modernCall("1", "wait", ""), `"text":"x"`, "", 1))
}

// status is that of a request, and when to try again.
func status(t testing.TB, r *http.Request) (code int, retry string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience) // a call of gate has ended by then
	defer cancel()
	reply, err := http.DefaultClient.Do(r.WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	io.Copy(io.Discard, reply.Body) // of a stream that is there against the rules, as long as ctx
	return reply.StatusCode, reply.Header.Get("Retry-After")
}

// Above the bound a request is refused at once, and told when to come back.
func TestInFlightBound(t *testing.T) {
	running, release := make(chan struct{}), make(chan struct{})
	url, _ := serve(t, gate(running, release), &httpmcp.Options{MaxInFlight: 1})
	first := make(chan int, 1)
	go func() {
		code, _ := status(t, waitCall(t, url))
		first <- code
	}()
	<-running
	if code, retry := status(t, waitCall(t, url)); code != 503 || retry != "1" {
		t.Errorf("got %d and Retry-After %q, want 503 and 1", code, retry)
	}
	close(release)
	if code := <-first; code != 200 {
		t.Errorf("the first request ended with %d, want 200", code)
	}
}

const listen = `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`

// Streams have a bound of their own, and do not count among the requests.
func TestStreamBound(t *testing.T) {
	url, _ := serve(t, toolServer(t), &httpmcp.Options{MaxInFlight: 1, MaxStreams: 1})
	first, err := http.DefaultClient.Do(post(t, url, "subscriptions/listen", "", listen))
	if err != nil {
		t.Fatal(err)
	}
	defer first.Body.Close()
	if code, retry := status(t, post(t, url, "subscriptions/listen", "", listen)); code != 503 || retry != "1" {
		t.Errorf("got %d and Retry-After %q for a second stream, want 503 and 1", code, retry)
	}
	if code, _ := status(t, post(t, url, "tools/call", "echo", modernCall("1", "echo", ""))); code != 200 {
		t.Errorf("got %d for a request beside a stream, want 200", code)
	}
}

// What the requests of open streams make the endpoint keep is bounded, and those that are short
// find room whatever others ask for.
func TestStreamsKeepBound(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	long := strings.Replace(listen, `"notifications"`, `"pad":"`+strings.Repeat("x", 4<<20-1000)+`","notifications"`, 1)
	open := func(body string) *http.Response {
		t.Helper()
		reply, err := http.DefaultClient.Do(post(t, url, "subscriptions/listen", "", body))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { reply.Body.Close() })
		return reply
	}
	var first *http.Response
	for i := range 17 {
		reply := open(long)
		if want := map[bool]int{false: 200, true: 503}[i == 16]; reply.StatusCode != want {
			t.Errorf("stream %d of 4 MiB: got %d, want %d", i, reply.StatusCode, want)
		}
		if first == nil {
			first = reply
		}
	}
	if got := open(listen).StatusCode; got != 200 {
		t.Errorf("a short one: got %d, want 200", got)
	}
	first.Body.Close()
	for late := time.After(patience); open(long).StatusCode != 200; {
		select {
		case <-late:
			t.Fatal("a stream that has ended makes no room")
		default:
		}
	}
}

// All that a request makes its stream keep counts, whatever opens the stream: the target, and headers
// that are many.
func TestStreamsKeepAll(t *testing.T) {
	many := make(http.Header)
	for i := range 39_000 {
		many.Set(fmt.Sprintf("X-%x", i), "")
	}
	long := "http://127.0.0.1/?" + strings.Repeat("x", 1<<20)
	modern := []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen", "Content-Type: application/json", "Accept: application/json, text/event-stream"}
	for _, test := range []struct {
		name, method, body string
		handler            func(s *mcp.Server) http.Handler
		set                []string
		session            bool // of which it has one each
	}{
		{"listen", "POST", listen, func(s *mcp.Server) http.Handler { return httpmcp.Handler(s, nil) }, modern, false},
		{"GET", "GET", "", func(s *mcp.Server) http.Handler { return httpmcp.Handler(s, nil) }, []string{"Accept: text/event-stream"}, true},
		{"GET of the deprecated transport", "GET", "", func(s *mcp.Server) http.Handler { return httpmcp.SSEHandler(s, nil) }, []string{"Accept: text/event-stream"}, false},
	} {
		for _, row := range []struct {
			name, target string
			more         http.Header
			most         int // streams that there is room for
		}{{"a long target", long, nil, 31}, {"many headers", "http://127.0.0.1/", many, 24}} {
			t.Run(test.name+", "+row.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h, open := test.handler(toolServer(t)), 0
					ctx, cancel := context.WithCancel(t.Context())
					defer synctest.Wait()
					defer cancel()
					for ; open <= row.most; open++ {
						r := request(ctx, test.method, row.target, test.body, test.set...)
						maps.Copy(r.Header, row.more)
						if test.session {
							r.Header.Set("Mcp-Session-Id", begin(ctx, h))
						}
						if reply := streams(h, r); reply != nil {
							if reply.Code != 503 || !strings.Contains(reply.Body.String(), "too long together") {
								t.Errorf("stream %d: got %d %s", open, reply.Code, reply.Body)
							}
							break
						}
					}
					if open != row.most {
						t.Errorf("%d streams are open, want room for %d", open, row.most)
					}
				})
			})
		}
	}
}

// request is one that has not come over a network.
func request(ctx context.Context, method, target, body string, set ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body)).WithContext(ctx)
	for _, s := range set {
		name, value, _ := strings.Cut(s, ": ")
		r.Header.Set(name, value)
	}
	return r
}

// begin opens a legacy session and returns its id.
func begin(ctx context.Context, h http.Handler) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request(ctx, "POST", "http://127.0.0.1/", initialize("2025-11-25", ""), "Content-Type: application/json", "Accept: application/json, text/event-stream"))
	return w.Header().Get("Mcp-Session-Id")
}

// streams begins a request in a bubble, and returns nil where it stays open, else its reply.
func streams(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w, over := httptest.NewRecorder(), make(chan struct{})
	go func() {
		defer close(over)
		h.ServeHTTP(w, r)
	}()
	synctest.Wait()
	select {
	case <-over:
		return w
	default:
		return nil
	}
}

// At the end of its time Shutdown cancels what is still worked on, and says so.
func TestShutdownCancels(t *testing.T) {
	running := make(chan struct{})
	url, e := serve(t, gate(running, nil), nil)
	got := make(chan string, 1)
	go func() { got <- answer(t, waitCall(t, url)) }()
	<-running
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := e.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown gave %v, want %v", err, context.Canceled)
	}
	const want = `200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Request ended: the server is shutting down"}}`
	if got := <-got; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The deprecated transport bounds the time of a body as well.
func TestBodyTimeOfSSE(t *testing.T) {
	url, _ := serveOld(t, toolServer(t), &httpmcp.Options{BodyTime: 50 * time.Millisecond})
	c := open(t, url)
	host, path, _ := strings.Cut(strings.TrimPrefix(c.url, "http://"), "/")
	text := "POST /" + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"
	if got, want := raw(t, host, text), "408 Request Timeout {"; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
