package jsonrpc_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
)

// Abort ends the connection at once, whatever it does: nobody waits for a peer that has
// gone, and nothing more is written.
func TestAbort(t *testing.T) {
	for _, when := range []string{"it works", "it ends", "it is idle", "before it serves"} {
		t.Run(when, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan error, 2)
				r := newRig(t, &script{notes: map[string]func(exchange){
					"asks": func(x exchange) {
						_, err := x.p.Call(context.Background(), "roots/list", nil)
						ended <- err
					},
					"works": func(x exchange) {
						<-x.ctx.Done()
						ended <- context.Cause(x.ctx)
						<-time.After(time.Minute) // to its own end
					},
				}}, &jsonrpc.Options{Drain: 24 * time.Hour})
				if when == "before it serves" {
					r.conn.Abort()
				}
				start := time.Now()
				r.start()
				if when == "it works" || when == "it ends" {
					r.send(tell("asks", ""), tell("works", ""))
					r.want(ask("1", "roots/list", ""))
					synctest.Wait()
					start = start.Add(time.Minute)
				}
				if when == "it ends" {
					r.cancel()
					<-time.After(time.Hour)
					start = start.Add(time.Hour)
				}
				r.conn.Abort()
				r.conn.Abort()
				if err := <-r.served; err != nil || time.Since(start) > time.Second {
					t.Errorf("Serve returned %v, %v late", err, time.Since(start))
				}
				for range len(ended) {
					if err := <-ended; !errors.Is(err, jsonrpc.ErrClosed) {
						t.Errorf("a handler ended with %v, want %v", err, jsonrpc.ErrClosed)
					}
				}
				if err := r.conn.Notify("x", nil); !errors.Is(err, jsonrpc.ErrClosed) {
					t.Errorf("Notify returned %v, want %v", err, jsonrpc.ErrClosed)
				}
				r.cancel()
			})
		})
	}
}
