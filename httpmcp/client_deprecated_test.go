package httpmcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// oldScript is a server of 2024-11-05 at /gw/sse that says what its test wants.
type oldScript struct {
	refuse   func(http.ResponseWriter, *http.Request, *jsonrpc.Message) // initialize on the URL of the stream
	first    string                                                     // what comes on the stream
	accept   func(http.ResponseWriter, *http.Request, *jsonrpc.Message) // POSTs elsewhere; nil: 202 and an answer
	late     bool                                                       // 202 comes a second behind the answer
	end      chan struct{}                                              // of the stream, when closed; of the bubble
	out      chan string                                                // what comes on the stream next; of the bubble
	mu       sync.Mutex
	requests []string // "POST /messages?s=1 initialize"
}

func (s *oldScript) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Accept") != accepts[r.Method] {
		w.WriteHeader(http.StatusNotAcceptable)
		return
	}
	var m jsonrpc.Message
	line := r.Method + " " + r.URL.RequestURI()
	if r.Method == "POST" {
		body, _ := io.ReadAll(r.Body)
		(&jsonrpc.Scanner{}).Scan(body, &m)
		line += " " + string(m.Method)
	}
	s.mu.Lock()
	s.requests = append(s.requests, line)
	s.mu.Unlock()
	switch {
	case r.URL.Path == "/gw/sse" && r.Method == "POST":
		s.refuse(w, r, &m)
	case r.Method == "GET":
		s.stream(w, r)
	case s.accept != nil:
		s.accept(w, r, &m)
	default:
		if m.Kind == jsonrpc.Request && string(m.Method) != "silent" {
			s.out <- strings.ReplaceAll(resultEvent, "%s", m.ID.String())
		}
		if s.late {
			<-time.After(time.Second)
		}
		w.WriteHeader(202)
	}
}

func (s *oldScript) stream(w http.ResponseWriter, r *http.Request) {
	answerEvents(w, &jsonrpc.Message{}, s.first)
	for {
		select {
		case text := <-s.out:
			io.WriteString(w, text)
			http.NewResponseController(w).Flush()
		case <-s.end:
			return
		case <-r.Context().Done():
			return
		}
	}
}

func (s *oldScript) saw() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.requests, "\n")
}

const endpointEvent = "event: endpoint\ndata: /messages?s=1\n\n"

// oldLinked runs f in a bubble with a link to the server.
func oldLinked(t *testing.T, s *oldScript, o httpmcp.DialOptions, f func(w *linkWorld)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if s.refuse == nil {
			s.refuse = replyOf(405)
		}
		if s.first == "" {
			s.first = endpointEvent
		}
		s.end, s.out = make(chan struct{}), make(chan string)
		client, end := clientOf(t, s)
		defer end()
		o.Client = client
		w := &linkWorld{T: t, hearer: newHearer()}
		w.link, _ = httpmcp.Dial("http://h.example/gw/sse", &o).Legacy(t.Context(), w.hearer, slog.New(slog.DiscardHandler))
		defer w.link.Close()
		f(w)
	})
}

// tryHandshake gives what initialize has come to.
func (w *linkWorld) tryHandshake(ctx context.Context) error {
	_, err := w.link.Call(ctx, &mcp.Outgoing{Method: "initialize", Quiet: true})
	return err
}

// Where messages go: B194.
func TestOldEndpoint(t *testing.T) {
	tests := []struct {
		name, data string
		change     func(string) string
		want       string // where messages go; or a part of the error
		ok         bool
	}{
		{"path", "/messages?s=1", nil, "POST /messages?s=1 ping", true},
		{"relative", "messages?s=1", nil, "POST /gw/messages?s=1 ping", true},
		{"query", "?s=1&t=%20", nil, "POST /gw/sse?s=1&t=%20 ping", false}, // which this server refuses
		{"the same origin", "http://h.example/m?s=1", nil, "POST /m?s=1 ping", true},
		{"the same origin with its port", "http://H.example:80/m", nil, "POST /m ping", true},
		{"with a fragment", "/m?s=1#x", nil, "POST /m?s=1 ping", true},
		{"another host", "https://evil.example/m", nil, "evil.example", false},
		{"another host without a scheme", "//evil.example/m", nil, "evil.example", false},
		{"another port", "http://h.example:8080/m", nil, "h.example:8080", false},
		{"another scheme", "https://h.example/m", nil, "another origin", false},
		{"another host by a user name", "http://h.example@evil.example/m", nil, "evil.example", false},
		{"no URL", "http://[", nil, "no URL", false},
		{"a gateway that changes paths", "/messages?s=1", func(s string) string { return "/gw" + s }, "POST /gw/messages?s=1 ping", true},
		{"a gateway that changes hosts", "http://inner:80/messages?s=1", func(s string) string { return strings.TrimPrefix(s, "http://inner:80/") }, "POST /gw/messages?s=1 ping", true},
		{"changed to another host", "/m", func(string) string { return "http://evil.example/m" }, "evil.example", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &oldScript{first: "event: endpoint\ndata: " + test.data + "\n\n"}
			oldLinked(t, s, httpmcp.DialOptions{MessageURL: test.change, Header: http.Header{"Authorization": {"Bearer secret"}}}, func(w *linkWorld) {
				err := w.tryHandshake(w.Context())
				if err == nil {
					_, err = w.call(w.Context(), "ping")
				}
				if (err == nil) != test.ok {
					w.Errorf("got %v", err)
				}
				if got := s.saw() + fmt.Sprint(err); test.name != "query" && !strings.Contains(got, test.want) {
					w.Errorf("got %s, want %s", got, test.want)
				}
				if err != nil && strings.Contains(err.Error(), "secret") {
					w.Errorf("the error tells a secret: %v", err)
				}
			})
		})
	}
}

// When the other transport is tried.
func TestOldFallback(t *testing.T) {
	answered := `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no"}}`
	nameless := `{"jsonrpc":"2.0","error":{"code":-32600,"message":"GET opens a stream"}}`
	tests := []struct {
		name   string
		refuse func(http.ResponseWriter, *http.Request, *jsonrpc.Message)
		first  string
		gets   int
		want   string // a part of the error
	}{
		{"405", replyOf(405), endpointEvent, 1, ""},
		{"404", replyOf(404, "not here"), endpointEvent, 1, ""},
		{"400", replyOf(400, "no session"), endpointEvent, 1, ""},
		{"an error without an id", replyOf(400, nameless), endpointEvent, 1, ""},
		{"other events before", replyOf(405), ": hello\n\nevent: hello\ndata: x\n\n" + endpointEvent, 1, ""},
		{"an answer", replyOf(400, answered), endpointEvent, 0, "-32602"},
		{"401", replyOf(401), endpointEvent, 0, "401"},
		{"403", replyOf(403), endpointEvent, 0, "403"},
		{"500", replyOf(500), endpointEvent, 0, "500"},
		{"a message first", replyOf(405), "data: {}\n\n" + endpointEvent, 1, "a message has come before"},
		{"nothing but other events", replyOf(405), strings.Repeat("event: x\ndata: x\n\n", 20) + endpointEvent, 1, "other events"},
		{"silence", replyOf(404, "not here"), ": hello\n\n", 1, "404 Not Found: not here; nor"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &oldScript{refuse: test.refuse, first: test.first}
			oldLinked(t, s, httpmcp.DialOptions{}, func(w *linkWorld) {
				start := time.Now()
				err := w.tryHandshake(w.Context())
				if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
					w.Errorf("got %v, want %q", err, test.want)
				}
				if n := strings.Count(s.saw(), "GET"); n != test.gets {
					w.Errorf("%d GETs, want %d", n, test.gets)
				}
				if took := time.Since(start); took > 10*time.Second {
					w.Errorf("took %s", took)
				}
				if w.link.Err() != nil {
					w.Errorf("the link has ended: %v", w.link.Err())
				}
			})
		})
	}
}

// Where the GET brings nothing, the error is that of the POST.
func TestOldFallbackFails(t *testing.T) {
	s := &legacyScript{parts: scriptParts{"POST initialize": replyOf(404, "no such page")}}
	linked(t, s, nil, func(w *linkWorld) {
		err := w.tryHandshake(w.Context())
		if !isRejected(404)(err) || !strings.Contains(err.Error(), "no such page; nor does it speak") {
			w.Errorf("got %v", err)
		}
		w.wantLines(s.lines(), "POST initialize - -", "GET - -")
	})
}

// The caller of a handshake waits no longer than it wants.
func TestOldFallbackCancelled(t *testing.T) {
	oldLinked(t, &oldScript{first: ":\n\n"}, httpmcp.DialOptions{}, func(w *linkWorld) {
		ctx, cancel := context.WithTimeout(w.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := w.tryHandshake(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			w.Errorf("got %v after %s", err, time.Since(start))
		}
	})
}

// A session over that transport.
func TestOldSession(t *testing.T) {
	for _, late := range []bool{false, true} {
		s := &oldScript{late: late}
		oldLinked(t, s, httpmcp.DialOptions{}, func(w *linkWorld) {
			w.asked = func(context.Context, *jsonrpc.Message, jsonrpc.Peer) (string, error) { return `{}`, nil }
			w.open()
			start := time.Now()
			var calls sync.WaitGroup
			for range 20 {
				calls.Go(func() {
					if got, err := w.call(w.Context(), "tools/call"); got != `{"ok":1}` || err != nil {
						w.Errorf("got %s, %v", got, err)
					}
				})
			}
			calls.Wait()
			if took := time.Since(start); took > 0 {
				w.Errorf("the answers were there, and the calls took %s", took)
			}
			s.out <- noteEvent
			if got := w.hears(); got != "notifications/n " {
				w.Errorf("heard %s", got)
			}
			s.out <- question("7")
			ctx, cancel := context.WithTimeout(w.Context(), time.Second)
			defer cancel()
			if _, err := w.call(ctx, "silent"); !errors.Is(err, context.DeadlineExceeded) {
				w.Errorf("got %v", err)
			}
			if err := w.link.Close(); err != nil {
				w.Error("Close:", err)
			}
			saw := s.saw()
			for _, want := range []string{"POST /gw/sse initialize\nGET /gw/sse\nPOST /messages?s=1 initialize\nPOST /messages?s=1 notifications/initialized\n",
				"POST /messages?s=1 \n", "POST /messages?s=1 notifications/cancelled"} {
				if !strings.Contains(saw, want) {
					w.Errorf("the server has seen %s, want in it %s", saw, want)
				}
			}
			if strings.Contains(saw, "DELETE") || strings.Count(saw, "GET") != 1 {
				w.Errorf("the server has seen %s, want one GET and no DELETE", saw)
			}
		})
	}
}

// A POST that is refused is the end of its call alone.
func TestOldRefusal(t *testing.T) {
	s := &oldScript{}
	s.accept = func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
		if string(m.Method) == "initialize" {
			s.out <- strings.ReplaceAll(resultEvent, "%s", m.ID.String())
			w.WriteHeader(202)
			return
		}
		replyOf(404, "no session")(w, r, m)
	}
	oldLinked(t, s, httpmcp.DialOptions{}, func(w *linkWorld) {
		w.handshake()
		for range 2 {
			if _, err := w.call(w.Context(), "ping"); !isRejected(404)(err) {
				w.Errorf("got %v", err)
			}
		}
	})
}

// A handler that would wait for what comes behind its own notification is told so.
func TestOldHandlerCannotWait(t *testing.T) {
	s := &oldScript{}
	oldLinked(t, s, httpmcp.DialOptions{}, func(w *linkWorld) {
		var err error
		w.told = func(ctx context.Context, _ *jsonrpc.Message, p jsonrpc.Peer) { _, err = p.Call(ctx, "ping", nil) }
		w.open()
		s.out <- noteEvent
		w.hears()
		if err == nil || !strings.Contains(err.Error(), "another goroutine") {
			w.Errorf("got %v", err)
		}
	})
}

// The stream is the session and the link: nothing is left when it ends.
func TestOldStreamEnds(t *testing.T) {
	s := &oldScript{}
	oldLinked(t, s, httpmcp.DialOptions{}, func(w *linkWorld) {
		w.open()
		done := w.begin(w.Context(), "silent")
		synctest.Wait()
		close(s.end)
		got := <-done
		if !errors.Is(got.err, mcp.ErrAnswerLost) || !errors.Is(got.err, mcp.ErrLinkClosed) {
			w.Errorf("the call that was waiting: %v", got.err)
		}
		<-w.link.Done()
		if err := w.link.Err(); !errors.Is(err, mcp.ErrLinkClosed) || !strings.Contains(err.Error(), "ended its stream") {
			w.Errorf("Err: %v", err)
		}
		if _, err := w.call(w.Context(), "ping"); !errors.Is(err, mcp.ErrLinkClosed) {
			w.Errorf("the next call: %v", err)
		}
		if err := w.link.Close(); err != nil {
			w.Errorf("Close: %v", err)
		}
	})
}

// Whatever a server names, messages go to the origin that the user has named.
func FuzzOldEndpoint(f *testing.F) {
	for _, endpoint := range []string{"/m?s=1", "m", "//evil.example/m", "http://h.example@evil.example/", "http:/m", "http:m", "\\\\evil.example\\m",
		"https://h.example/m", "http://h.example:80/m", "http://H.EXAMPLE/m", "http://h.example:080/m", "javascript:x", "?", "#", "%2f%2fevil.example"} {
		f.Add(endpoint)
	}
	f.Fuzz(func(t *testing.T, endpoint string) {
		to, err := httpmcp.MessageURL("http://h.example/gw/sse", "http://h.example/gw/sse", endpoint)
		if err != nil {
			return
		}
		r, err := http.NewRequest("POST", to.String(), nil)
		if err != nil {
			t.Skip() // is refused when it is sent
		}
		if r.URL.Scheme != "http" || !strings.EqualFold(r.URL.Hostname(), "h.example") || r.URL.Port() != "" && r.URL.Port() != "80" || r.URL.User != nil {
			t.Errorf("%q sends messages to %s", endpoint, to)
		}
	})
}
