package jsonrpc_test

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"isthmus.internal/jsonrpc"
)

// Many goroutines that write large messages do not cut each other's (B169). The
// recorder finds lines that are not whole.
func TestMessagesAreWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const goroutines, each = 32, 4
		text := `{"text":"` + strings.Repeat("x", 64<<10) + `"}`
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){
			"large": func(x exchange) (string, error) {
				var all sync.WaitGroup
				for range each {
					all.Go(func() { x.p.Notify("progress", []byte(text)) })
				}
				_, err := x.p.Call(x.ctx, "get", []byte(text))
				all.Wait()
				return text, err
			}}}, nil)
		var want []string
		for i := range goroutines {
			go r.conn.Notify("outside", []byte(text))
			r.send(ask(`"`+strconv.Itoa(i)+`"`, "large", text))
			want = append(want, tell("outside", text), answer(`"`+strconv.Itoa(i)+`"`, text))
			for range each {
				want = append(want, tell("progress", text))
			}
		}
		counts := map[string]int{}
		for range len(want) + goroutines {
			line := r.next()
			if id, rest, isCall := strings.Cut(strings.TrimPrefix(line, `{"jsonrpc":"2.0","id":`), `,"method":"get"`); isCall {
				if rest != `,"params":`+text+"}" {
					t.Errorf("a call is %.200s", line)
				}
				r.send(answer(id, "{}"))
				continue
			}
			counts[line]++
		}
		for _, line := range want {
			if counts[line]--; counts[line] < 0 {
				t.Errorf("%.100s is missing", line)
			}
		}
		r.finish(nil)
	})
}

// Behind a peer that does not read, everything stays bounded: what waits, the
// goroutines, and what is read. When it reads again, all goes on, and nothing was
// refused for its being slow.
func TestPeerThatDoesNotRead(t *testing.T) {
	const messages = 2000
	result := strings.Repeat("1", 1000)
	tests := []struct {
		name string
		in   func(i int) string
		out  func(i int) string
	}{
		{"requests", func(i int) string { return ask(strconv.Itoa(i), "x", "") },
			func(i int) string { return answer(strconv.Itoa(i), result) }},
		{"batches", func(i int) string { return array(ask(strconv.Itoa(i), "x", "")) },
			func(i int) string { return `[{"jsonrpc":"2.0","id":` + strconv.Itoa(i) + `,…` }}, // or too many are in flight
		{"notifications", func(i int) string { return tell("x", "") },
			func(i int) string { return tell("y", result) }},
		{"bad messages", func(i int) string { return `{"id":` + strconv.Itoa(i) + `,"method":"x"}` },
			func(i int) string {
				return refusal(strconv.Itoa(i), jsonrpc.InvalidRequest, `jsonrpc must be the string \"2.0\"`)
			}},
	}
	for _, tt := range tests {
		for _, together := range []int{1, 50} {
			t.Run(fmt.Sprintf("%s/%d at hand", tt.name, together), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, &script{
						requests: map[string]func(exchange) (string, error){"x": func(exchange) (string, error) { return result, nil }},
						notes:    map[string]func(exchange){"x": func(x exchange) { x.p.Notify("y", []byte(result)) }},
					}, &jsonrpc.Options{MaxInFlight: 64, MaxWaiting: 32 << 10})
					r.out.gate = make(chan struct{})
					r.start()
					before := runtime.NumGoroutine()
					var in, out []string
					for i := range messages {
						in = append(in, tt.in(i))
						out = append(out, tt.out(i))
						if len(in) == together {
							r.send(in...)
							r.quiet() // or the handlers that wait for a processor would count as slow ones
							in = nil
						}
					}
					taken, goroutines := r.in.taken.Load(), runtime.NumGoroutine()-before
					if taken > 600 {
						t.Errorf("%d messages were read while the peer read nothing", taken)
					}
					if goroutines > 300 { // two for each request in flight, and as many again
						t.Errorf("%d goroutines wait for a peer that reads nothing", goroutines)
					}
					close(r.out.gate)
					r.wantAnyOrder(out...)
					r.inPlace()
					r.finish(nil)
				})
			})
		}
	}
}

// What waits behind a write leaves together in the next one.
func TestWaitingMessagesLeaveTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &script{}, nil)
		r.out.gate = make(chan struct{})
		r.start()
		for i := range 20 {
			go r.conn.Notify(strconv.Itoa(i), nil)
			synctest.Wait()
		}
		close(r.out.gate)
		for i := range 20 {
			r.want(tell(strconv.Itoa(i), ""))
		}
		if got := r.out.written(); len(got) != 2 {
			t.Errorf("20 messages left in %d writes, want 2: %q", len(got), got)
		}
		// The buffers are used again, and hold what they are given.
		for i := range 5 {
			r.conn.Notify("again", []byte(strconv.Itoa(i)))
			r.want(tell("again", strconv.Itoa(i)))
		}
		r.finish(nil)
	})
}

// A large message goes through, and the next small one, too.
func TestLargeMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		large := `{"text":"` + strings.Repeat("x", 3<<20) + `"}`
		r := dial(t, &script{}, nil)
		r.send(ask("1", "echo", large), ask("2", "ping", ""))
		r.want(answer("1", large), answer("2", "{}"))
		r.conn.Notify("x", []byte(large))
		r.want(tell("x", large))
		r.inPlace()
		r.finish(nil)
	})
}
