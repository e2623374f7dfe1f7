package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
)

// Whichever write fails, Serve returns its error soon, and waits for nothing that
// cannot be told any more.
func TestWriteFails(t *testing.T) {
	broken := errors.New("broken pipe")
	for n := 1; n <= 6; n++ {
		for _, short := range []bool{false, true} {
			t.Run(fmt.Sprintf("write %d, short %v", n, short), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, &script{requests: map[string]func(exchange) (string, error){
						"hold": hold(nil),
						"x": func(x exchange) (string, error) {
							return "{}", x.p.Notify("progress", nil)
						},
					}}, &jsonrpc.Options{Drain: time.Hour})
					r.out.failAt, r.out.err, r.out.short = n, broken, short
					r.start()
					began := time.Now()
					// One after the other, so that no two leave in one write: 1 ping, 2
					// and 3 x, 4 the batch, 5 and 6 x.
					for _, m := range []string{ask("1", "ping", ""), ask("2", "hold", ""), ask("3", "x", ""),
						array(ask("4", "ping", "")), ask("5", "x", "")} {
						r.send(m)
						<-time.After(10 * time.Millisecond)
					}
					want := broken
					if short {
						want = io.ErrShortWrite
					}
					if err := <-r.served; !errors.Is(err, want) {
						t.Errorf("Serve returned %v, want %v", err, want)
					}
					if took := time.Since(began); took > time.Minute {
						t.Errorf("Serve took %v", took)
					}
					if got := len(r.out.written()); got != n {
						t.Errorf("%d writes, want none after write %d, which failed", got, n)
					}
					if err := r.conn.Notify("x", nil); err == nil {
						t.Error("Notify returned nil after a write that failed")
					}
					if _, err := r.conn.Call(context.Background(), "x", nil); err == nil {
						t.Error("Call returned nil after a write that failed")
					}
				})
			})
		}
	}
}

// A call or a notification whose own write fails says so.
func TestOwnWriteFails(t *testing.T) {
	broken := errors.New("broken pipe")
	tests := []struct {
		name string
		do   func(c *jsonrpc.Conn) error
	}{
		{"Notify", func(c *jsonrpc.Conn) error { return c.Notify("x", nil) }},
		{"Call", func(c *jsonrpc.Conn) error { _, err := c.Call(context.Background(), "x", nil); return err }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, &script{}, nil)
				r.out.failAt, r.out.err = 1, broken
				r.start()
				if err := tt.do(r.conn); !errors.Is(err, broken) {
					t.Errorf("%s returned %v, want %v", tt.name, err, broken)
				}
				r.ended(broken)
			})
		})
	}
}

// A handler that ignores its context does not keep Serve for ever when the peer
// is gone.
func TestWriteFailsBesideAStubbornHandler(t *testing.T) {
	broken := errors.New("broken pipe")
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := newRig(t, &script{requests: map[string]func(exchange) (string, error){
			"stubborn": func(exchange) (string, error) { <-release; return "{}", nil }}}, nil)
		r.out.failAt, r.out.err = 1, broken
		r.start()
		r.send(ask("1", "stubborn", ""), ask("2", "ping", ""))
		r.ended(broken)
		close(release)
	})
}
