package httpmcp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
)

// pipeListener hands out one end of a [net.Pipe], which holds nothing back: a write
// waits until the other end reads. Unlike a socket it runs on the clock of a bubble.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.done); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// dial connects.
func (l *pipeListener) dial() net.Conn {
	client, server := net.Pipe()
	l.conns <- server
	return client
}

// servePipes serves h in the bubble of the test, until the test ends.
func servePipes(t *testing.T, h http.Handler) *pipeListener {
	l := newPipeListener()
	server := &http.Server{Handler: h, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	done := make(chan error)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return l
}

const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

// ask sends a request and gives the response.
func ask(t *testing.T, c net.Conn, r *bufio.Reader) *http.Response {
	t.Helper()
	if _, err := io.WriteString(c, get); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// B157: a client that reads nothing more loses its stream when the time for one write is
// over, whatever the time of the whole stream; others notice nothing.
func TestEventSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, 2)
		l := servePipes(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s := httpmcp.NewEventWriter(w, &httpmcp.Options{WriteTime: 30 * time.Second, KeepAlive: time.Hour})
			defer s.Close()
			start := time.Now()
			err := s.Begin()
			for n := 0; err == nil && n < 60; n++ {
				<-time.After(5 * time.Second) // of the bubble's clock
				err = s.Event("", []byte(strings.Repeat("x", 100<<10)))
			}
			<-r.Context().Done()
			ended <- fmt.Sprintf("%v after %v", errors.Is(err, os.ErrDeadlineExceeded), time.Since(start))
		}))
		stalled, reads := l.dial(), l.dial()
		ask(t, stalled, bufio.NewReaderSize(stalled, 16))
		response := ask(t, reads, bufio.NewReader(reads))
		events := newSSEReader(response.Body)
		start := time.Now()
		for n := range 60 {
			if _, err := events.next(); err != nil || time.Since(start) != time.Duration(n+1)*5*time.Second {
				t.Fatalf("event %d after %v: %v", n, time.Since(start), err)
			}
		}
		if got, want := <-ended, "true after 35s"; got != want {
			t.Errorf("the stalled one: got %s, want %s", got, want)
		}
		reads.Close()
		if got, want := <-ended, "false after 5m0s"; got != want {
			t.Errorf("the one that reads: got %s, want %s", got, want)
		}
		stalled.Close()
	})
}

// The deadline of a write is over with the write: a stream may be quiet for longer. HTTP/2
// resets a stream whose deadline passes, whether anything is written or not.
func TestEventQuietForLong(t *testing.T) {
	for major := 1; major <= 2; major++ {
		t.Run(fmt.Sprintf("HTTP/%d", major), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := servePipes(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.ProtoMajor != major {
						t.Errorf("the request came by %s", r.Proto)
					}
					s := httpmcp.NewEventWriter(w, &httpmcp.Options{WriteTime: time.Second, KeepAlive: time.Hour})
					defer s.Close()
					for range 3 {
						if err := s.Event("", []byte("{}")); err != nil {
							t.Error(err)
						}
						<-time.After(time.Minute)
					}
				}))
				transport := &http.Transport{Protocols: new(http.Protocols), DialContext: func(context.Context, string, string) (net.Conn, error) { return l.dial(), nil }}
				transport.Protocols.SetHTTP1(major == 1)
				transport.Protocols.SetUnencryptedHTTP2(major == 2)
				defer transport.CloseIdleConnections()
				response, err := (&http.Client{Transport: transport}).Get("http://pipe/")
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				body, err := io.ReadAll(response.Body)
				if want := strings.Repeat("event: message\ndata: {}\n\n", 3); err != nil || string(body) != want {
					t.Errorf("got %q, %v", body, err)
				}
			})
		})
	}
}

// The deadline of a stream is none of the next request on the connection, even of another
// handler.
func TestEventThenAnotherRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		l := servePipes(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if requests++; requests > 1 {
				io.WriteString(w, "fine")
				return
			}
			s := httpmcp.NewEventWriter(w, &httpmcp.Options{WriteTime: time.Second})
			defer s.Close()
			if err := s.Event("", []byte("{}")); err != nil {
				t.Error(err)
			}
		}))
		c := l.dial()
		r := bufio.NewReader(c)
		if body, err := io.ReadAll(ask(t, c, r).Body); err != nil || string(body) != "event: message\ndata: {}\n\n" {
			t.Fatalf("%q, %v", body, err)
		}
		<-time.After(time.Minute) // of the bubble's clock
		if body, err := io.ReadAll(ask(t, c, r).Body); err != nil || string(body) != "fine" {
			t.Errorf("the next request: %q, %v", body, err)
		}
		c.Close()
	})
}

// The end of the body has a deadline too: a client that stops reading just there holds
// nothing.
func TestEventEndIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := servePipes(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s := httpmcp.NewEventWriter(w, &httpmcp.Options{WriteTime: time.Second})
			if err := s.Event("", []byte("{}")); err != nil {
				t.Error(err)
			}
			s.Close()
		}))
		c := l.dial()
		r := bufio.NewReaderSize(c, 16)
		response := ask(t, c, r)
		if _, err := newSSEReader(io.LimitReader(response.Body, 25)).next(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		<-time.After(2 * time.Second) // of the bubble's clock
		synctest.Wait()
		// The server has given the connection up, so what it had to write is not there.
		rest, err := io.ReadAll(response.Body)
		if err == nil {
			t.Errorf("the body ends in order, with %q", rest)
		}
		c.Close()
	})
}

// cut ends a write that waits for its reader.
func TestEventCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		streams := make(chan httpmcp.EventWriter)
		ended := make(chan error)
		release := make(chan struct{})
		l := servePipes(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s := httpmcp.NewEventWriter(w, nil)
			streams <- s
			ended <- s.Event("", []byte(strings.Repeat("x", 100<<10)))
			<-release
			s.Close()
		}))
		c := l.dial()
		if _, err := io.WriteString(c, get); err != nil {
			t.Fatal(err)
		}
		s := <-streams
		synctest.Wait()
		start := time.Now()
		s.Cut()
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) > 0 {
			t.Errorf("got %v after %v, want %v at once", err, time.Since(start), os.ErrDeadlineExceeded)
		}
		close(release)
		c.Close()
	})
}

// A stream that was cut off takes nothing more.
func TestEventCutBefore(t *testing.T) {
	w := newRecorder()
	s := httpmcp.NewEventWriter(w, nil)
	defer s.Close()
	s.Cut()
	if err := s.Event("", []byte(`{}`)); !errors.Is(err, httpmcp.ErrStreamCut) || len(w.writes) > 0 {
		t.Errorf("got %v, written %q; want %v", err, w.writes, httpmcp.ErrStreamCut)
	}
}
