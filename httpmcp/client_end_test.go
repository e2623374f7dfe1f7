package httpmcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// stages are where in a response a server can get stuck.
var stages = []struct {
	name  string
	begin func(http.ResponseWriter)
}{
	{"before the head", func(http.ResponseWriter) {}},
	{"within JSON", func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		flush(w, `{"jsonrpc"`)
	}},
	{"within an event", func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		flush(w, ": c\n\ndata: {")
	}},
	{"within a refusal", func(w http.ResponseWriter) {
		w.WriteHeader(http.StatusBadRequest)
		flush(w, `{"jsonrpc"`)
	}},
}

// stuck is a server that gets stuck in each response until the client has gone; began and gone are
// told of it.
func stuck(t *testing.T, begin func(http.ResponseWriter)) (url string, began, gone chan bool) {
	began, gone = make(chan bool, 10), make(chan bool, 10)
	return scripted(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		begin(w)
		began <- true
		<-r.Context().Done()
		gone <- true
	}), began, gone
}

// TestModernStreamGoesOn: a stream that goes on behind the answer is closed by the client after a
// moment, for which nobody waits.
func TestModernStreamGoesOn(t *testing.T) {
	url, _, gone := stuck(t, func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", eventsKind)
		flush(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n: and so on\n\n")
	})
	link := modernLink(t, url, nil, &ears{})
	if got := outcome(link.Call(t.Context(), says("x", ""))); got != "result {}" {
		t.Errorf("got %s", got)
	}
	select {
	case <-gone:
	case <-time.After(20 * time.Second):
		t.Error("the stream is open after 20 seconds")
	}
}

// TestModernCancel: the end of ctx ends the call at once, and closes the response, at every stage (B95).
func TestModernCancel(t *testing.T) {
	for _, stage := range stages {
		t.Run(stage.name, func(t *testing.T) {
			url, began, gone := stuck(t, stage.begin)
			link := modernLink(t, url, nil, &ears{})
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan string, 1)
			go func() { ended <- outcome(link.Call(ctx, says("x", ""))) }()
			<-began
			cancel()
			if got := <-ended; got != "cancelled" {
				t.Errorf("the call ended with %s", got)
			}
			<-gone
		})
	}
	t.Run("before it is sent", func(t *testing.T) {
		url := scripted(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got := outcome(modernLink(t, url, nil, &ears{}).Call(ctx, says("x", ""))); got != "cancelled" {
			t.Errorf("got %s", got)
		}
	})
}

// TestModernClose: the end of the link ends all that is under way, and nothing is sent any more.
func TestModernClose(t *testing.T) {
	for _, stage := range stages {
		t.Run(stage.name, func(t *testing.T) {
			url, began, gone := stuck(t, stage.begin)
			link := modernLink(t, url, nil, &ears{})
			ended := make(chan string, 3)
			for range 2 {
				go func() { ended <- outcome(link.Call(t.Context(), says("x", ""))) }()
			}
			go func() { ended <- outcome(nil, link.Notify(t.Context(), says("x", ""))) }()
			for range 3 {
				<-began
			}
			if err := link.Err(); err != nil {
				t.Errorf("error %v before the end", err)
			}
			for range 2 {
				if err := link.Close(); err != nil {
					t.Error(err)
				}
			}
			for range 3 {
				if got := <-ended; got != "closed" && !(got == "result " && strings.HasPrefix(stage.name, "within ")) {
					t.Errorf("ended with %s", got)
				}
			}
			<-link.Done()
			if err := link.Err(); !errors.Is(err, mcp.ErrLinkClosed) {
				t.Errorf("error %v at the end", err)
			}
			if got := outcome(link.Call(t.Context(), says("x", ""))); got != "closed" {
				t.Errorf("a later call: %s", got)
			}
			for range 3 {
				<-gone
			}
		})
	}
}

// TestModernCloseWhileHearing: who hears something may end the link.
func TestModernCloseWhileHearing(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	var link mcp.Link
	e := &ears{then: func(context.Context, *jsonrpc.Message) { link.Close() }}
	link = modernLink(t, url+"/", nil, e)
	out := says("tools/call", "")
	out.Params = func(dst []byte, _ jsonrpc.ID) []byte {
		return append(dst, `{"name":"progress","arguments":{"text":"x"},`+strings.Replace(modernMeta, "{", `{"progressToken":1,`, 1)+`}`...)
	}
	// The answer may have come together with what is heard.
	if got := outcome(link.Call(t.Context(), out)); got != "closed" && !strings.HasPrefix(got, "result ") || link.Err() == nil {
		t.Errorf("got %s, heard %s", got, e.all())
	}
}

// answering hears with what it could answer by.
type answering struct {
	*ears
	peer func(jsonrpc.Peer)
}

func (a answering) Notification(_ context.Context, _ *jsonrpc.Message, p jsonrpc.Peer) { a.peer(p) }

// TestModernPeer: nothing can be said to the server on the stream of its answer.
func TestModernPeer(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	var link mcp.Link
	heard := 0
	link, err := httpmcp.Dial(url+"/", nil).Modern(t.Context(), answering{&ears{}, func(p jsonrpc.Peer) {
		heard++
		if p.Notify("x", nil) == nil {
			t.Error("a notification is taken")
		}
		if result, err := p.Call(t.Context(), "x", nil); err == nil {
			t.Errorf("a request is answered with %s", result)
		}
		p.Cancel(jsonrpc.IntID(1))
		select {
		case <-p.Ending():
			t.Error("the end is told too early")
		default:
		}
		link.Close()
		<-p.Ending()
	}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	out := says("tools/call", "")
	out.Params = func(dst []byte, _ jsonrpc.ID) []byte {
		return append(dst, `{"name":"progress","arguments":{"text":"x"},`+strings.Replace(modernMeta, "{", `{"progressToken":1,`, 1)+`}`...)
	}
	link.Call(t.Context(), out)
	if heard != 1 {
		t.Errorf("%d notifications were heard", heard)
	}
}

// TestModernPanic: who hears badly does not take the call along.
func TestModernPanic(t *testing.T) {
	url := scripted(t, func(w http.ResponseWriter, _ *http.Request) {
		write(w, 200, eventsKind, "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
	})
	link := modernLink(t, url, nil, &ears{then: func(context.Context, *jsonrpc.Message) { panic("x") }})
	if got := outcome(link.Call(t.Context(), says("x", ""))); got != "result {}" {
		t.Errorf("got %s", got)
	}
}

// TestModernBounds: what comes is bounded, but for what stays open by nature.
func TestModernBounds(t *testing.T) {
	const bound = 1000
	o := &httpmcp.DialOptions{MaxBody: bound, MaxEvent: bound, MaxStream: 10 * bound}
	const head = `{"jsonrpc":"2.0","id":1,"result":"`
	sized := func(n int) string { return head + strings.Repeat("a", n-len(head)-2) + `"}` }
	note := func(n int) string {
		const head = `{"jsonrpc":"2.0","method":"x","params":{"a":"`
		return "data:" + head + strings.Repeat("a", n-len(head)-len(`"}}`)-len("data:")) + "\"}}\n\n"
	}
	endless := func(part string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			for {
				if _, err := io.WriteString(w, part); err != nil {
					return
				}
			}
		}
	}
	once := func(text string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { io.WriteString(w, text) }
	}
	tests := []struct {
		name, kind string
		write      func(http.ResponseWriter)
		open       bool
		want       string
	}{
		{"a body of the bound", plainKind, once(sized(bound)), false, "result "},
		{"a body beyond it", plainKind, once(sized(bound + 1)), false, "the answer to x is larger than 1000 bytes (DialOptions.MaxBody)"},
		{"a body without end", plainKind, endless(" "), false, "the answer to x is larger than 1000 bytes (DialOptions.MaxBody)"},
		{"an open body without end", plainKind, endless(" "), true, "the answer to x is larger than 1000 bytes (DialOptions.MaxBody)"},
		{"an event of the bound", eventsKind, once("data:" + sized(bound-5) + "\n\n"), false, "result "},
		{"an event beyond it", eventsKind, once("data:" + sized(bound) + "\n\n"), false, "an event in answer to x is larger than 1000 bytes (DialOptions.MaxEvent)"},
		{"an event without end", eventsKind, endless("data: x\n"), false, "an event in answer to x is larger than"},
		{"a line without end", eventsKind, endless("x"), false, "an event in answer to x is larger than"},
		{"an open event without end", eventsKind, endless("data: x\n"), true, "an event in answer to x is larger than"},
		{"a stream of the bound", eventsKind, once(strings.Repeat(note(bound), 9) + "data:" + sized(bound/2) + "\n\n"), false, "result "},
		{"a stream beyond it", eventsKind, once(strings.Repeat(note(bound), 10) + "data:" + sized(bound/2) + "\n\n"), false, "the stream that answers x is larger than 10000 bytes (DialOptions.MaxStream)"},
		{"a stream without end", eventsKind, endless(note(bound)), false, "the stream that answers x is larger than"},
		{"comments without end", eventsKind, endless(": x\n\n"), false, "the stream that answers x is larger than"},
		{"an open stream beyond it", eventsKind, once(strings.Repeat(note(bound), 100) + "data:" + sized(bound/2) + "\n\n"), true, "result "},
		{"a page without end", "text/html", endless("x"), false, "rejected 200"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			url := scripted(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.kind)
				test.write(w)
			})
			out := says("x", "")
			out.Open = test.open
			if got := outcome(modernLink(t, url, o, &ears{}).Call(t.Context(), out)); !strings.Contains(got, test.want) {
				t.Errorf("got %.300s\nwant %s", got, test.want)
			}
		})
	}
}

// TestModernTruncated: a response that breaks is an error of its call, and the next call works. One that is whole for
// HTTP says that the connection closes, or the next call might still be sent on it.
func TestModernTruncated(t *testing.T) {
	for name, response := range map[string]string{
		"at the length":          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		"within a chunk":         "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{",
		"between chunks":         "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n: c\r\n",
		"events without a size":  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {",
		"a body that is no gzip": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
		"not HTTP":               "hello\r\n\r\n",
		"within the head":        "HTTP/1.1 200 OK\r\nContent",
		"nothing":                "",
		"a head without end":     "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: "+strings.Repeat("a", 1000)+"\r\n", 1<<11),
	} {
		t.Run(name, func(t *testing.T) {
			var broken atomic.Bool
			url := scripted(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if broken.Swap(true) {
					id, _, _ := strings.Cut(strings.TrimPrefix(string(body), `{"jsonrpc":"2.0","id":`), ",")
					write(w, 200, plainKind, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`)
					return
				}
				c, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				io.WriteString(c, response)
				c.Close()
			})
			link := modernLink(t, url, nil, &ears{})
			got := outcome(link.Call(t.Context(), says("x", "")))
			if !strings.Contains(got, " httpmcp: "+url) || strings.Contains(got, "Post ") {
				t.Errorf("got %s", got)
			}
			if got := outcome(link.Call(t.Context(), says("x", ""))); got != "result {}" {
				t.Errorf("the next call: %s", got)
			}
		})
	}
}

// inQuiet runs f in a bubble, with a server behind pipes that gets each connection; over is closed at
// the end.
func inQuiet(t *testing.T, serve func(c net.Conn, over <-chan bool), f func(t *testing.T, link mcp.Link)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		over := make(chan bool)
		defer close(over)
		transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			mine, theirs := net.Pipe()
			go serve(theirs, over)
			return mine, nil
		}}
		defer transport.CloseIdleConnections()
		link, err := httpmcp.Dial("http://server.example/mcp?key=secret", &httpmcp.DialOptions{Client: &http.Client{Transport: transport, Timeout: time.Nanosecond}}).
			Modern(t.Context(), &ears{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer link.Close()
		f(t, link)
	})
}

// TestModernDeaf: a server that takes nothing in holds up nobody who has stopped waiting (B190).
func TestModernDeaf(t *testing.T) {
	inQuiet(t, func(c net.Conn, over <-chan bool) {
		<-over
		c.Close()
	}, func(t *testing.T, link mcp.Link) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		before := time.Now()
		out := says("x", `"a":"`+strings.Repeat("a", 1<<20)+`"`)
		if got := outcome(link.Call(ctx, out)); got != "too late" || time.Since(before) != time.Hour {
			t.Errorf("%s after %v", got, time.Since(before))
		}
	})
}

// TestModernSlow: a refusal is not waited for longer than it is worth, an answer is, and the rest of a
// stream holds up nobody.
func TestModernSlow(t *testing.T) {
	const answer = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"
	tests := []struct {
		name, response string
		want           string
		after          time.Duration
	}{
		{"a refusal", "HTTP/1.1 400 Bad Request\r\n\r\nno", `rejected 400 "" 400 Bad Request: no`, 5 * time.Second},
		{"a body that is no answer", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nno", "rejected 200", 5 * time.Second},
		{"JSON", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{", "too late", time.Hour},
		{"events", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: c\n\n", "too late", time.Hour},
		{"a stream behind the answer", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + answer, "result {}", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inQuiet(t, func(c net.Conn, _ <-chan bool) {
				defer c.Close()
				buf := make([]byte, 4096)
				if _, err := c.Read(buf); err != nil {
					return
				}
				io.WriteString(c, test.response)
				c.Read(buf) // until the client has gone
			}, func(t *testing.T, link mcp.Link) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				before := time.Now()
				if got := outcome(link.Call(ctx, says("x", ""))); !strings.HasPrefix(got, test.want) || time.Since(before) != test.after {
					t.Errorf("%s after %v, want %s after %v", got, time.Since(before), test.want, test.after)
				}
				link.Close()
				if took := time.Since(before) - test.after; took != 0 {
					t.Errorf("the end of the link took %v", took)
				}
			})
		})
	}
}

// TestModernSecrets: errors do not tell what may be secret in the URL.
func TestModernSecrets(t *testing.T) {
	inQuiet(t, func(c net.Conn, _ <-chan bool) { c.Close() }, func(t *testing.T, link mcp.Link) {
		got := outcome(link.Call(t.Context(), says("x", "")))
		if !strings.Contains(got, " httpmcp: http://server.example/mcp: ") {
			t.Errorf("got %s", got)
		}
		if strings.Contains(got, "secret") {
			t.Errorf("%s tells the query", got)
		}
	})
}

// openFiles counts the descriptors of this process.
func openFiles(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("descriptors cannot be counted here: ", err)
	}
	return len(entries)
}

// TestModernLeavesNothing: 1,000 calls of all kinds go over few connections, and leave no
// descriptor behind; goroutines are looked for at the end of the run.
func TestModernLeavesNothing(t *testing.T) {
	var connections atomic.Int64
	s := newUnstarted(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id, _, _ := strings.Cut(strings.TrimPrefix(string(body), `{"jsonrpc":"2.0","id":`), ",")
		answer := `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
		switch r.Header.Get("Mcp-Method") {
		case "json":
			write(w, 200, plainKind, answer)
		case "events":
			w.Header().Set("Content-Type", eventsKind)
			flush(w, ": c\n\n")
			flush(w, "data: "+answer+"\n\n")
		case "refused":
			write(w, 400, "text/plain", "no")
		case "accepted":
			w.WriteHeader(202)
		}
	})
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	before := openFiles(t)
	link := modernLink(t, s.URL, nil, &ears{})
	for i := range 250 {
		for method, want := range map[string]string{"json": "result {}", "events": "result {}", "refused": "rejected 400"} {
			if got := outcome(link.Call(t.Context(), says(method, ""))); !strings.HasPrefix(got, want) {
				t.Fatalf("call %d, %s: %s", i, method, got)
			}
		}
		if err := link.Notify(t.Context(), says("accepted", "")); err != nil {
			t.Fatal(err)
		}
	}
	if n := connections.Load(); n > 20 {
		t.Errorf("1,000 calls took %d connections", n)
	}
	link.Close()
	s.Close()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for after := before; ; after = openFiles(t) {
		if after < before {
			return // the listener's is gone, too
		}
		select {
		case <-deadline:
			t.Fatalf("%d descriptors, %d before", after, before)
		case <-tick.C:
		}
	}
}

// TestModernAtOnce: many calls at once get their own answers.
func TestModernAtOnce(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	link := modernLink(t, url+"/", nil, &ears{})
	got := make(chan string)
	const calls = 100
	for i := range calls {
		go func() {
			tool := []string{"echo", "progress"}[i%2]
			text := fmt.Sprint("text ", i)
			result := outcome(link.Call(t.Context(), says("tools/call", `"name":"`+tool+`","arguments":{"text":"`+text+`"}`)))
			if !strings.Contains(result, `"`+text+`"`) {
				got <- text + ": " + result
				return
			}
			got <- ""
		}()
	}
	for range calls {
		if s := <-got; s != "" {
			t.Error(s)
		}
	}
}
