package httpmcp_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

const noteEvent = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/n\"}\n\n"

// The stream for what belongs to no call is kept open.
func TestSessionStream(t *testing.T) {
	event := func(head string) string { return head + noteEvent }
	tests := []struct {
		name    string
		streams []string // what comes on each; the last one stays open
		lasts   string   // what the GETs have gone on behind
		took    time.Duration
	}{
		{"stays open", []string{event("id: 1\n")}, "-", 0},
		{"is taken up again", []string{event("id: 1\n"), event("id: 2\n"), event("id: 3\n")}, "- 1 2", 2 * time.Second},
		{"when the server wants it", []string{event("id: 1\nretry: 5000\n"), event("id: 2\n")}, "- 1", 5 * time.Second},
		{"without ids", []string{event(""), event("")}, "- -", time.Second},
		{"without data", []string{"id: 1\ndata:\n\n", event("")}, "- 1", time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var lasts []string
			s := &legacyScript{}
			s.parts = scriptParts{"GET": func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
				last := r.Header.Get("Last-Event-ID")
				if last == "" {
					last = "-"
				}
				lasts = append(lasts, last)
				answerEvents(w, m, test.streams[len(lasts)-1])
				if len(lasts) == len(test.streams) {
					<-r.Context().Done()
				}
			}}
			linked(t, s, nil, func(w *linkWorld) {
				start := time.Now()
				w.open()
				for range strings.Count(strings.Join(test.streams, ""), "notifications/n") {
					if got := w.hears(); got != "notifications/n " {
						w.Errorf("heard %s", got)
					}
				}
				if took := time.Since(start); took != test.took {
					w.Errorf("took %s, want %s", took, test.took)
				}
				w.link.Close()
				if got := strings.Join(lasts, " "); got != test.lasts {
					w.Errorf("went on behind %s, want %s", got, test.lasts)
				}
			})
		})
	}
}

func cutOffInAMinute(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
	answerEvents(w, m, ": hello\n\n")
	select {
	case <-time.After(time.Minute):
		panic(http.ErrAbortHandler)
	case <-r.Context().Done():
	}
}

// The stream is asked for once, however often the server is told that the handshake is over.
func TestSessionStreamOnce(t *testing.T) {
	s := &legacyScript{parts: scriptParts{"GET": cutOffInAMinute}}
	linked(t, s, nil, func(w *linkWorld) {
		w.open()
		if err := w.link.Notify(w.Context(), &mcp.Outgoing{Method: "notifications/initialized"}); err != nil {
			w.Error(err)
		}
		<-time.After(10 * time.Second)
		if n := s.count("GET"); n != 1 {
			w.Errorf("%d GETs, want 1", n)
		}
	})
}

// A stream on which nothing has come is no failure when it has lasted: the next one is asked for
// as soon as after any other.
func TestSessionStreamLasts(t *testing.T) {
	s := &legacyScript{parts: scriptParts{"GET": cutOffInAMinute}}
	linked(t, s, nil, func(w *linkWorld) {
		w.open()
		<-time.After(time.Hour) // of the bubble
		if n := s.count("GET"); n < 58 {
			w.Errorf("%d GETs in an hour, want one each 61 seconds", n)
		}
	})
}

// A server is not asked more often than makes sense, whatever it answers: in an hour.
func TestSessionStreamNoStorm(t *testing.T) {
	tests := []struct {
		name string
		get  func(http.ResponseWriter, *http.Request, *jsonrpc.Message)
		most int
	}{
		{"405", replyOf(405), 1},
		{"404", replyOf(404), 1},
		{"400", replyOf(400), 1},
		{"401", replyOf(401), 1},
		{"501", replyOf(501), 1},
		{"204", replyOf(204), 1},
		{"a page", replyOf(200, "hello"), 1},
		{"503", replyOf(503), 130},
		{"409", replyOf(409), 130},
		{"an empty stream", func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) { answerEvents(w, m) }, 130},
		{"the same again", func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) {
			answerEvents(w, m, "retry: 0\nid: 1\ndata:\n\n")
		}, 130},
		{"events with retry", func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) {
			answerEvents(w, m, "retry: 60000\nid: "+time.Now().String()+"\ndata:\n\n")
		}, 61},
		{"cut off after a minute", cutOffInAMinute, 61},
		{"ever new ids", func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) {
			answerEvents(w, m, "retry: 0\nid: "+time.Now().String()+"\ndata:\n\n")
		}, 3601},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &legacyScript{parts: scriptParts{"GET": test.get}}
			linked(t, s, nil, func(w *linkWorld) {
				w.open()
				<-time.After(time.Hour) // of the bubble
				if n := s.count("GET"); n > test.most || test.most > 1 && n < test.most/2 {
					w.Errorf("%d GETs in an hour, want at most %d", n, test.most)
				}
				if got, err := w.call(w.Context(), "ping"); got != "{}" || err != nil {
					w.Errorf("ping: %s, %v", got, err)
				}
			})
		})
	}
}

// The handshake waits for the beginning of the stream, but for a moment only.
func TestSessionStreamIsWaitedFor(t *testing.T) {
	for _, takes := range []time.Duration{100 * time.Millisecond, time.Hour} {
		s := &legacyScript{parts: scriptParts{"GET": func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
			select {
			case <-time.After(takes):
			case <-r.Context().Done():
				return
			}
			answerEvents(w, m)
			<-r.Context().Done()
		}}}
		linked(t, s, nil, func(w *linkWorld) {
			start := time.Now()
			w.open()
			if took := time.Since(start); took != min(takes, 500*time.Millisecond) {
				w.Errorf("of a stream that takes %s: waited for %s", takes, took)
			}
		})
	}
}

// A server that has not kept what comes next is asked for what comes from now on.
func TestSessionStreamAnew(t *testing.T) {
	s := &legacyScript{}
	gets := 0
	s.parts = scriptParts{"GET": func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
		gets++
		switch {
		case gets == 1:
			answerEvents(w, m, "id: 1\ndata:\n\n")
		case r.Header.Get("Last-Event-ID") != "":
			w.WriteHeader(400)
		default:
			answerEvents(w, m, noteEvent)
			<-r.Context().Done()
		}
	}}
	linked(t, s, nil, func(w *linkWorld) {
		w.open()
		if got := w.hears(); got != "notifications/n " || gets != 3 {
			w.Errorf("heard %s after %d GETs", got, gets)
		}
	})
}

// TestSessionOutages: that there is no server any more behind a stream that was open is logged once, and
// so is that it is there again; what passes without an outage is not.
func TestSessionOutages(t *testing.T) {
	const gone, back = "WARN the server cannot be reached, and is tried again;", "INFO the server is there again;"
	for _, tt := range []struct {
		name string
		gets []int // the status of each; the last one is repeated
		want string
	}{
		{"none", []int{200, 200, 405}, ""},
		{"one, and a stream", []int{200, 503, 502, 200, 405}, gone + back},
		{"two", []int{200, 503, 200, 503, 503, 200, 405}, gone + back + gone + back},
		{"one, and no stream", []int{200, 503, 405}, gone + back},
		{"one, and another session", []int{200, 503, 404}, gone + back},
		{"without end", []int{200, 503}, gone},
		{"another stream is still open", []int{200, 409, 409, 200, 405}, ""},
		{"never there", []int{503, 503, 405}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gets := 0
			s := &legacyScript{parts: scriptParts{"GET": func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
				status := tt.gets[min(gets, len(tt.gets)-1)]
				gets++
				if status == http.StatusOK {
					answerEvents(w, m, noteEvent)
					return
				}
				w.WriteHeader(status)
			}}}
			var log bytes.Buffer
			records := slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.LevelKey || a.Key == slog.MessageKey {
					return a
				}
				return slog.Attr{}
			}})
			logged(t, s, nil, slog.New(records), func(w *linkWorld) {
				w.open()
				<-time.After(time.Hour) // of the bubble
				w.link.Close()
			})
			got := strings.NewReplacer("level=", "", "msg=", "", `"`, "", "\n", ";").Replace(log.String())
			if got != tt.want {
				t.Errorf("GETs answered with %d\n got: %s\nwant: %s", tt.gets, got, tt.want)
			}
		})
	}
}

// The end of a session: B184.
func TestSessionDelete(t *testing.T) {
	tests := []struct {
		name  string
		reply func(http.ResponseWriter, *http.Request, *jsonrpc.Message)
		took  time.Duration
		want  string // a part of the error
	}{
		{"204", replyOf(204), 0, ""},
		{"200 and a body", replyOf(200, "{}"), 0, ""},
		{"404", replyOf(404), 0, ""},
		{"405", replyOf(405, "no"), 0, ""},
		{"500", replyOf(500, "broken"), 0, "500 Internal Server Error: broken"},
		{"never", func(_ http.ResponseWriter, r *http.Request, _ *jsonrpc.Message) { <-r.Context().Done() }, 2 * time.Second, "deadline"},
		{"a body that never ends", func(w http.ResponseWriter, r *http.Request, _ *jsonrpc.Message) {
			w.WriteHeader(500)
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, 2 * time.Second, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &legacyScript{parts: scriptParts{"DELETE": test.reply}}
			linked(t, s, nil, func(w *linkWorld) {
				w.open()
				start := time.Now()
				err := w.link.Close()
				if took := time.Since(start); took != test.took {
					w.Errorf("Close took %s, want %s", took, test.took)
				}
				if (err == nil) != (test.want == "" && test.took == 0) || err != nil && !strings.Contains(err.Error(), test.want) {
					w.Errorf("Close: %v, want %q", err, test.want)
				}
				if n := s.count("DELETE S1 2025-11-25"); n != 1 {
					w.Errorf("%d DELETEs, want 1", n)
				}
			})
		})
	}
}

// A session that another one takes the place of is ended, as is one whose handshake fails.
func TestSessionLeft(t *testing.T) {
	s := &legacyScript{}
	linked(t, s, nil, func(w *linkWorld) {
		w.open()
		w.handshake()
		synctest.Wait()
		if n := s.count("DELETE S1"); n != 1 {
			w.Errorf("the first session was ended %d times, want once", n)
		}
		s.mu.Lock()
		s.saw = nil
		s.parts = scriptParts{"POST initialize": func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) {
			w.Header().Set("Mcp-Session-Id", "S2")
			replyOf(200, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no"}}`)(w, nil, m)
		}}
		s.mu.Unlock()
		if _, err := w.link.Call(w.Context(), &mcp.Outgoing{Method: "initialize", Quiet: true}); !isTold(-32602)(err) {
			w.Errorf("initialize: %v", err)
		}
		synctest.Wait()
		w.wantLines(s.lines(), "POST initialize - -", "DELETE S2 -")
	})
}

// Nothing is left of a thousand links: B184.
func TestLinksLeaveNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a thousand connections")
	}
	s := &legacyScript{}
	s.parts = scriptParts{
		"GET": func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
			answerEvents(w, m, "id: 1\ndata:\n\n")
			<-r.Context().Done()
		},
		"POST stream": func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) { answerEvents(w, m, resultEvent) },
		"DELETE":      replyOf(405, "no"),
	}
	l := httptest.NewServer(s)
	defer l.Close()
	cycle := func() {
		link, err := httpmcp.Dial(l.URL, nil).Legacy(t.Context(), newHearer(), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		for _, out := range []*mcp.Outgoing{{Method: "initialize", Quiet: true}, saying("ping"), saying("stream")} {
			if _, err := link.Call(t.Context(), out); err != nil {
				t.Fatal(out.Method, err)
			}
			if out.Quiet {
				err = link.Notify(t.Context(), saying("notifications/initialized"))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := link.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		cycle()
	}
	files, routines := descriptors(t), runtime.NumGoroutine()
	for range 1000 {
		cycle()
	}
	within := time.Now().Add(5 * time.Second)
	for descriptors(t) > files+8 || runtime.NumGoroutine() > routines+16 {
		if time.Now().After(within) {
			t.Fatalf("%d descriptors and %d goroutines, of %d and %d before", descriptors(t), runtime.NumGoroutine(), files, routines)
		}
		runtime.Gosched()
	}
}

// descriptors is how many files the process has open.
func descriptors(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("this system does not tell which files are open")
	}
	return len(entries)
}
