package httpmcp_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// slowServer has a tool that waits until it may return, or its context ends.
type slowServer struct {
	*mcp.Server
	began   chan struct{}
	release chan struct{}
	ended   chan error // with what the context ended, or nil
}

func newSlowServer() *slowServer {
	s := &slowServer{mcp.NewServer("slow", "1", nil), make(chan struct{}), make(chan struct{}), make(chan error, 100)}
	mcp.AddTool(s.Server, mcp.Tool{Name: "slow"}, func(ctx context.Context, _ *mcp.Call, _ struct{}) (string, error) {
		s.began <- struct{}{}
		select {
		case <-s.release:
		case <-ctx.Done():
		}
		s.ended <- ctx.Err()
		return "done", ctx.Err()
	})
	return s
}

const slowCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`

// A client that goes ends its session: nothing can be told it any more.
func TestDeprecatedDisconnect(t *testing.T) {
	s := newSlowServer()
	at, _ := serveOld(t, s.Server, nil)
	c := open(t, at)
	c.begin("2024-11-05", "2024-11-05")
	c.say(slowCall)
	<-s.began
	c.body.Close()
	if err := <-s.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler's context ended with %v, want %v", err, context.Canceled)
	}
	for got := ""; !strings.HasPrefix(got, "404"); {
		if got = c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`); got != "202" && !strings.HasPrefix(got, "404") {
			t.Fatalf("got %s, want 404 in the end", got)
		}
	}
}

// A call that the client cancels is not answered (2024-11-05
// basic/utilities/cancellation).
func TestDeprecatedCancel(t *testing.T) {
	s := newSlowServer()
	at, _ := serveOld(t, s.Server, nil)
	c := open(t, at)
	c.begin("2024-11-05", "2024-11-05")
	c.say(slowCall)
	<-s.began
	c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if err := <-s.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler's context ended with %v, want %v", err, context.Canceled)
	}
	c.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	c.want(`{"jsonrpc":"2.0","id":2,"result":{}}`)
}

// Shutdown takes nothing new, has what is worked on answered, and ends the streams.
func TestDeprecatedShutdown(t *testing.T) {
	s := newSlowServer()
	at, e := serveOld(t, s.Server, nil)
	idle, busy := open(t, at), open(t, at)
	busy.begin("2024-11-05", "2024-11-05")
	busy.say(slowCall)
	<-s.began
	done := make(chan error)
	go func() { done <- e.Shutdown(context.Background()) }()
	if got := idle.next(); got != "" {
		t.Errorf("got %s, want the end of an idle stream", got)
	}
	if got := busy.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`); !strings.HasPrefix(got, "503") {
		t.Errorf("a message meanwhile: got %s, want 503", got)
	}
	r, err := http.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != 503 || r.Header.Get("Retry-After") == "" {
		t.Errorf("a stream meanwhile: got %d, Retry-After %q; want 503 and one", r.StatusCode, r.Header.Get("Retry-After"))
	}
	close(s.release)
	busy.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`)
	if got := busy.next(); got != "" {
		t.Errorf("got %s, want the end of the stream", got)
	}
	if err := <-done; err != nil {
		t.Errorf("Shutdown returned %v", err)
	}
	if err := e.Shutdown(context.Background()); err != nil {
		t.Errorf("the second Shutdown returned %v", err)
	}
}

// Serve ends the streams of an endpoint that it finds behind a mux, while they are open.
func TestDeprecatedServe(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/sse", httpmcp.SSEHandler(toolServer(t), nil))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error)
	go func() { done <- httpmcp.Serve(ctx, l, mux, &httpmcp.ServeOptions{Drain: time.Hour}) }()
	c := open(t, "http://"+l.Addr().String()+"/sse")
	c.begin("2024-11-05", "2024-11-05")
	c.say(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	c.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	cancel()
	if got := c.next(); got != "" {
		t.Errorf("got %s, want the end of the stream", got)
	}
	http.DefaultClient.CloseIdleConnections()
	if err := <-done; err != nil {
		t.Errorf("Serve returned %v", err)
	}
}

// A handler that ignores the end of its context holds shutting down up for a second.
func TestDeprecatedShutdownLeavesTheDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, until := mcp.NewServer("deaf", "1", nil), make(chan struct{})
		began := make(chan struct{})
		mcp.AddTool(s, mcp.Tool{Name: "slow"}, func(context.Context, *mcp.Call, struct{}) (string, error) {
			close(began)
			<-until
			return "", nil
		})
		e := httpmcp.SSEHandler(s, nil)
		l := servePipes(t, e)
		transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return l.dial(), nil }}
		defer transport.CloseIdleConnections()
		c := openBubbled(t, &http.Client{Transport: transport})
		c.begin("2024-11-05", "2024-11-05")
		c.say(slowCall)
		<-began
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		if err := e.Shutdown(ctx); !errors.Is(err, jsonrpc.ErrDrain) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Shutdown returned %v, want %v and %v", err, jsonrpc.ErrDrain, context.DeadlineExceeded)
		}
		if took := time.Since(start); took != 6*time.Second {
			t.Errorf("Shutdown took %v, want 6s", took)
		}
		close(until)
		if err := e.Shutdown(context.Background()); err != nil {
			t.Errorf("Shutdown returned %v in the end", err)
		}
	})
}

// What is not finished in time is cancelled, and the streams are cut.
func TestDeprecatedShutdownInTime(t *testing.T) {
	s := newSlowServer()
	at, e := serveOld(t, s.Server, nil)
	c := open(t, at)
	c.begin("2024-11-05", "2024-11-05")
	c.say(slowCall)
	<-s.began
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := e.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown returned %v, want %v", err, context.Canceled)
	}
	if err := <-s.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler's context ended with %v, want %v", err, context.Canceled)
	}
	if got := c.next(); got != "" {
		t.Errorf("got %s, want the end of the stream", got)
	}
}

func TestDeprecatedTooManyStreams(t *testing.T) {
	for name, o := range map[string]*httpmcp.Options{"sessions": {MaxSessions: 1}, "streams": {MaxStreams: 1}} {
		at, _ := serveOld(t, toolServer(t), o)
		first := open(t, at)
		r, err := http.Get(at)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != 503 || r.Header.Get("Retry-After") == "" {
			t.Errorf("%s: got %d, Retry-After %q; want 503 and one", name, r.StatusCode, r.Header.Get("Retry-After"))
		}
		first.begin("2024-11-05", "2024-11-05")
	}
}

// Requests of one session that are worked on have a bound. One more is answered on the
// stream.
func TestDeprecatedTooManyRequests(t *testing.T) {
	s := newSlowServer()
	at, _ := serveOld(t, s.Server, &httpmcp.Options{MaxSessionInFlight: 2})
	c := open(t, at)
	c.begin("2024-11-05", "2024-11-05")
	for id := range 2 {
		c.say(strings.Replace(slowCall, `"id":1`, fmt.Sprintf(`"id":%d`, id), 1))
		<-s.began
	}
	c.say(strings.Replace(slowCall, `"id":1`, `"id":3`, 1))
	c.want(`{"jsonrpc":"2.0","id":3,"error":{`)
	close(s.release)
	c.want(`{"jsonrpc":"2.0","id":`)
}

// A ResponseWriter that cannot flush is told at once (B59).
func TestDeprecatedNeedsFlush(t *testing.T) {
	e := httpmcp.SSEHandler(toolServer(t), nil)
	defer e.Shutdown(context.Background())
	for wrapped, want := range map[http.ResponseWriter]int{
		onlyWriter{httptest.NewRecorder()}: 500,
	} {
		r := httptest.NewRequest("GET", "/sse", nil)
		r.Host = "localhost"
		e.ServeHTTP(wrapped, r)
		got := wrapped.(onlyWriter).ResponseWriter.(*httptest.ResponseRecorder)
		if got.Code != want || !strings.Contains(got.Body.String(), "This server cannot stream") {
			t.Errorf("got %d %s, want %d", got.Code, got.Body, want)
		}
	}
}

func TestDeprecatedOptions(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic for a host that is none")
		}
	}()
	httpmcp.SSEHandler(toolServer(t), &httpmcp.Options{AllowedHosts: []string{"a b"}})
}

// bubbled serves an endpoint over pipes, on the clock of the bubble, and gives the client
// for them.
func bubbled(t *testing.T, s *mcp.Server, o *httpmcp.Options) *http.Client {
	e := httpmcp.SSEHandler(s, o)
	l := servePipes(t, e)
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return l.dial(), nil }}
	t.Cleanup(func() {
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		e.Shutdown(gone)
		transport.CloseIdleConnections()
	})
	return &http.Client{Transport: transport}
}

func openBubbled(t *testing.T, client *http.Client) *oldClient {
	r, err := http.NewRequest("GET", "http://pipe/sse", nil)
	if err != nil {
		t.Fatal(err)
	}
	return openWith(t, client, r)
}

// B61: comments flow on a quiet stream.
func TestDeprecatedKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := openBubbled(t, bubbled(t, toolServer(t), &httpmcp.Options{KeepAlive: 10 * time.Second}))
		sent := make(chan string)
		go func() {
			<-time.After(time.Minute + time.Second)
			sent <- c.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		}()
		c.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if got := <-sent; got != "202" {
			t.Errorf("got %s, want 202", got)
		}
		if c.events.comments != 6 {
			t.Errorf("got %d comments in a minute, want 6", c.events.comments)
		}
	})
}

// A client that does not read its stream: its messages are refused when a few wait, and its stream
// ends when the time for a write is over.
func TestDeprecatedUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := strings.Repeat("x", 1<<20)
		s := mcp.NewServer("large", "1", nil)
		mcp.AddTool(s, mcp.Tool{Name: "large"}, func(context.Context, *mcp.Call, struct{}) (string, error) { return text, nil })
		client := bubbled(t, s, &httpmcp.Options{MaxSessionInFlight: 4, WriteTime: time.Minute})
		c := openBubbled(t, client)
		c.begin("2024-11-05", "2024-11-05")
		counts := make(map[string]int)
		for id := range 30 {
			counts[c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"large"}}`, id))[:3]]++
			synctest.Wait()
		}
		if counts["202"] < 4 || counts["202"] > 15 || counts["202"]+counts["429"] != 30 {
			t.Errorf("got the replies %v, want a few 202, then 429", counts)
		}
		<-time.After(2 * time.Minute)
		if got := c.send(`{"jsonrpc":"2.0","id":99,"method":"ping"}`); !strings.HasPrefix(got, "404") {
			t.Errorf("got %s when the time for a write is over, want 404", got)
		}
	})
}
