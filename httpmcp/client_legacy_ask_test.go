package httpmcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
)

// What the server asks is answered by a POST, on whichever stream it has come.
func TestServerAsks(t *testing.T) {
	ask := `data: {"jsonrpc":"2.0","id":"q\u0031","method":"METHOD","params":{"a":[1, 2]}}` + "\n\n"
	tests := []struct {
		name, method string
		result       string
		err          error
		want         string
	}{
		{"a ping", "ping", "", nil, `{"jsonrpc":"2.0","id":"q\u0031","result":{}}`},
		{"an answer", "roots/list", `{"roots":[]}`, nil, `{"jsonrpc":"2.0","id":"q\u0031","result":{"roots":[]}}`},
		{"a refusal", "roots/list", "", jsonrpc.Errorf(-1, "no"), `{"jsonrpc":"2.0","id":"q\u0031","error":{"code":-1,"message":"no"}}`},
	}
	for _, test := range tests {
		for _, where := range []string{"of a call", "of none", "of initialize"} {
			t.Run(test.name+", on the stream "+where, func(t *testing.T) {
				var answered chan struct{} // of the bubble
				s := &legacyScript{}
				asks := func(text string) func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
					return func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
						w.Header().Set("Mcp-Session-Id", "S1")
						answerEvents(w, m, strings.ReplaceAll(ask, "METHOD", test.method))
						<-answered
						moreEvents(w, m, text)
					}
				}
				s.parts = scriptParts{"POST " + test.want: func(w http.ResponseWriter, _ *http.Request, _ *jsonrpc.Message) {
					w.WriteHeader(202)
					close(answered)
				}}
				switch where {
				case "of a call":
					s.parts["POST call"] = asks(resultEvent)
				case "of none":
					s.parts["GET"] = asks(noteEvent)
				default:
					s.parts["POST initialize"] = asks(resultEvent)
				}
				linked(t, s, nil, func(w *linkWorld) {
					answered = make(chan struct{})
					w.asked = func(_ context.Context, m *jsonrpc.Message, _ jsonrpc.Peer) (string, error) {
						if got := string(m.Param("a")); got != "[1, 2]" {
							w.Errorf("the params have a = %s", got)
						}
						return test.result, test.err
					}
					w.open()
					switch where {
					case "of a call":
						if got, err := w.call(w.Context(), "call"); got != `{"ok":1}` || err != nil {
							w.Errorf("call: %s, %v", got, err)
						}
					case "of none":
						w.hears()
					}
					if !slices.ContainsFunc(s.lines(), func(line string) bool { return strings.HasPrefix(line, "POST "+test.want+" S1") }) {
						w.Errorf("the server has seen %q, want in it %s, in the session", s.lines(), test.want)
					}
				})
			})
		}
	}
}

// asking is a server that asks these on the stream of "call", which then stays open.
func asking(texts ...string) *legacyScript {
	return &legacyScript{parts: scriptParts{"POST call": func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
		answerEvents(w, m, texts...)
		<-r.Context().Done()
	}}}
}

func question(id string) string {
	return `data: {"jsonrpc":"2.0","id":` + id + `,"method":"roots/list"}` + "\n\n"
}

// untilEnd is a handler that answers when its context has ended.
func untilEnd(ended chan<- string) func(context.Context, *jsonrpc.Message, jsonrpc.Peer) (string, error) {
	return func(ctx context.Context, m *jsonrpc.Message, _ jsonrpc.Peer) (string, error) {
		<-ctx.Done()
		ended <- m.ID.String()
		return "{}", nil
	}
}

// What is not wanted any more ends, and is not answered.
func TestServerAskEnds(t *testing.T) {
	cancelled := `data: {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0061"}}` + "\n\n"
	tests := []struct {
		name string
		say  []string
		end  func(w *linkWorld, cancel func())
	}{
		{"by the server", []string{question(`"a"`), cancelled}, func(*linkWorld, func()) {}},
		{"with its call", []string{question(`"a"`)}, func(_ *linkWorld, cancel func()) { cancel() }},
		{"with the link", []string{question(`"a"`)}, func(w *linkWorld, _ func()) { w.link.Close() }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := asking(test.say...)
			linked(t, s, nil, func(w *linkWorld) {
				ended := make(chan string, 1)
				w.asked = untilEnd(ended)
				w.open()
				ctx, cancel := context.WithCancel(w.Context())
				defer cancel()
				w.begin(ctx, "call")
				synctest.Wait()
				test.end(w, cancel)
				select {
				case <-ended:
				case <-time.After(time.Minute):
					w.Fatal("the handler goes on")
				}
				synctest.Wait()
				if n := s.count(`POST {"jsonrpc"`); n != 0 {
					w.Errorf("answered %d times: %q", n, s.lines())
				}
			})
		})
	}
}

// One id in flight is one request; and not all at once are taken.
func TestServerAsksAtOnce(t *testing.T) {
	var texts []string
	for i := range 130 {
		texts = append(texts, question(fmt.Sprint(i)))
	}
	tests := []struct {
		name           string
		texts          []string
		asked, refused int
	}{
		{"twice", []string{question("1"), question("1"), question("2")}, 2, 0},
		{"too many", texts, 128, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := asking(test.texts...)
			linked(t, s, nil, func(w *linkWorld) {
				asked := make(chan string, 200)
				w.asked = func(ctx context.Context, m *jsonrpc.Message, _ jsonrpc.Peer) (string, error) {
					asked <- m.ID.String()
					<-ctx.Done()
					return "", ctx.Err()
				}
				w.open()
				w.begin(w.Context(), "call")
				synctest.Wait()
				if len(asked) != test.asked || s.count(`POST {"jsonrpc":"2.0","id"`) != test.refused {
					w.Errorf("%d are worked on, want %d; %q", len(asked), test.asked, s.lines())
				}
			})
		})
	}
}

// A handler that ignores its context holds up the end for a second.
func TestServerAskIgnoresItsEnd(t *testing.T) {
	s := asking(question("1"))
	linked(t, s, nil, func(w *linkWorld) {
		leave := make(chan struct{})
		w.asked = func(context.Context, *jsonrpc.Message, jsonrpc.Peer) (string, error) {
			<-leave
			return "{}", nil
		}
		w.open()
		done := w.begin(w.Context(), "call")
		synctest.Wait()
		start := time.Now()
		if err := w.link.Close(); err != nil || time.Since(start) != time.Second {
			w.Errorf("Close: %v after %s", err, time.Since(start))
		}
		if got := <-done; !strings.Contains(got.err.Error(), "ended") {
			w.Errorf("the call: %v", got.err)
		}
		close(leave)
	})
}

// A handler may send messages itself: they are POSTs like others.
func TestServerPeer(t *testing.T) {
	s := asking(question("1"))
	linked(t, s, nil, func(w *linkWorld) {
		done := make(chan error, 1)
		w.asked = func(ctx context.Context, _ *jsonrpc.Message, p jsonrpc.Peer) (string, error) {
			result, err := p.Call(ctx, "ping", []byte("{}"))
			if string(result) != "{}" {
				err = fmt.Errorf("result %s, %w", result, err)
			}
			done <- errors.Join(err, p.Notify("notifications/x", nil))
			return "{}", nil
		}
		w.open()
		w.begin(w.Context(), "call")
		if err := <-done; err != nil {
			w.Error(err)
		}
		synctest.Wait()
		w.wantLines(s.lines("GET", "POST init", "POST notifications/init"), "POST call S1 2025-11-25", "POST ping S1 2025-11-25",
			"POST notifications/x S1 2025-11-25", `POST {"jsonrpc":"2.0","id":1,"result":{}} S1 2025-11-25`)
	})
}

// A server may use the id of a request again that it has cancelled, though the handler of that has
// not seen it yet.
func TestServerAskIDAgain(t *testing.T) {
	cancelled := `data: {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n\n"
	s := asking(question("1"), cancelled, question("1"))
	linked(t, s, nil, func(w *linkWorld) {
		slow, quick := make(chan struct{}), make(chan struct{})
		w.asked = func(ctx context.Context, _ *jsonrpc.Message, _ jsonrpc.Peer) (string, error) {
			select {
			case <-ctx.Done():
				<-slow
				return `"of the first"`, nil
			case <-quick:
				return `"of the second"`, nil
			}
		}
		w.open()
		w.begin(w.Context(), "call")
		synctest.Wait()
		close(slow)
		synctest.Wait()
		close(quick)
		synctest.Wait()
		w.wantLines(s.lines("GET", "POST init", "POST notifications/init", "POST call"), `POST {"jsonrpc":"2.0","id":1,"result":"of the second"} S1 2025-11-25`)
	})
}

// A request that is one beyond doubt is answered, whatever is wrong with it, as it is over a stream;
// what may be no request is not.
func TestServerAsksWithFaults(t *testing.T) {
	refused := func(id string, code jsonrpc.Code, reason string) string {
		return fmt.Sprintf(`POST {"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"%s"}} S1 2025-11-25`, id, code, reason)
	}
	for _, test := range []struct{ name, text, want string }{
		{"bad params", `{"jsonrpc":"2.0","id":"a","method":"ping","params":7}`, refused(`"a"`, -32602, "params must be an object")},
		{"another version", `{"jsonrpc":"1.0","id":8,"method":"ping"}`, refused("8", -32600, `jsonrpc must be the string \"2.0\"`)},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, ""},
		{"no id", `{"jsonrpc":"2.0","method":"ping","params":7}`, ""},
		{"no method", `{"jsonrpc":"2.0","id":8}`, ""},
		{"half of one", `{"jsonrpc":"2.0","id":8,"method":"ping"`, ""},
	} {
		s := asking("data: " + test.text + "\n\n")
		linked(t, s, nil, func(w *linkWorld) {
			w.open()
			w.begin(w.Context(), "call")
			synctest.Wait()
			var want []string
			if test.want != "" {
				want = append(want, test.want)
			}
			w.wantLines(s.lines("GET", "POST init", "POST notifications/init", "POST call"), want...)
		})
	}
}

// Answers that the server does not take count as well, and so does the text of what it asks.
func TestServerAsksBounded(t *testing.T) {
	tests := []struct {
		name       string
		n, most, x int
	}{
		{"many answers", 400, 129, 1},
		{"long questions", 6, 5, 15 << 20},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var texts []string
			for i := range test.n {
				texts = append(texts, fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ask\",\"params\":{\"x\":\"%s\"}}\n\n", i, strings.Repeat("x", test.x)))
			}
			s := asking(texts...)
			deaf := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				if bytes.HasPrefix(body, []byte(`{"jsonrpc":"2.0","id"`)) && !bytes.Contains(body, []byte(`"method"`)) {
					s.mu.Lock()
					s.saw = append(s.saw, "answer")
					s.mu.Unlock()
					<-r.Context().Done()
					return
				}
				s.ServeHTTP(w, r)
			})
			linked(t, deaf, nil, func(w *linkWorld) {
				w.asked = func(context.Context, *jsonrpc.Message, jsonrpc.Peer) (string, error) { return "{}", nil }
				w.open()
				w.begin(w.Context(), "call")
				synctest.Wait()
				if n := s.count("answer"); n > test.most || n == 0 {
					w.Errorf("%d answers are on their way, want %d at the most", n, test.most)
				}
			})
		})
	}
}

// A call that is given up returns at once, though the server has asked more than is taken and does not
// take the refusals.
func TestServerAsksTooMuchForACallGivenUp(t *testing.T) {
	var texts []string
	for i := range 140 {
		texts = append(texts, question(fmt.Sprint(i)))
	}
	refusing := make(chan struct{}, len(texts))
	s := asking(strings.Join(texts, ""))
	deaf := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"error"`)) {
			refusing <- struct{}{}
			<-r.Context().Done()
			return
		}
		s.ServeHTTP(w, r)
	})
	linked(t, deaf, nil, func(w *linkWorld) {
		w.asked = untilEnd(make(chan string, len(texts)))
		w.open()
		ctx, cancel := context.WithTimeout(w.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := w.call(ctx, "call")
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != time.Second {
			w.Errorf("the call: %v after %s, want the error of its context after 1s", err, took)
		}
		if len(refusing) == 0 {
			w.Error("nothing was refused")
		}
	})
}

// What the server asks on the stream of a call has arrived before the answer of that is looked at, though
// it is answered beside it.
func TestServerAsksBeforeAnswer(t *testing.T) {
	const ask = `data: {"jsonrpc":"2.0","id":"q","method":"roots/list"}` + "\n\n"
	type key struct{}
	s := &legacyScript{parts: scriptParts{"POST call": func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) {
		answerEvents(w, m, ask, resultEvent)
	}}}
	linked(t, s, nil, func(w *linkWorld) {
		var waits atomic.Bool // for the answer of the call
		over, seen := make(chan struct{}), make(chan any, 1)
		w.arrived = func(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, waits.Load()) }
		w.asked = func(ctx context.Context, _ *jsonrpc.Message, _ jsonrpc.Peer) (string, error) {
			<-over
			seen <- ctx.Value(key{})
			return "{}", nil
		}
		w.open()
		waits.Store(true)
		if got, err := w.call(w.Context(), "call"); got != `{"ok":1}` || err != nil {
			w.Errorf("call: %s, %v", got, err)
		}
		waits.Store(false)
		close(over)
		if got := <-seen; got != true {
			w.Errorf("when the question came the call had no answer yet: %v, want true", got)
		}
	})
}
