package httpmcp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

type scriptParts = map[string]func(http.ResponseWriter, *http.Request, *jsonrpc.Message)

func (w *linkWorld) wantLines(got []string, want ...string) {
	w.Helper()
	if !slices.Equal(got, want) {
		w.Errorf("the server has seen\n %s\nwant\n %s", strings.Join(got, "\n "), strings.Join(want, "\n "))
	}
}

func TestLegacyLinkHeaders(t *testing.T) {
	s := &legacyScript{}
	linked(t, s, nil, func(w *linkWorld) {
		w.open()
		if got, err := w.call(w.Context(), "ping"); got != "{}" || err != nil {
			w.Errorf("ping: %s, %v", got, err)
		}
		if err := w.link.Close(); err != nil {
			w.Errorf("Close: %v", err)
		}
		if err := w.link.Close(); err != nil {
			w.Errorf("Close once more: %v", err)
		}
		w.wantLines(s.lines(), "POST initialize - -", "POST notifications/initialized S1 2025-11-25",
			"GET S1 2025-11-25", "POST ping S1 2025-11-25", "DELETE S1 2025-11-25")
		if _, err := w.call(w.Context(), "ping"); !errors.Is(err, mcp.ErrLinkClosed) {
			w.Errorf("ping behind Close: %v", err)
		}
	})
}

func replyOf(code int, body ...string) func(http.ResponseWriter, *http.Request, *jsonrpc.Message) {
	return func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) {
		text := strings.Join(body, "")
		if strings.HasPrefix(text, "{") {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(code)
		io.WriteString(w, strings.ReplaceAll(text, "%s", m.ID.String()))
	}
}

// The server forgets the session: B182.
func TestLegacySessionForgotten(t *testing.T) {
	s := &legacyScript{}
	var over atomic.Bool
	s.parts = scriptParts{
		"POST ping": func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
			if over.Load() {
				replyOf(404, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"Session not found"}}`)(w, r, m)
				return
			}
			s.usual(w, r, m)
		},
		"GET": func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
			if !over.Load() {
				answerEvents(w, m, "id: 1\ndata:\n\n")
				return // it breaks off
			}
			w.WriteHeader(404)
		},
	}
	linked(t, s, nil, func(w *linkWorld) {
		w.open()
		over.Store(true)
		<-time.After(time.Hour) // of the bubble
		if n := s.count("GET"); n != 2 {
			w.Errorf("there were %d GETs, want the first and one that is told 404", n)
		}
		for range 2 {
			if _, err := w.call(w.Context(), "ping"); !errors.Is(err, mcp.ErrSessionEnded) {
				w.Errorf("ping in a forgotten session: %v", err)
			}
		}
		if err := w.link.Notify(w.Context(), saying("notifications/x")); !errors.Is(err, mcp.ErrSessionEnded) {
			w.Errorf("a notification in a forgotten session: %v", err)
		}
		if n := s.count("POST ping"); n != 1 {
			w.Errorf("%d messages went out in a session that is known to have ended, want 1", n)
		}
		over.Store(false)
		s.mu.Lock()
		s.saw = nil
		s.mu.Unlock()
		w.open()
		if _, err := w.call(w.Context(), "ping"); err != nil {
			w.Errorf("ping in the next session: %v", err)
		}
		w.link.Close()
		w.wantLines(s.lines("GET"), "POST initialize - -", "POST notifications/initialized S1 2025-11-25",
			"POST ping S1 2025-11-25", "DELETE S1 2025-11-25")
	})
}

func TestLegacyRefusals(t *testing.T) {
	told := `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}`
	tests := []struct {
		name  string
		reply func(http.ResponseWriter, *http.Request, *jsonrpc.Message)
		want  string // a part of the error
		as    func(error) bool
	}{
		{"an error with 400", replyOf(400, told), "-32000", isTold(-32000)},
		{"an error with 500", replyOf(500, told), "-32000", isTold(-32000)},
		{"an error with 200", replyOf(200, told), "-32000", isTold(-32000)},
		{"an error of the call", replyOf(200, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`), "-32601", isTold(-32601)},
		{"plain text", replyOf(400, "go away"), "400 Bad Request: go away", isRejected(400)},
		{"who asks", replyOf(401, told), "401", isRejected(401)},
		{"no answer", replyOf(202), "202 Accepted", isRejected(202)},
		{"another id", replyOf(200, `{"jsonrpc":"2.0","id":"x","result":{}}`), "200 OK", isRejected(200)},
		{"a response that is none", replyOf(200, `{"jsonrpc":"2.0","id":%s,"result":{},"error":{}}`), "response that is none", isBrokenResponse},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			linked(t, &legacyScript{parts: scriptParts{"POST ping": test.reply}}, nil, func(w *linkWorld) {
				w.open()
				_, err := w.call(w.Context(), "ping")
				if err == nil || !strings.Contains(err.Error(), test.want) || !test.as(err) {
					w.Errorf("got %v (%T), want %s", err, err, test.want)
				}
			})
		})
	}
}

func isTold(code jsonrpc.Code) func(error) bool {
	return func(err error) bool { return errors.Is(err, &jsonrpc.Error{Code: code}) }
}

// isBrokenResponse reports whether an error is that of a response that is none, and not the server's.
func isBrokenResponse(err error) bool {
	return errors.As(err, new(*jsonrpc.BrokenResponse)) && !errors.As(err, new(*jsonrpc.Error))
}

func isRejected(status int) func(error) bool {
	return func(err error) bool {
		var r *mcp.Rejected
		return errors.As(err, &r) && r.Status == status
	}
}

// Without a session's id, 404 is not about a session.
func TestLegacyWithoutSession(t *testing.T) {
	s := &legacyScript{parts: scriptParts{
		"POST initialize": func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) { answerJSON(w, m, "{}") },
		"POST ping":       replyOf(404, "nothing here"),
	}}
	linked(t, s, nil, func(w *linkWorld) {
		w.open()
		for range 2 {
			if _, err := w.call(w.Context(), "ping"); !isRejected(404)(err) {
				w.Errorf("got %v, want that it is rejected", err)
			}
		}
		w.link.Close()
		w.wantLines(s.lines(), "POST initialize - -", "POST notifications/initialized - 2025-11-25", "GET - 2025-11-25",
			"POST ping - 2025-11-25", "POST ping - 2025-11-25")
	})
}

func TestLegacySessionID(t *testing.T) {
	for _, id := range []string{"a b", "ü", "a\tb"} {
		s := &legacyScript{parts: scriptParts{"POST initialize": func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) {
			w.Header()["Mcp-Session-Id"] = []string{id}
			answerJSON(w, m, "{}")
		}}}
		linked(t, s, nil, func(w *linkWorld) {
			_, err := w.link.Call(w.Context(), &mcp.Outgoing{Method: "initialize", Quiet: true})
			if err == nil || !strings.Contains(err.Error(), "visible ASCII") {
				w.Errorf("the session id %q: got %v", id, err)
			}
		})
	}
}

// A server that is deaf holds up neither the caller nor, for long, the end.
func TestLegacyCancel(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request, _ *jsonrpc.Message) { <-r.Context().Done() }
	for _, test := range []struct {
		name  string
		quiet bool
		deaf  bool
		want  int
	}{
		{"told", false, false, 1},
		{"deaf", false, true, 1},
		{"quiet", true, false, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &legacyScript{parts: scriptParts{"POST slow": hang}}
			if test.deaf {
				s.parts["POST notifications/cancelled"] = hang
			}
			linked(t, s, nil, func(w *linkWorld) {
				w.open()
				ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
				defer cancel()
				start := time.Now()
				out := saying("slow")
				out.Quiet = test.quiet
				_, err := w.link.Call(ctx, out)
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Minute {
					w.Errorf("got %v after %s", err, time.Since(start))
				}
				synctest.Wait()
				if got := s.count("POST notifications/cancelled S1 2025-11-25"); got != test.want {
					w.Errorf("told %d times, want %d", got, test.want)
				}
				start = time.Now()
				if err := w.link.Close(); err != nil || time.Since(start) > 3*time.Second {
					w.Errorf("Close: %v after %s", err, time.Since(start))
				}
			})
		})
	}
}

// What is told of a cancellation is the id of the request.
func TestLegacyCancelNamesTheRequest(t *testing.T) {
	ids := make(chan string, 10)
	s := &legacyScript{parts: scriptParts{
		"POST slow": func(_ http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
			ids <- m.ID.String()
			<-r.Context().Done()
		},
		"POST notifications/cancelled": func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) {
			ids <- string(m.Param("requestId"))
			w.WriteHeader(202)
		},
	}}
	linked(t, s, nil, func(w *linkWorld) {
		w.open()
		ctx, cancel := context.WithCancel(w.Context())
		done := w.begin(ctx, "slow")
		id := <-ids
		cancel()
		if got := <-done; !errors.Is(got.err, context.Canceled) {
			w.Errorf("got %v", got.err)
		}
		if got := <-ids; got != id {
			w.Errorf("the cancellation names %s, want %s", got, id)
		}
	})
}

// What comes on the stream of a call: B53, B55, B185.
func TestLegacyStream(t *testing.T) {
	note := "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/n\",\"params\":{\"n\":1}}\n\n"
	tests := []struct {
		name    string
		stream  []string
		batches bool
		heard   []string
	}{
		{"alone", []string{resultEvent}, false, nil},
		{"two lines", []string{"data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":%s,\"result\":{\"ok\":1}}\n\n"}, false, nil},
		{"what is no message", []string{": ping\n\n", "event: ping\ndata: x\n\n", "id: 7\ndata:\n\n", resultEvent}, false, nil},
		{"no JSON", []string{"data: {\n\n", "data: 1\n\n", resultEvent}, false, nil},
		{"a notification before", []string{note, resultEvent}, false, []string{`notifications/n {"n":1}`}},
		{"other answers", []string{"data: {\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n\n", "data: {\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":{}}\n\n", resultEvent}, false, nil},
		{"twice", []string{resultEvent + resultEvent}, false, nil},
		{"batch", []string{`data: [{"jsonrpc":"2.0","method":"notifications/n"},{"jsonrpc":"2.0","id":%s,"result":{"ok":1}}]` + "\n\n"}, true, []string{"notifications/n "}},
		{"batch where there are none", []string{`data: [{"jsonrpc":"2.0","method":"notifications/n"}]` + "\n\n", resultEvent}, false, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &legacyScript{parts: scriptParts{"POST call": func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) {
				answerEvents(w, m, test.stream...)
			}}}
			linked(t, s, nil, func(w *linkWorld) {
				w.batches = test.batches
				w.open()
				for range 2 { // the connection is good for another call
					got, err := w.call(w.Context(), "call")
					if got != `{"ok":1}` || err != nil {
						w.Errorf("got %s, %v", got, err)
					}
					if len(w.heard) != len(test.heard) {
						w.Fatalf("heard %d notifications before the answer, want %d", len(w.heard), len(test.heard))
					}
					for _, want := range test.heard {
						if got := <-w.heard; got != want {
							w.Errorf("heard %s, want %s", got, want)
						}
					}
				}
			})
		})
	}
}
