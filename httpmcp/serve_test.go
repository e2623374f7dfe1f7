package httpmcp_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
)

// pipes is a listener in memory, whose connections are pipes.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
	fault  error // what Accept gives in the end
}

func newPipes() *pipes {
	return &pipes{conns: make(chan net.Conn), closed: make(chan struct{}), fault: net.ErrClosed}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, p.fault
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.IPAddr{} }

// dial connects a client.
func (p *pipes) dial() *client {
	mine, theirs := net.Pipe()
	p.conns <- theirs
	return &client{Conn: mine, in: bufio.NewReader(mine)}
}

// client is one connection.
type client struct {
	net.Conn
	in *bufio.Reader
}

// get sends a request and reads the head of the answer.
func (c *client) get(t *testing.T, path string) *http.Response {
	t.Helper()
	if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	r, err := http.ReadResponse(c.in, nil)
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return r
}

// body reads an answer to its end.
func body(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Errorf("after %q: %v", text, err)
	}
	return string(text)
}

// fake stands for an endpoint: one stream at /stream that ends with Shutdown, and a
// call at every other path that ends when finish is closed.
type fake struct {
	ending, finish chan struct{}
	fault          error
	calls          sync.WaitGroup
	shutdowns      atomic.Int32
	join           sync.Once
}

func newFake() *fake { return &fake{ending: make(chan struct{}), finish: make(chan struct{})} }

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.calls.Add(1)
	defer f.calls.Done()
	io.WriteString(w, "began ")
	http.NewResponseController(w).Flush()
	end := f.finish
	if r.URL.Path == "/stream" {
		end = f.ending
	}
	select {
	case <-end:
		io.WriteString(w, "ended")
	case <-r.Context().Done():
	}
}

func (f *fake) Shutdown(context.Context) error {
	if f.shutdowns.Add(1) == 1 {
		close(f.ending)
	}
	f.calls.Wait()
	return f.fault
}

// serving runs Serve in the bubble of a test. stop ends it and returns its error.
func serving(h http.Handler, o *httpmcp.ServeOptions) (l *pipes, cancel func(), wait func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	l = newPipes()
	done := make(chan error, 1)
	go func() { done <- httpmcp.Serve(ctx, l, h, o) }()
	return l, cancel, func() error { return <-done }
}

// TestServeEndsInOrder: when the context ends, a stream and a call that are under way end
// as their handler wants, whether it is Serve's own or stands behind a mux.
func TestServeEndsInOrder(t *testing.T) {
	for _, mounted := range []string{"plain", "mux"} {
		t.Run(mounted, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				var h http.Handler = f
				if mounted == "mux" {
					mux := http.NewServeMux()
					mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
						f.join.Do(func() { httpmcp.Enlist(r, f) })
						f.ServeHTTP(w, r)
					})
					h = mux
				}
				l, cancel, wait := serving(h, nil)
				stream, call, idle := l.dial(), l.dial(), l.dial()
				streamed, called := stream.get(t, "/stream"), call.get(t, "/call")
				cancel()
				synctest.Wait()
				if got := body(t, streamed); got != "began ended" {
					t.Errorf("the stream got %q, want its end", got)
				}
				close(f.finish)
				if got := body(t, called); got != "began ended" {
					t.Errorf("the call got %q, want its answer", got)
				}
				if err := wait(); err != nil || f.shutdowns.Load() != 1 {
					t.Errorf("got %v after %d shutdowns, want nil after 1", err, f.shutdowns.Load())
				}
				for name, c := range map[string]*client{"stream": stream, "call": call, "idle": idle} {
					if n, err := c.in.Read(make([]byte, 1)); err != io.EOF {
						t.Errorf("%s: read %d bytes, %v, want the end", name, n, err)
					}
				}
			})
		})
	}
}

// TestServeTellsWhatDidNotEnd: an error of an endpoint is passed on, and so is that
// connections were cut.
func TestServeTellsWhatDidNotEnd(t *testing.T) {
	fault := errors.New("two calls were cancelled")
	tests := []struct {
		name string
		h    func(f *fake) http.Handler
		is   error
		says string
	}{
		{"the endpoint's error", func(f *fake) http.Handler {
			f.fault = fault
			close(f.finish)
			return f
		}, fault, "httpmcp: two calls were cancelled"},
		{"calls that were cancelled", func(f *fake) http.Handler {
			f.fault = context.DeadlineExceeded
			close(f.finish)
			return f
		}, jsonrpc.ErrDrain, "calls were cancelled"},
		{"a handler that cannot be told", func(f *fake) http.Handler {
			mux := http.NewServeMux()
			mux.Handle("/", f)
			return mux
		}, jsonrpc.ErrDrain, "requests cut off: 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, cancel, wait := serving(test.h(newFake()), nil)
				l.dial().get(t, "/stream")
				began := time.Now()
				cancel()
				err := wait()
				if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) {
					t.Errorf("got %v, want one that is %q and says %q", err, test.is, test.says)
				}
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// TestServeLeavesBehind: a handler that does not heed the end is not waited for.
func TestServeLeavesBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.calls.Add(1)
		l, cancel, wait := serving(f, nil)
		r := l.dial().get(t, "/stream")
		cancel()
		body(t, r)
		if err := wait(); !errors.Is(err, jsonrpc.ErrDrain) || !strings.Contains(err.Error(), "do not heed") {
			t.Errorf("got %v, want one that says it", err)
		}
		f.calls.Done()
	})
}

// TestServeEndsAmidHeaders: who has sent half a header has asked nothing yet.
func TestServeEndsAmidHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, cancel, wait := serving(newFake(), nil)
		c := l.dial()
		io.WriteString(c, "GET / HTTP/1.1\r\nHost")
		cancel()
		if err := wait(); err != nil {
			t.Errorf("got %v, want nil", err)
		}
		if text, err := io.ReadAll(c); len(text) > 0 || err != nil {
			t.Errorf("the client got %q, %v, want the end", text, err)
		}
	})
}

// TestServeAcceptFails: a listener that fails ends the serving, in order.
func TestServeAcceptFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		l, _, wait := serving(f, nil)
		l.fault = errors.New("no more ports")
		r := l.dial().get(t, "/stream")
		l.Close()
		if got := body(t, r); got != "began ended" {
			t.Errorf("the stream got %q, want its end", got)
		}
		if err := wait(); !errors.Is(err, l.fault) || !strings.HasPrefix(err.Error(), "httpmcp: accept: ") || errors.Is(err, jsonrpc.ErrDrain) {
			t.Errorf("got %v, want the fault of the listener alone", err)
		}
	})
}

// TestServeKeepsContexts: the end of Serve's context is not that of a request, and its
// values are there.
func TestServeKeepsContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
		seen := make(chan context.Context, 1)
		finish := make(chan struct{})
		l := newPipes()
		done := make(chan error, 1)
		go func() {
			done <- httpmcp.Serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen <- r.Context()
				<-finish
			}), nil)
		}()
		c := l.dial()
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		request := <-seen
		cancel()
		synctest.Wait()
		if request.Err() != nil || request.Value(key{}) != "value" {
			t.Errorf("the request's context has ended with %v and holds %v", request.Err(), request.Value(key{}))
		}
		close(finish)
		if r, err := http.ReadResponse(c.in, nil); err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("got %v, %v, want 200", r, err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestServeBoundsTime: a header that does not come, and a connection without requests,
// are given up; a stream that is quiet for a day is not.
func TestServeBoundsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		l, cancel, wait := serving(f, nil)
		began := time.Now()
		slow := l.dial()
		io.WriteString(slow, "GET / HTTP/1.1\r\nHost")
		if _, err := io.ReadAll(slow); err != nil || time.Since(began) != 10*time.Second {
			t.Errorf("half a header: got %v after %v, want the end after 10 s", err, time.Since(began))
		}

		stream := l.dial()
		r := stream.get(t, "/stream")
		idle := l.dial()
		close(f.finish)
		body(t, idle.get(t, "/call"))
		began = time.Now()
		if _, err := io.ReadAll(idle.in); err != nil || time.Since(began) != 2*time.Minute {
			t.Errorf("idle: got %v after %v, want the end after 2 min", err, time.Since(began))
		}
		<-time.After(24 * time.Hour)
		cancel()
		if got := body(t, r); got != "began ended" {
			t.Errorf("the stream got %q after a day, want its end in order", got)
		}
		if err := wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestServeBoundsHeader answers a header that is too long with 431.
func TestServeBoundsHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, cancel, wait := serving(newFake(), &httpmcp.ServeOptions{MaxHeader: 1 << 10})
		c := l.dial()
		go io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("x", 8<<10)+"\r\n\r\n")
		r, err := http.ReadResponse(c.in, nil)
		if err != nil || r.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("got %v, %v, want 431", r, err)
		}
		c.Close()
		cancel()
		if err := wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestServeBoundsConnections: one connection too many is closed, with a warning; when
// another has ended there is room again.
func TestServeBoundsConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		f := newFake()
		close(f.finish)
		l, cancel, wait := serving(f, &httpmcp.ServeOptions{MaxConnections: 2, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		first, second := l.dial(), l.dial()
		body(t, first.get(t, "/"))
		body(t, second.get(t, "/"))
		if text, err := io.ReadAll(l.dial()); len(text) > 0 || err != nil {
			t.Errorf("the third got %q, %v, want the end", text, err)
		}
		first.Close()
		synctest.Wait()
		body(t, l.dial().get(t, "/"))
		body(t, second.get(t, "/"))
		cancel()
		if err := wait(); err != nil {
			t.Error(err)
		}
		if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "too many at once") {
			t.Errorf("logged %q, want one warning", got)
		}
	})
}

// TestServeLogsFaults: what goes wrong on a connection is told at debug.
func TestServeLogsFaults(t *testing.T) {
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level}))
			l, cancel, wait := serving(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("oh") }), &httpmcp.ServeOptions{Logger: logger})
			c := l.dial()
			io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			io.ReadAll(c)
			cancel()
			if err := wait(); err != nil {
				t.Error(err)
			}
			if got, want := strings.Contains(log.String(), "level=DEBUG msg=\"http: panic serving"), level == slog.LevelDebug; got != want {
				t.Errorf("at %v: logged %q", level, &log)
			}
		})
	}
}

func TestServeOptions(t *testing.T) {
	defaults := httpmcp.EffectiveServe{
		Drain: 5 * time.Second, HeaderTime: 10 * time.Second, Idle: 2 * time.Minute,
		MaxHeader: 64 << 10, MaxConnections: 16 << 10,
	}
	own := httpmcp.EffectiveServe{Drain: 1, HeaderTime: 2, Idle: 3, MaxHeader: 4, MaxConnections: 5}
	tests := []struct {
		name string
		o    *httpmcp.ServeOptions
		want httpmcp.EffectiveServe
	}{
		{"nil", nil, defaults},
		{"zero", &httpmcp.ServeOptions{}, defaults},
		{"negative", &httpmcp.ServeOptions{Drain: -1, HeaderTime: -1, Idle: -1, MaxHeader: -1, MaxConnections: -1}, defaults},
		{"own", &httpmcp.ServeOptions{Drain: 1, HeaderTime: 2, Idle: 3, MaxHeader: 4, MaxConnections: 5}, own},
	}
	for _, test := range tests {
		if got := test.o.Effective(); got != test.want {
			t.Errorf("%s\ngot  %+v\nwant %+v", test.name, got, test.want)
		}
	}
}
