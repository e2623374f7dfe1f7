package jsonrpc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"isthmus.internal/jsonrpc"
)

// What a server asks at once is bounded not in number alone: each question may be long, and
// the answers may take people.
func TestAskedTextIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := `{"x":"` + strings.Repeat("x", 40<<20) + `"}`
		release := make(chan struct{})
		wait := func(exchange) (string, error) {
			<-release
			return "{}", nil
		}
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){"hold": wait}}, &jsonrpc.Options{Client: true})
		r.send(ask("1", "hold", long))
		synctest.Wait()
		r.send(ask("2", "hold", long))
		r.want(refused("2", jsonrpc.InternalError))
		r.send(ask("3", "hold", "{}"))
		synctest.Wait()
		close(release)
		r.wantAnyOrder(answer("1", "{}"), answer("3", "{}"))
		r.send(ask("4", "ping", long))
		r.want(answer("4", "{}"))
		r.finish(nil)
	})
}

// arriving is a handler that numbers the requests that have arrived, in their contexts.
type arriving struct {
	*script
	last int
}

type numberKey struct{}

func (a *arriving) Arrive(ctx context.Context) context.Context {
	a.last++
	return context.WithValue(ctx, numberKey{}, a.last)
}

// What a server asks has arrived before anything behind it is looked at, though it is answered beside
// that. On the side of a server nobody is told.
func TestArrive(t *testing.T) {
	tests := []struct {
		name     string
		client   bool
		messages []string
		at       int // how many had arrived at the notification
		answers  []string
	}{
		{"a client", true, []string{ask("1", "which", "{}"), tell("mark", "{}"), ask("2", "which", "{}")},
			1, []string{answer("1", "1"), answer("2", "2")}},
		{"a client, in a batch", true, []string{"[" + ask("1", "which", "{}") + "," + tell("mark", "{}") + "," + ask("2", "which", "{}") + "]"},
			1, []string{"[" + answer("1", "1") + "," + answer("2", "2") + "]"}},
		{"a server", false, []string{ask("1", "which", "{}"), tell("mark", "{}")},
			0, []string{answer("1", "null")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				marked := make(chan struct{})
				h := &arriving{script: &script{}}
				h.requests = map[string]func(exchange) (string, error){"which": func(x exchange) (string, error) {
					<-marked
					n, ok := x.ctx.Value(numberKey{}).(int)
					if !ok {
						return "null", nil
					}
					return fmt.Sprint(n), nil
				}}
				h.notes = map[string]func(exchange){"mark": func(exchange) {
					if h.last != test.at {
						t.Errorf("%d requests had arrived, want %d", h.last, test.at)
					}
					close(marked)
				}}
				r := dial(t, h, &jsonrpc.Options{Client: test.client})
				r.send(test.messages...)
				r.wantAnyOrder(test.answers...)
				r.finish(nil)
			})
		})
	}
}
