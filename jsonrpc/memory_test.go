package jsonrpc_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// heap returns the bytes that are in use after a collection.
func heap() int {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}

// One large message does not hold its memory for the connection's life.
func TestLargeMessagesAreForgotten(t *testing.T) {
	const size = 32 << 20
	tests := []struct {
		name string
		send func(r *rig)
	}{
		{"a request", func(r *rig) {
			r.send(ask("1", "large", ""))
			r.next()
		}},
		{"a notification that waits behind another", func(r *rig) {
			r.out.gate = make(chan struct{})
			go r.conn.Notify("first", nil)
			synctest.Wait()
			r.conn.Notify("large", []byte(`"`+strings.Repeat("x", size)+`"`))
			close(r.out.gate)
			r.next()
			r.next()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := dial(t, &script{requests: map[string]func(exchange) (string, error){
					"large": func(exchange) (string, error) { return `"` + strings.Repeat("x", size) + `"`, nil }}}, nil)
				r.inPlace()
				before := heap()
				tt.send(r)
				r.inPlace()
				r.out.forget()
				if grown := heap() - before; grown > size/2 {
					t.Errorf("%d bytes more are in use after a message of %d bytes", grown, size)
				}
				r.finish(nil)
			})
		})
	}
}

// Contexts are free once their requests are answered, although the connection that
// they come from lives on.
func TestContextsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){
			"x": func(x exchange) (string, error) {
				x.ctx.Done() // from here on it is known to its parent
				return "{}", nil
			}}}, nil)
		const requests = 5000
		many := slices.Repeat([]string{ask("1", "x", "")}, requests)
		before := 0
		for range 3 {
			before = heap()
			r.send(many...)
			for range requests {
				r.want(answer("1", "{}"))
			}
			r.out.forget()
		}
		if grown := heap() - before; grown > requests*100 {
			t.Errorf("%d bytes more are in use after %d requests", grown, requests)
		}
		r.finish(nil)
	})
}
