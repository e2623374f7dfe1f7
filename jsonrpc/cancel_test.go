package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
)

// A request that the peer cancels is never answered (legacy basic/utilities/cancellation;
// 2026-07-28 basic/patterns/cancellation).
func TestCancel(t *testing.T) {
	tests := []struct {
		name, id, cancel string
		hit              bool
	}{
		{"B91 a number", "3", "3", true},
		{"B92 0", "0", "0", true},
		{"B92 the empty string", `""`, `""`, true},
		{"a negative number", "-7", "-7", true},
		{"a number beyond 2^64", "123456789012345678901234567890", "123456789012345678901234567890", true},
		{"a string", `"abc"`, `"abc"`, true},
		{"a string in other letters", `"a"`, `"\u0061"`, true},
		{"a string that was escaped", `"\u0061/\/"`, `"a//"`, true},
		{"an unknown id", "3", "4", false},
		{"a string for a number", "3", `"3"`, false},
		{"a number for a string", `"3"`, "3", false},
		{"a neighbour beyond 2^53", "9007199254740993", "9007199254740992", false},
		{"null", "3", "null", false},
		{"a fraction", "3", "3.0", false},
		{"an object", "3", "{}", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release, ended := make(chan struct{}), make(chan error, 1)
				r := dial(t, &script{requests: map[string]func(exchange) (string, error){
					"hold": func(x exchange) (string, error) {
						_, err := hold(release)(x)
						ended <- err
						return "{}", err
					},
				}}, nil)
				r.send(ask(tt.id, "hold", "{}"), cancelled(tt.cancel), ask(`"ping"`, "ping", ""))
				r.want(answer(`"ping"`, "{}"))
				if tt.hit {
					if err := <-ended; !errors.Is(err, context.Canceled) {
						t.Errorf("the handler ended with %v, want %v", err, context.Canceled)
					}
					r.quiet()
				} else {
					r.quiet()
					close(release)
					r.want(answer(tt.id, "{}"))
				}
				r.inPlace()
				r.finish(nil)
			})
		})
	}
}

// Whatever a handler does once its request is cancelled, nothing of it reaches
// the peer.
func TestNothingIsSentAfterACancel(t *testing.T) {
	tests := []struct {
		name  string
		after func(x exchange) (string, error)
	}{
		{"a result", func(x exchange) (string, error) { return "{}", nil }},
		{"an error", func(x exchange) (string, error) { return "", errors.New("late") }},
		{"an error for the peer", func(x exchange) (string, error) { return "", jsonrpc.Errorf(1, "late") }},
		{"the context's error", func(x exchange) (string, error) { return "", x.ctx.Err() }},
		{"nothing", func(x exchange) (string, error) { return "", nil }},
		{"a panic", func(x exchange) (string, error) { panic("late") }},
		{"the end of its goroutine", func(x exchange) (string, error) { runtime.Goexit(); return "", nil }},
		{"a notification", func(x exchange) (string, error) {
			return "{}", x.p.Notify("notifications/progress", nil)
		}},
		{"a request in its context", func(x exchange) (string, error) {
			_, err := x.p.Call(x.ctx, "roots/list", nil)
			return "{}", err
		}},
		{"a request in no context", func(x exchange) (string, error) {
			_, err := x.p.Call(context.Background(), "roots/list", nil)
			return "{}", err
		}},
	}
	for _, tt := range tests {
		for _, batched := range []bool{false, true} {
			name := tt.name
			if batched {
				name += " in a batch"
			}
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ended := make(chan struct{})
					r := dial(t, &script{requests: map[string]func(exchange) (string, error){
						"x": func(x exchange) (string, error) {
							defer close(ended)
							<-x.ctx.Done()
							return tt.after(x)
						},
					}}, nil)
					message := ask("3", "x", "")
					if batched {
						message = array(message)
					}
					r.send(message)
					synctest.Wait()
					r.send(cancelled("3"), ask("4", "ping", ""))
					r.want(answer("4", "{}"))
					r.quiet()
					r.finish(nil)
					<-ended
				})
			})
		}
	}
}

// What stands behind a request that is handled in order waits for its answer, a
// cancellation included, whether another handler is slow at the time or not.
func TestInOrder(t *testing.T) {
	for _, slow := range []bool{false, true} {
		t.Run(fmt.Sprintf("slow=%t", slow), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release, other := make(chan struct{}), make(chan struct{})
				r := dial(t, &script{requests: map[string]func(exchange) (string, error){"initialize": hold(release), "hold": hold(other)}},
					&jsonrpc.Options{InOrder: func(method []byte) bool { return string(method) == "initialize" }})
				if slow {
					r.send(ask("9", "hold", `{"slow":true}`))
					r.quiet()
				}
				r.send(ask("0", "initialize", `{"kept":true}`), cancelled("0"), ask("1", "ping", ""))
				r.quiet()
				close(release)
				r.want(answer("0", `{"kept":true}`), answer("1", "{}"))
				close(other)
				if slow {
					r.want(answer("9", `{"slow":true}`))
				}
				r.finish(nil)
			})
		})
	}
}

// A handler of one that is taken in order may end its goroutine, too, and may
// call the peer: reading goes on then.
func TestInOrderGivesThePlaceAway(t *testing.T) {
	tests := []struct {
		name string
		do   func(exchange) (string, error)
		out  string
	}{
		{"a call", calling("roots/list", "{}"), answer("0", "[]")},
		{"the end of its goroutine", func(exchange) (string, error) { runtime.Goexit(); return "", nil }, refused("0", jsonrpc.InternalError)},
		{"a panic", func(exchange) (string, error) { panic("boom") }, refused("0", jsonrpc.InternalError)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := dial(t, &script{requests: map[string]func(exchange) (string, error){"initialize": tt.do}},
					&jsonrpc.Options{InOrder: func(method []byte) bool { return string(method) == "initialize" }})
				r.send(ask("0", "initialize", ""), ask("1", "ping", ""))
				if tt.name == "a call" {
					r.wantAnyOrder(ask("1", "roots/list", "{}"), answer("1", "{}"))
					r.send(answer("1", "[]"))
					r.want(tt.out)
				} else {
					r.wantAnyOrder(tt.out, answer("1", "{}"))
				}
				r.inPlace()
				r.finish(nil)
			})
		})
	}
}

// A cancel that comes too late, or twice, changes nothing.
func TestCancelOfWhatIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){"hold": hold(nil)}}, nil)
		r.send(ask("1", "ping", ""), cancelled("1"), ask("1", "echo", `{"again":1}`), cancelled("1"), cancelled("1"))
		r.want(answer("1", "{}"), answer("1", `{"again":1}`))
		r.send(ask("2", "hold", ""), cancelled("2"), cancelled("2"), ask("3", "ping", ""))
		r.want(answer("3", "{}"))
		r.send(ask("2", "ping", ""))
		r.want(answer("2", "{}"))
		r.finish(nil)
	})
}

// The id of a cancelled request is free at once, and its handler's end, whenever
// that comes, does not touch the request that has the id by then.
func TestIDOfACancelledRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		proceed, ended := make(chan struct{}), make(chan error, 1)
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){
			"stubborn": func(exchange) (string, error) { <-proceed; return "{}", nil },
			"hold": func(x exchange) (string, error) {
				_, err := hold(nil)(x)
				ended <- err
				return "{}", err
			}}}, nil)
		r.send(ask("1", "stubborn", ""), cancelled("1"), ask("1", "hold", ""), ask("2", "ping", ""))
		r.want(answer("2", "{}"))
		close(proceed)
		synctest.Wait()
		r.send(ask("1", "ping", ""))
		r.want(refused("1", jsonrpc.InvalidRequest))
		r.send(cancelled("1"))
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the second handler ended with %v, want %v", err, context.Canceled)
		}
		r.quiet()
		r.send(ask("1", "ping", ""))
		r.want(answer("1", "{}"))
		r.finish(nil)
	})
}

// The context of a request ends with its answer, so that what the handler has
// started ends, too; contexts made from it follow.
func TestContextEndsWithTheAnswer(t *testing.T) {
	type key struct{}
	tests := []struct {
		name  string
		makes func(ctx context.Context) context.Context
	}{
		{"itself", func(ctx context.Context) context.Context { return ctx }},
		{"with a value", func(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, 1) }},
		{"with a limit", func(ctx context.Context) context.Context {
			c, cancel := context.WithTimeout(ctx, time.Hour)
			context.AfterFunc(c, cancel)
			return c
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan error, 2)
				watch := func(x exchange) (string, error) {
					if err := x.ctx.Err(); err != nil {
						return "", jsonrpc.Errorf(1, "the context has ended before the answer")
					}
					if _, has := x.ctx.Deadline(); has || x.ctx.Value(key{}) != nil {
						return "", jsonrpc.Errorf(1, "the context has a deadline or a value")
					}
					ctx := tt.makes(x.ctx)
					go func() {
						<-ctx.Done()
						ended <- context.Cause(ctx)
					}()
					return "{}", nil
				}
				r := dial(t, &script{requests: map[string]func(exchange) (string, error){"watch": watch}}, nil)
				r.send(ask("1", "watch", ""), array(ask("2", "watch", "")))
				r.wantAnyOrder(answer("1", "{}"), array(answer("2", "{}")))
				for range 2 {
					if err := <-ended; !errors.Is(err, context.Canceled) {
						t.Errorf("the cause was %v, want %v", err, context.Canceled)
					}
				}
				r.finish(nil)
			})
		})
	}
}

// The context is asked before and after a cancel, by Done and by Err first.
func TestContextOfACancelledRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		proceed := make(chan struct{})
		done := make(chan struct{})
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){
			"late": func(x exchange) (string, error) { // asks only after the cancel
				defer close(done)
				<-proceed
				select {
				case <-x.ctx.Done():
				default:
					t.Error("Done is not closed after the cancel")
				}
				if err := x.ctx.Err(); err != context.Canceled {
					t.Errorf("Err is %v after the cancel, want %v", err, context.Canceled)
				}
				return "{}", nil
			},
		}}, nil)
		r.send(ask("1", "late", ""), cancelled("1"), ask("2", "ping", ""))
		r.want(answer("2", "{}"))
		close(proceed)
		<-done
		r.quiet()
		r.finish(nil)
	})
}
