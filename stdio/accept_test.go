package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/stdio"
)

// passing is a fault of Accept that passes.
type passing struct{}

func (passing) Error() string   { return "too many open files" }
func (passing) Timeout() bool   { return false }
func (passing) Temporary() bool { return true }

// fakeListener accepts what it is given.
type fakeListener struct {
	results chan any // net.Conn or error
	closed  chan struct{}
	once    sync.Once
}

func newFakeListener(results ...any) *fakeListener {
	l := &fakeListener{results: make(chan any, len(results)), closed: make(chan struct{})}
	for _, r := range results {
		l.results <- r
	}
	return l
}

func (l *fakeListener) Accept() (net.Conn, error) {
	select {
	case r := <-l.results:
		if c, ok := r.(net.Conn); ok {
			return c, nil
		}
		return nil, r.(error)
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *fakeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *fakeListener) Addr() net.Addr { return &net.UnixAddr{Name: "fake", Net: "unix"} }

func TestServeListenerWaitsOutFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		var results []any
		for range 20 {
			results = append(results, passing{})
		}
		l := newFakeListener(append(results, theirs)...)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- stdio.ServeListener(ctx, l, newServer(nil, nil), nil) }()
		began := time.Now()
		c := newClient(t, ours, ours)
		if m := c.ask(modernEra.call(1, "echo", "a")); m.text() != "a" {
			t.Errorf("after faults of Accept a call was answered with %s", m.line)
		}
		// 5 ms, 10 ms, ... 640 ms, and then a second each.
		if took, want := time.Since(began), 1275*time.Millisecond+12*time.Second; took != want {
			t.Errorf("twenty faults were waited out in %v, want %v", took, want)
		}
		cancel()
		end(t, done, nil)
	})
}

func TestServeListenerEndsInAFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFakeListener(passing{})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- stdio.ServeListener(ctx, l, newServer(nil, nil), nil) }()
		synctest.Wait() // it waits the fault out
		began := time.Now()
		cancel()
		end(t, done, nil)
		if took := time.Since(began); took != 0 {
			t.Errorf("the end took %v, want it at once", took)
		}
	})
}

// A listener that fails for good ends the server, after its connections.
func TestServeListenerAcceptError(t *testing.T) {
	broken := errors.New("the network is gone")
	ours, theirs := net.Pipe()
	l := newFakeListener(theirs)
	done := make(chan error, 1)
	go func() { done <- stdio.ServeListener(t.Context(), l, newServer(nil, nil), nil) }()
	c := newClient(t, ours, ours)
	c.ask(modernEra.call(1, "echo", ""))
	l.Close()
	if all := c.rest(); len(all) > 0 {
		t.Errorf("in the end the client received %v", all)
	}
	end(t, done, net.ErrClosed)
	err := stdio.ServeListener(t.Context(), newFakeListener(broken), newServer(nil, nil), nil)
	if !errors.Is(err, broken) || !strings.HasPrefix(fmt.Sprint(err), "stdio: accept: ") {
		t.Errorf("ServeListener ended with %v, want the error of Accept", err)
	}
}
