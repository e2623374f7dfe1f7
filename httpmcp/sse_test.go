package httpmcp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"isthmus.internal/httpmcp"
)

// recorder is a ResponseWriter that keeps what is written to it, Write by Write.
type recorder struct {
	mu      sync.Mutex
	header  http.Header
	status  []int
	writes  []string
	flushed int // writes that were flushed
	fail    error
}

func newRecorder() *recorder { return &recorder{header: make(http.Header)} }

func (r *recorder) Header() http.Header    { return r.header }
func (r *recorder) WriteHeader(status int) { r.status = append(r.status, status) }
func (r *recorder) Flush()                 { r.flushed = len(r.writes) }

func (r *recorder) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writes = append(r.writes, string(b))
	if r.fail != nil {
		return 0, r.fail
	}
	return len(b), nil
}

// breakWith makes every later write fail.
func (r *recorder) breakWith(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fail = err
}

// written is all that was.
func (r *recorder) written() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.writes, "")
}

func TestEventBytes(t *testing.T) {
	tests := []struct {
		name  string
		write func(s httpmcp.EventWriter) error
		want  string
	}{
		{"with an id", func(s httpmcp.EventWriter) error { return s.Event("g.1", []byte(`{"a":1}`)) },
			"event: message\nid: g.1\ndata: {\"a\":1}\n\n"},
		{"without", func(s httpmcp.EventWriter) error { return s.Event("", []byte(`{}`)) },
			"event: message\ndata: {}\n\n"},
		{"line ends between tokens", func(s httpmcp.EventWriter) error { return s.Event("", []byte("{\r\n\"a\":\n1}\r")) },
			"event: message\ndata: {  \"a\": 1} \n\n"},
		{"priming", func(s httpmcp.EventWriter) error { return s.Prime("g.1", 0) }, "id: g.1\ndata: \n\n"},
		{"priming with retry", func(s httpmcp.EventWriter) error { return s.Prime("g.1", 1500*time.Millisecond) },
			"retry: 1500\nid: g.1\ndata: \n\n"},
		{"retry below a millisecond", func(s httpmcp.EventWriter) error { return s.Prime("g.1", time.Microsecond) },
			"retry: 1\nid: g.1\ndata: \n\n"},
		{"named", func(s httpmcp.EventWriter) error { return s.Named("endpoint", "/sse?x=1") },
			"event: endpoint\ndata: /sse?x=1\n\n"},
		{"comment", httpmcp.EventWriter.Comment, ":\n\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newRecorder()
			s := httpmcp.NewEventWriter(w, nil)
			defer s.Close()
			if err := test.write(s); err != nil {
				t.Fatal(err)
			}
			if want := []string{test.want}; !slices.Equal(w.writes, want) || w.flushed != 1 {
				t.Errorf("got %q, %d flushed\nwant %q, flushed", w.writes, w.flushed, want)
			}
		})
	}
}

// The header leaves once, with begin or with the first event, and tells no length.
func TestEventHeader(t *testing.T) {
	want := http.Header{"Content-Type": {"text/event-stream"}, "Cache-Control": {"no-cache, no-transform"}, "X-Accel-Buffering": {"no"}}
	for _, begin := range []bool{true, false} {
		w := newRecorder()
		w.header.Set("Content-Length", "17")
		s := httpmcp.NewEventWriter(w, nil)
		if begin {
			if err := errors.Join(s.Begin(), s.Begin()); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(s.Event("", []byte(`{}`)), s.Event("", []byte(`{}`)), s.Begin()); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if !reflect.DeepEqual(w.header, want) || !slices.Equal(w.status, []int{200}) || len(w.writes) != 2 {
			t.Errorf("begin %t: header %q, status %d, %d writes; want %q, [200], 2", begin, w.header, w.status, len(w.writes), want)
		}
	}
}

type onlyWriter struct{ http.ResponseWriter }

type unwraps struct{ http.ResponseWriter }

func (u unwraps) Unwrap() http.ResponseWriter { return u.ResponseWriter }

type flushError struct{ http.ResponseWriter }

func (f flushError) FlushError() error { return nil }

// B59: whoever hides Flush is told so, before anything is written.
func TestEventNeedsFlush(t *testing.T) {
	tests := []struct {
		name string
		wrap func(w http.ResponseWriter) http.ResponseWriter
		want error
	}{
		{"as it is", func(w http.ResponseWriter) http.ResponseWriter { return w }, nil},
		{"FlushError", func(w http.ResponseWriter) http.ResponseWriter { return flushError{w} }, nil},
		{"Unwrap", func(w http.ResponseWriter) http.ResponseWriter { return unwraps{unwraps{w}} }, nil},
		{"neither", func(w http.ResponseWriter) http.ResponseWriter { return onlyWriter{w} }, httpmcp.ErrNoFlush},
		{"Unwrap to neither", func(w http.ResponseWriter) http.ResponseWriter { return unwraps{onlyWriter{w}} }, httpmcp.ErrNoFlush},
		{"Unwrap to nothing", func(w http.ResponseWriter) http.ResponseWriter { return struct{ unwraps }{} }, httpmcp.ErrNoFlush},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, first := range []func(httpmcp.EventWriter) error{
				httpmcp.EventWriter.Begin,
				httpmcp.EventWriter.Comment,
				func(s httpmcp.EventWriter) error { return s.Event("", []byte(`{}`)) },
			} {
				w := newRecorder()
				s := httpmcp.NewEventWriter(test.wrap(w), nil)
				if err := first(s); !errors.Is(err, test.want) {
					t.Errorf("got %v, want %v", err, test.want)
				}
				s.Close()
				if wrote := len(w.header)+len(w.status)+len(w.writes) > 0; wrote != (test.want == nil) {
					t.Errorf("header %q, status %d, body %q", w.header, w.status, w.writes)
				}
			}
		})
	}
}

// B52: an id cannot end its line. The stream goes on.
func TestEventIDs(t *testing.T) {
	for _, id := range []string{"a\nb", "a\rb", "a\x00", "\n"} {
		w := newRecorder()
		s := httpmcp.NewEventWriter(w, nil)
		if err := s.Event(id, []byte(`{}`)); !errors.Is(err, httpmcp.ErrBadEventID) {
			t.Errorf("%q: event: got %v, want %v", id, err, httpmcp.ErrBadEventID)
		}
		if err := s.Prime(id, 0); !errors.Is(err, httpmcp.ErrBadEventID) {
			t.Errorf("%q: prime: got %v, want %v", id, err, httpmcp.ErrBadEventID)
		}
		if err := s.Event("1", []byte(`{}`)); err != nil || len(w.writes) != 1 {
			t.Errorf("behind it: %v, written %q", err, w.writes)
		}
		s.Close()
	}
}

// The first write that fails is the last.
func TestEventWriteFails(t *testing.T) {
	broken := errors.New("broken")
	w := newRecorder()
	s := httpmcp.NewEventWriter(w, nil)
	defer s.Close()
	if err := s.Begin(); err != nil {
		t.Fatal(err)
	}
	w.breakWith(broken)
	for range 3 {
		if err := s.Event("", []byte(`{}`)); !errors.Is(err, broken) {
			t.Errorf("got %v, want %v", err, broken)
		}
	}
	if err := s.Comment(); !errors.Is(err, broken) || len(w.writes) != 1 {
		t.Errorf("got %v and %d writes, want %v and 1", err, len(w.writes), broken)
	}
}

// panics is a ResponseWriter of middleware that panics.
type panics struct{ *recorder }

func (panics) Write([]byte) (int, error) { panic(http.ErrAbortHandler) }

// A write that panics is no worse than one that fails.
func TestEventWritePanics(t *testing.T) {
	s := httpmcp.NewEventWriter(panics{newRecorder()}, nil)
	func() {
		defer func() {
			if got := recover(); got != http.ErrAbortHandler {
				t.Errorf("got the panic %v", got)
			}
		}()
		s.Event("", []byte(`{}`))
	}()
	if err := s.Event("", []byte(`{}`)); err == nil {
		t.Error("the next event has no error")
	}
	s.Close()
}

func TestEventClosed(t *testing.T) {
	w := newRecorder()
	s := httpmcp.NewEventWriter(w, nil)
	s.Close()
	s.Close()
	for name, err := range map[string]error{"begin": s.Begin(), "event": s.Event("", []byte(`{}`)), "comment": s.Comment()} {
		if !errors.Is(err, httpmcp.ErrStreamClosed) || len(w.status) > 0 {
			t.Errorf("%s: got %v and status %d, want %v", name, err, w.status, httpmcp.ErrStreamClosed)
		}
	}
}

// B61: comments flow while nothing else does, and end with the stream.
func TestEventKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newRecorder()
		s := httpmcp.NewEventWriter(w, &httpmcp.Options{KeepAlive: 10 * time.Second})
		at := func(d time.Duration, want int) {
			t.Helper()
			<-time.After(d) // of the bubble's clock
			synctest.Wait()
			if got := strings.Count(w.written(), ":\n\n"); got != want {
				t.Errorf("got %d comments, want %d", got, want)
			}
		}
		at(time.Minute, 0)
		if err := s.Begin(); err != nil {
			t.Fatal(err)
		}
		at(9*time.Second, 0)
		at(2*time.Second, 1) // at 11
		at(10*time.Second, 2)
		for range 20 {
			if err := s.Event("", []byte(`{}`)); err != nil {
				t.Fatal(err)
			}
			at(9*time.Second, 2)
		}
		at(2*time.Second, 3) // 11 behind the last event
		s.Close()
		at(time.Minute, 3)
	})
}

// A keep-alive that cannot be written ends the stream.
func TestEventKeepAliveFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newRecorder()
		s := httpmcp.NewEventWriter(w, &httpmcp.Options{KeepAlive: time.Second})
		if err := s.Begin(); err != nil {
			t.Fatal(err)
		}
		w.breakWith(io.ErrClosedPipe)
		<-time.After(time.Minute) // of the bubble's clock
		synctest.Wait()
		if len(w.writes) != 1 {
			t.Errorf("got %d writes, want 1", len(w.writes))
		}
		if err := s.Event("", nil); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("got %v, want %v", err, io.ErrClosedPipe)
		}
	})
}

// Events of many goroutines stand one behind the other, each whole.
func TestEventTogether(t *testing.T) {
	const many = 50
	w := httptest.NewRecorder()
	s := httpmcp.NewEventWriter(w, &httpmcp.Options{KeepAlive: time.Microsecond})
	var all sync.WaitGroup
	for n := range many {
		all.Go(func() {
			if err := s.Event(fmt.Sprint(n), fmt.Appendf(nil, `{"n":%d}`, n)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s.Close()
	written := w.Body.String()
	seen := make(map[sseEvent]bool)
	for _, e := range newSSEReader(strings.NewReader(written)).all() {
		seen[e] = true
	}
	for n := range many {
		if want := (sseEvent{"message", fmt.Sprint(n), fmt.Sprintf(`{"n":%d}`, n)}); !seen[want] {
			t.Errorf("no event %q in %q", want, written)
		}
	}
	if len(seen) != many {
		t.Errorf("got %d events, want %d", len(seen), many)
	}
}

// quiet is a ResponseWriter that keeps nothing.
type quiet struct{ header http.Header }

func (q quiet) Header() http.Header         { return q.header }
func (q quiet) WriteHeader(int)             {}
func (q quiet) Flush()                      {}
func (q quiet) Write(b []byte) (int, error) { return len(b), nil }

// A stream that is quiet costs little memory and no goroutine.
func TestEventIdleIsSmall(t *testing.T) {
	const many, most = 2000, 1024
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	streams := make([]httpmcp.EventWriter, many)
	writers := make([]quiet, many)
	for n := range writers {
		writers[n].header = make(http.Header, 4)
	}
	before, goroutines := heap(), runtime.NumGoroutine()
	for n := range streams {
		streams[n] = httpmcp.NewEventWriter(writers[n], nil)
		if err := streams[n].Event("", []byte(strings.Repeat("x", 10_000))); err != nil {
			t.Fatal(err)
		}
	}
	each := (int64(heap()) - int64(before)) / many
	t.Logf("%d bytes a stream", each)
	if grown := runtime.NumGoroutine() - goroutines; each > most || grown > 0 {
		t.Errorf("%d bytes and %d goroutines for %d quiet streams, want at most %d bytes each and none", each, grown, many, most)
	}
	for _, s := range streams {
		s.Close()
	}
}

// FuzzEvent: whatever is sent, a client sees that one event, and it has that data: with
// spaces for line ends, and as UTF-8.
func FuzzEvent(f *testing.F) {
	f.Add("", []byte(`{}`))
	f.Add("g.1", []byte("x\revent: evil\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"))
	f.Add("\n", []byte("\ufeff\r\n\r\n"))
	f.Add(": x", []byte("\u2028\u2029\u0085\x00"))
	f.Fuzz(func(t *testing.T, id string, data []byte) {
		w := newRecorder()
		s := httpmcp.NewEventWriter(w, nil)
		defer s.Close()
		err := s.Event(id, data)
		if bad := strings.ContainsAny(id, "\r\n\x00"); bad {
			if err == nil || len(w.writes) > 0 {
				t.Fatalf("id %q: got %v, written %q", id, err, w.writes)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		want := []sseEvent{{"message", id, strings.NewReplacer("\r", " ", "\n", " ").Replace(string(data))}}
		got := newSSEReader(strings.NewReader(strings.Join(w.writes, ""))).all()
		if !utf8.ValidString(id) && len(got) == 1 {
			got[0].id = id // what a decoder makes of it is its own affair
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("id %q, data %q\n got %q\nwant %q", id, data, got, want)
		}
	})
}
