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

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// poller is a server that answers "call" on a stream, which it ends before the answer.
type poller struct {
	*legacyScript
	first string         // what comes on the stream of the POST
	gets  []http.Handler // what answers each GET with Last-Event-ID; the last one all further ones
	id    string         // of the call
	at    []time.Time    // of the end of the first stream and of the GETs
	last  []string       // their Last-Event-ID
}

func newPoller(first string, gets ...http.Handler) *poller {
	p := &poller{first: first, gets: gets}
	p.legacyScript = &legacyScript{parts: scriptParts{"POST call": p.post, "GET": p.get}}
	return p
}

func (p *poller) post(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) {
	p.id = m.ID.String()
	answerEvents(w, m, p.first)
	p.at = append(p.at, time.Now())
}

func (p *poller) get(w http.ResponseWriter, r *http.Request, _ *jsonrpc.Message) {
	last := r.Header.Get("Last-Event-ID")
	if last == "" { // the stream for what belongs to no call
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	p.at, p.last = append(p.at, time.Now()), append(p.last, last)
	p.gets[min(len(p.last), len(p.gets))-1].ServeHTTP(w, r)
}

// streams is what a GET is answered with: a stream that ends.
func (p *poller) streams(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		id, _ := jsonrpc.ParseID(jsonrpc.Raw(p.id))
		answerEvents(w, &jsonrpc.Message{ID: id}, text)
	})
}

func refuses(status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { replyOf(status)(w, r, &jsonrpc.Message{}) })
}

var cutOff = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })

// waits are the times between the ends of streams and the GETs that followed.
func (p *poller) waits() []time.Duration {
	var waits []time.Duration
	for i := range p.at[1:] {
		waits = append(waits, p.at[i+1].Sub(p.at[i]))
	}
	return waits
}

// A stream that ends before the answer is taken up again, as often as it moves on, and never
// sooner than the server wants it.
func TestResume(t *testing.T) {
	const s = time.Second
	var p *poller
	again := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.streams(text).ServeHTTP(w, r) })
	}
	answer := again("id: 9\n" + resultEvent)
	tests := []struct {
		name  string
		first string
		gets  []http.Handler
		waits []time.Duration
		last  string
	}{
		{"at once", "id: 1\ndata:\n\n", []http.Handler{answer}, []time.Duration{s}, "1"},
		{"as told", "id: 1\nretry: 3000\ndata:\n\n", []http.Handler{answer}, []time.Duration{3 * s}, "1"},
		{"told for ever", "id: 1\nretry: 3000\ndata:\n\n", []http.Handler{again("id: 2\ndata:\n\n"), answer}, []time.Duration{3 * s, 3 * s}, "1 2"},
		{"told anew", "id: 1\nretry: 3000\ndata:\n\n", []http.Handler{again("retry: 200\nid: 2\ndata:\n\n"), answer}, []time.Duration{3 * s, s / 5}, "1 2"},
		{"told 0", "id: 1\nretry: 0\ndata:\n\n", []http.Handler{answer}, []time.Duration{s / 10}, "1"},
		{"without data", "id: 1\n\n", []http.Handler{answer}, []time.Duration{s}, "1"},
		{"an event that is not whole", "id: 1\ndata:\n\nid: 2\ndata: {", []http.Handler{answer}, []time.Duration{s}, "1"},
		{"events without ids behind", "id: 1\ndata:\n\n", []http.Handler{again(": hello\n\n\n\nevent: x\ndata: x\n\n"), answer}, []time.Duration{s, s}, "1 1"},
		{"many times", "id: 1\nretry: 1000\ndata:\n\n", append(slices.Repeat([]http.Handler{again("id: a\ndata:\n\n"), again("id: b\ndata:\n\n")}, 10), answer),
			slices.Repeat([]time.Duration{s}, 21), "1" + strings.Repeat(" a b", 10)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p = newPoller(test.first, test.gets...)
			linked(t, p, nil, func(w *linkWorld) {
				w.open()
				if got, err := w.call(w.Context(), "call"); got != `{"ok":1}` || err != nil {
					w.Errorf("got %s, %v", got, err)
				}
				if got := p.waits(); !slices.Equal(got, test.waits) {
					w.Errorf("waited %v, want %v", got, test.waits)
				}
				if got := strings.Join(p.last, " "); got != test.last {
					w.Errorf("went on behind %q, want %q", got, test.last)
				}
				if n := p.count("GET S1 2025-11-25"); n != len(p.last)+1 {
					w.Errorf("%d GETs had the session and the version, want all", n)
				}
			})
		})
	}
}

// What fails for the moment is tried again, later each time.
func TestResumeBackoff(t *testing.T) {
	for _, test := range []struct {
		name string
		get  func(p *poller) http.Handler
		ok   bool // the fourth attempt is answered
		gets int
	}{
		{"503", func(*poller) http.Handler { return refuses(503) }, true, 4},
		{"429", func(*poller) http.Handler { return refuses(429) }, true, 4},
		{"409", func(*poller) http.Handler { return refuses(409) }, true, 4},
		{"cut off", func(*poller) http.Handler { return cutOff }, true, 4},
		{"nothing", func(p *poller) http.Handler { return p.streams("") }, true, 4},
		{"the same again", func(p *poller) http.Handler { return p.streams("id: 1\n\n") }, true, 4},
		{"503 for ever", func(*poller) http.Handler { return refuses(503) }, false, 5},
		{"nothing for ever", func(p *poller) http.Handler { return p.streams(": nothing\n\n") }, false, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPoller("id: 1\nretry: 500\ndata:\n\n")
			p.gets = []http.Handler{test.get(p), test.get(p), test.get(p), test.get(p)}
			if test.ok {
				p.gets[3] = p.streams(resultEvent)
			}
			linked(t, p, nil, func(w *linkWorld) {
				w.open()
				got, err := w.call(w.Context(), "call")
				if test.ok && (got != `{"ok":1}` || err != nil) || !test.ok && !errors.Is(err, mcp.ErrAnswerLost) {
					w.Errorf("got %s, %v", got, err)
				}
				if len(p.last) != test.gets && test.name != "cut off" {
					w.Errorf("%d attempts, want %d", len(p.last), test.gets)
				}
				waits := p.waits()
				if test.name == "cut off" { // net/http tries a GET again itself, at once
					waits = slices.DeleteFunc(waits, func(wait time.Duration) bool { return wait == 0 })
				}
				for i, wait := range waits {
					least := max(500*time.Millisecond, time.Second<<i/2)
					if i == 0 {
						least = 500 * time.Millisecond
					}
					if wait < least || wait > least*5/4+time.Millisecond {
						w.Errorf("the waits are %v: number %d is not in [%v, %v]", waits, i, least, least*5/4)
					}
				}
			})
		})
	}
}

// Where nothing can bring the answer, the error says so, at once.
func TestAnswerLost(t *testing.T) {
	large := httpmcp.DialOptions{MaxEvent: 1000}
	for _, test := range []struct {
		name  string
		first string
		get   http.Handler
		want  string
		lost  bool
	}{
		{"no ids", "event: x\ndata: x\n\n", refuses(500), "no event ids", true},
		{"nothing", "", refuses(500), "no event ids", true},
		{"the id is taken back", "id: 1\ndata:\n\nid:\ndata:\n\n", refuses(500), "no event ids", true},
		{"not kept", "id: 1\ndata:\n\n", refuses(400), "400", true},
		{"no session any more", "id: 1\ndata:\n\n", refuses(404), "404", true},
		{"no streams", "id: 1\ndata:\n\n", refuses(405), "405", true},
		{"another page", "id: 1\ndata:\n\n", refuses(200), "200", true},
		{"too large", "id: 1\ndata:\n\ndata: " + strings.Repeat("x", 2000) + "\n\n", refuses(500), "MaxEvent", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPoller(test.first, test.get)
			linked(t, p, &large, func(w *linkWorld) {
				w.open()
				start := time.Now()
				_, err := w.call(w.Context(), "call")
				if err == nil || errors.Is(err, mcp.ErrAnswerLost) != test.lost || !strings.Contains(err.Error(), test.want) {
					w.Errorf("got %v, want %s", err, test.want)
				}
				if errors.As(err, new(*jsonrpc.Error)) {
					w.Errorf("%v passes for an error that the server answers with", err)
				}
				if took := time.Since(start); took > time.Second || len(p.last) > 1 {
					w.Errorf("after %s and %d attempts", took, len(p.last))
				}
				if n := p.count("POST notifications/cancelled"); n != 0 {
					w.Errorf("told that it is cancelled")
				}
			})
		})
	}
}

// A body that breaks off is as lost as a stream; one that is too large, or no answer, is not.
func TestAnswerLostInABody(t *testing.T) {
	for _, test := range []struct {
		name, body string
		length     string
		want       string
		lost       bool
	}{
		{"cut off", `{"jsonrpc":"2.0",`, "1000", "has not come whole", true},
		{"too large", `{"jsonrpc":"2.0","x":"` + strings.Repeat("x", 2000), "", "MaxBody", false},
		{"no JSON", `{"jsonrpc":`, "", "200 OK", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &legacyScript{parts: scriptParts{"POST call": func(w http.ResponseWriter, _ *http.Request, _ *jsonrpc.Message) {
				w.Header().Set("Content-Type", "application/json")
				if test.length != "" {
					w.Header().Set("Content-Length", test.length)
				}
				io.WriteString(w, test.body)
			}}}
			linked(t, s, &httpmcp.DialOptions{MaxBody: 1000}, func(w *linkWorld) {
				w.open()
				_, err := w.call(w.Context(), "call")
				if err == nil || errors.Is(err, mcp.ErrAnswerLost) != test.lost || !strings.Contains(err.Error(), test.want) {
					w.Errorf("got %v, want %s", err, test.want)
				}
			})
		})
	}
}

// A caller that gives up, and the end of the link, wait for no pause.
func TestResumeEnds(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(w *linkWorld, cancel func())
	}{
		{"cancelled", func(_ *linkWorld, cancel func()) { cancel() }},
		{"closed", func(w *linkWorld, _ func()) { w.link.Close() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPoller("id: 1\nretry: 3600000\ndata:\n\n", refuses(500))
			linked(t, p, nil, func(w *linkWorld) {
				w.open()
				ctx, cancel := context.WithCancel(w.Context())
				defer cancel()
				done := w.begin(ctx, "call")
				synctest.Wait()
				test.end(w, cancel)
				if got := <-done; got.err == nil || got.took > 0 {
					w.Errorf("got %v after %s", got.err, got.took)
				}
				synctest.Wait()
				if n := p.count("POST notifications/cancelled"); test.name == "cancelled" && n != 1 {
					w.Errorf("told %d times that it is cancelled, want once", n)
				}
			})
		})
	}
}

// An answer is taken wherever it comes: here on the stream for what belongs to no call.
func TestAnswerElsewhere(t *testing.T) {
	var ids chan string // of the bubble
	var bad atomic.Int64
	s := &legacyScript{parts: scriptParts{
		"POST call": func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
			answerEvents(w, m, "id: 1\nretry: 3600000\ndata:\n\n")
			ids <- m.ID.String()
		},
		"GET": func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
			if r.Header.Get("Last-Event-ID") != "" {
				bad.Add(1)
			}
			answerEvents(w, m)
			io.WriteString(w, strings.ReplaceAll(resultEvent+resultEvent, "%s", <-ids))
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	}}
	linked(t, s, nil, func(w *linkWorld) {
		ids = make(chan string, 1)
		w.open()
		if got, err := w.call(w.Context(), "call"); got != `{"ok":1}` || err != nil {
			w.Errorf("got %s, %v", got, err)
		}
		if bad.Load() != 0 {
			w.Error("the stream was taken up again")
		}
	})
}
