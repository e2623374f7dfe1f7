package jsonrpc_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
)

// abandoning tells the peer of calls that were given up.
func abandoning() *jsonrpc.Options {
	return &jsonrpc.Options{Abandoned: func(id jsonrpc.ID) (string, []byte) {
		return "abandoned", append(append([]byte(`{"id":`), id.Raw()...), '}')
	}}
}

// A peer that was asked, and whose answer nobody waits for any more, is told so, also
// when the request that the question belonged to was cancelled.
func TestAbandoned(t *testing.T) {
	tests := []struct {
		name  string
		end   func(r *rig)
		lines []string // behind the question
	}{
		{"the peer cancels the request", func(r *rig) { r.send(cancelled("7")) },
			[]string{tell("abandoned", `{"id":1}`)}},
		{"the time of the call is over", func(r *rig) { <-time.After(2 * time.Hour) },
			[]string{tell("abandoned", `{"id":1}`), answer("7", `"context deadline exceeded"`)}},
		{"the peer answers", func(r *rig) { r.send(answer("1", "{}")) },
			[]string{answer("7", `"<nil>"`)}},
		{"the input ends", func(r *rig) { close(r.in.arrivals) },
			[]string{answer("7", `"jsonrpc: connection closed"`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := dial(t, &script{requests: map[string]func(exchange) (string, error){
					"x": func(x exchange) (string, error) {
						ctx, stop := context.WithTimeout(x.ctx, time.Hour)
						defer stop()
						_, err := x.p.Call(ctx, "get", nil)
						if err == nil {
							return `"<nil>"`, nil
						}
						return `"` + err.Error() + `"`, nil
					}}}, abandoning())
				r.send(ask("7", "x", ""))
				r.want(ask("1", "get", ""))
				began := time.Now()
				tt.end(r)
				r.want(tt.lines...)
				if waited := time.Since(began); waited > 2*time.Hour {
					t.Errorf("it took %v", waited)
				}
				if tt.name == "the input ends" {
					if waited := time.Since(began); waited != 0 {
						t.Errorf("the call failed after %v, want at once", waited)
					}
					r.ended(nil)
					return
				}
				r.finish(nil)
			})
		})
	}
}

// A call that could not be sent is nothing that a peer must be told of, nor is one that
// is given up when the connection has ended.
func TestAbandonedAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dial(t, &script{}, abandoning())
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := r.conn.Call(ctx, "x", nil)
			done <- err
		}()
		r.want(ask("1", "x", ""))
		close(r.in.arrivals)
		if err := <-done; !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("Call returned %v, want %v", err, jsonrpc.ErrClosed)
		}
		cancel()
		r.ended(nil)
	})
}
