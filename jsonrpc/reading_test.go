package jsonrpc_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
)

// Reading never waits for a handler: what stands behind one that blocks is seen.
func TestBlockedHandlersDoNotStopReading(t *testing.T) {
	for _, blocked := range []int{1, 2, 100} {
		t.Run(strconv.Itoa(blocked), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				r := dial(t, &script{requests: map[string]func(exchange) (string, error){"hold": hold(release)}}, nil)
				var held []string
				for i := range blocked {
					id := strconv.Itoa(i)
					r.send(ask(id, "hold", `{"n":`+id+`}`))
					if i > 0 {
						held = append(held, answer(id, `{"n":`+id+`}`))
					}
				}
				r.send(ask(`"p"`, "ping", ""))
				r.want(answer(`"p"`, "{}"))
				r.send(cancelled("0"), ask("0", "echo", `{"again":true}`), ask(`"q"`, "ping", "")) // its id is free
				r.wantAnyOrder(answer("0", `{"again":true}`), answer(`"q"`, "{}"))
				close(release)
				r.wantAnyOrder(held...)
				r.inPlace()
				r.finish(nil)
			})
		})
	}
}

// What a handler does to the goroutine it runs on must not stop the reading, nor
// make every later request slower.
func TestReadingGoesOnAfter(t *testing.T) {
	tests := []struct {
		name    string
		handler *script
		send    []string
		out     []string
	}{
		{"a request that panics", &script{requests: map[string]func(exchange) (string, error){
			"x": func(exchange) (string, error) { panic("boom") }}},
			[]string{ask("1", "x", "")}, []string{refused("1", jsonrpc.InternalError)}},
		{"a request that ends its goroutine", &script{requests: map[string]func(exchange) (string, error){
			"x": func(exchange) (string, error) { runtime.Goexit(); return "", nil }}},
			[]string{ask("1", "x", "")}, []string{refused("1", jsonrpc.InternalError)}},
		{"a slow request that ends its goroutine", &script{requests: map[string]func(exchange) (string, error){
			"x": func(exchange) (string, error) { <-time.After(time.Second); runtime.Goexit(); return "", nil }}},
			[]string{ask("1", "x", "")}, []string{refused("1", jsonrpc.InternalError)}},
		{"a request beside a slow one that ends its goroutine", &script{requests: map[string]func(exchange) (string, error){
			"slow": func(exchange) (string, error) { <-time.After(time.Second); return "{}", nil },
			"x":    func(exchange) (string, error) { runtime.Goexit(); return "", nil }}},
			[]string{ask("0", "slow", ""), ask("1", "x", "")}, []string{answer("0", "{}"), refused("1", jsonrpc.InternalError)}},
		{"a request in a batch that ends its goroutine", &script{requests: map[string]func(exchange) (string, error){
			"x": func(exchange) (string, error) { runtime.Goexit(); return "", nil }}},
			[]string{array(ask("1", "x", ""))}, []string{"[" + refused("1", jsonrpc.InternalError)}},
		{"a notification that panics", &script{notes: map[string]func(exchange){
			"x": func(exchange) { panic("boom") }}}, []string{tell("x", "")}, nil},
		{"a notification that ends its goroutine", &script{notes: map[string]func(exchange){
			"x": func(exchange) { runtime.Goexit() }}}, []string{tell("x", "")}, nil},
		{"a notification in a batch that ends its goroutine", &script{notes: map[string]func(exchange){
			"x": func(exchange) { runtime.Goexit() }}},
			[]string{array(ask("1", "ping", ""), tell("x", ""), ask("2", "ping", ""))},
			[]string{array(answer("1", "{}"), answer("2", "{}"))}},
		{"a notification in a batch that panics", &script{notes: map[string]func(exchange){
			"x": func(exchange) { panic("boom") }}},
			[]string{array(tell("x", ""), ask("2", "ping", ""))}, []string{array(answer("2", "{}"))}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := dial(t, tt.handler, nil)
				r.send(append(append([]string{ask(`"a"`, "ping", "")}, tt.send...), ask(`"b"`, "ping", ""))...)
				r.wantAnyOrder(append(tt.out, answer(`"a"`, "{}"), answer(`"b"`, "{}"))...)
				r.inPlace()
				r.finish(nil)
			})
		})
	}
}

// A notification's handler may block, too; what is behind it waits a slice or two
// and no longer.
func TestBlockedNotification(t *testing.T) {
	for _, batched := range []bool{false, true} {
		t.Run(fmt.Sprintf("batched %v", batched), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release, kept := make(chan struct{}), make(chan string, 1)
				r := dial(t, &script{notes: map[string]func(exchange){"hold": func(x exchange) {
					<-release
					kept <- string(x.m.Params)
				}}}, nil)
				message := tell("hold", `{"a":1}`)
				if batched {
					message = array(message, ask("1", "ping", ""))
				}
				r.send(message, ask("2", "ping", ""))
				r.want(answer("2", "{}"))
				r.send(ask("3", "ping", ""))
				r.want(answer("3", "{}"))
				close(release)
				if got := <-kept; got != `{"a":1}` {
					t.Errorf("params were {\"a\":1} and became %s", got)
				}
				if batched {
					r.want(array(answer("1", "{}")))
				}
				r.inPlace()
				r.finish(nil)
			})
		})
	}
}

// A notification has done its work before the next message is looked at.
func TestNotificationsTakeEffectInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		count := 0 // by the reading goroutine alone
		r := dial(t, &script{
			notes:    map[string]func(exchange){"add": func(exchange) { count++ }},
			requests: map[string]func(exchange) (string, error){"count": func(exchange) (string, error) { return strconv.Itoa(count), nil }},
		}, nil)
		r.send(tell("add", ""), tell("add", ""), ask("1", "count", ""), tell("add", ""), ask("2", "count", ""))
		r.want(answer("1", "2"), answer("2", "3"))
		r.finish(nil)
	})
}

// Replies to requests that are at hand together leave in one write, bounded in
// size.
func TestRepliesAreGathered(t *testing.T) {
	large := `{"text":"` + strings.Repeat("x", 10<<10) + `"}`
	tests := []struct {
		name     string
		requests int
		params   string
		writes   int
	}{
		{"1", 1, "{}", 1},
		{"2", 2, "{}", 1},
		{"500", 500, "{}", 1},
		{"14 of 10 KiB", 14, large, 2},
		{"2 of 100 KiB", 2, `{"text":"` + strings.Repeat("x", 100<<10) + `"}`, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := dial(t, &script{}, nil)
				var in, out []string
				for i := range tt.requests {
					in = append(in, ask(strconv.Itoa(i), "echo", tt.params))
					out = append(out, answer(strconv.Itoa(i), tt.params))
				}
				r.send(in...)
				r.want(out...)
				if got := len(r.out.written()); got != tt.writes {
					t.Errorf("%d replies left in %d writes, want %d", tt.requests, got, tt.writes)
				}
				r.finish(nil)
			})
		})
	}
}

// The reply to a request that is taken in order is not gathered: what a handler
// behind it sends must not overtake it.
func TestReplyInOrderLeavesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dial(t, &script{notes: map[string]func(exchange){"x": func(x exchange) { x.p.Notify("y", nil) }}},
			&jsonrpc.Options{InOrder: func(method []byte) bool { return string(method) == "echo" }})
		r.send(ask("1", "echo", "{}"), tell("x", ""), ask("2", "ping", ""))
		r.want(answer("1", "{}"), tell("y", ""), answer("2", "{}"))
		r.inPlace()
		r.finish(nil)
	})
}

// Replies that are gathered already do not wait for a handler that blocks behind
// them, nor for what is at hand behind that.
func TestGatheredRepliesLeaveBeforeABlockedHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){"hold": hold(release)}}, nil)
		r.send(ask("1", "ping", ""), ask("2", "ping", ""), ask("3", "hold", "{}"), ask("4", "ping", ""))
		r.wantAnyOrder(answer("1", "{}"), answer("2", "{}"), answer("4", "{}"))
		if first := r.out.written()[0]; first != answer("4", "{}")+"\n" && first != answer("1", "{}")+"\n"+answer("2", "{}")+"\n" {
			t.Errorf("the first write was %q", first)
		}
		r.quiet()
		close(release)
		r.want(answer("3", "{}"))
		r.finish(nil)
	})
}

// The watcher sleeps when nothing is read and wakes up again: a handler that
// blocks after a long pause does not stop reading either.
func TestBlockedHandlerAfterAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){"hold": hold(release)}}, nil)
		synctest.Wait()
		before := engineGoroutines()
		for i := range 3 {
			r.send(ask(strconv.Itoa(i), "ping", ""))
			r.want(answer(strconv.Itoa(i), "{}"))
			r.quiet() // a second
			if now := engineGoroutines(); now > before {
				t.Errorf("%d goroutines at rest became %d", before, now)
			}
		}
		r.send(ask("3", "hold", "{}"), ask("4", "ping", ""))
		r.want(answer("4", "{}"))
		close(release)
		r.want(answer("3", "{}"))
		r.finish(nil)
	})
}

// engineGoroutines counts the goroutines that the engine has started. The runtime's own
// number may count one that has returned already.
func engineGoroutines() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return bytes.Count(stacks, []byte("created by isthmus.internal/jsonrpc.("))
}

func TestIDInUse(t *testing.T) {
	inUse := func(id string) string {
		return refusal(id, jsonrpc.InvalidRequest, "id is in use by a request that is not answered yet")
	}
	tests := []struct{ name, first, second, out string }{
		{"B23 the same number", "1", "1", inUse("1")},
		{"the same string", `"a"`, `"a"`, inUse(`"a"`)},
		{"the same string in other letters", `"a"`, `"\u0061"`, inUse(`"\u0061"`)},
		{"the empty string", `""`, `""`, inUse(`""`)},
		{"a number and a string", "1", `"1"`, answer(`"1"`, "{}")},
		{"two strings", `"a"`, `"A"`, answer(`"A"`, "{}")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				r := dial(t, &script{requests: map[string]func(exchange) (string, error){"hold": hold(release)}}, nil)
				r.send(ask(tt.first, "hold", `{"a":1}`), ask(tt.second, "ping", ""))
				r.want(tt.out)
				r.send(ask(tt.second, "ping", "")) // and again
				r.want(tt.out)
				close(release)
				r.want(answer(tt.first, `{"a":1}`))
				r.send(ask(tt.first, "ping", ""))
				r.want(answer(tt.first, "{}"))
				r.finish(nil)
			})
		})
	}
}

func TestMaxInFlight(t *testing.T) {
	for _, most := range []int{1, 2, 16, 0} {
		t.Run(strconv.Itoa(most), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				r := dial(t, &script{requests: map[string]func(exchange) (string, error){"hold": hold(release)}},
					&jsonrpc.Options{MaxInFlight: most})
				bound := most
				if most == 0 {
					bound = 1024
				}
				var held []string
				for i := range bound {
					r.send(ask(strconv.Itoa(i), "hold", "{}"))
					held = append(held, answer(strconv.Itoa(i), "{}"))
					if i == bound-2 { // the one place that is left serves many, one after the other
						for range 2 * bound {
							r.send(ask(`"quick"`, "ping", ""))
							r.want(answer(`"quick"`, "{}"))
						}
					}
				}
				r.send(ask(`"over"`, "ping", ""), ask(`"over"`, "ping", ""), cancelled("0"))
				tooMany := refusal(`"over"`, jsonrpc.InternalError,
					fmt.Sprintf("Too many requests in flight: at most %d, wait for answers", bound))
				r.want(tooMany, tooMany)
				synctest.Wait()
				r.send(ask(`"after"`, "ping", "")) // a cancelled one makes room
				r.want(answer(`"after"`, "{}"))
				close(release)
				r.wantAnyOrder(held[1:]...)
				r.inPlace()
				r.finish(nil)
			})
		})
	}
}
