package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
)

// calling makes a handler that calls the peer and answers with what came back, or
// with the code of the error.
func calling(method, params string) func(exchange) (string, error) {
	return func(x exchange) (string, error) {
		got, err := x.p.Call(x.ctx, method, []byte(params))
		if err != nil {
			return strconv.Itoa(int(jsonrpc.CodeOf(err))), nil
		}
		return string(got), nil
	}
}

// A handler may call the peer, wherever it runs: the answer is read meanwhile
// (B172).
func TestCallFromAHandler(t *testing.T) {
	place := []struct {
		name   string
		before []string // what is in flight already
	}{
		{"in the reading place", nil},
		{"on a goroutine of its own", []string{ask(`"held"`, "hold", "{}")}},
	}
	responses := []struct{ name, in, out string }{
		{"a result", `{"jsonrpc":"2.0","id":1,"result":{"n":9007199254740993}}`, `{"n":9007199254740993}`},
		{"a result that is null", `{"jsonrpc":"2.0","id":1,"result":null}`, `null`},
		{"an error", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":{"a":[1]}}}`, `-1`},
		{"an error with the least code", `{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"no"}}`, `-32603`},
		{"result and error", `{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}`, `-32603`},
		{"an error that is null", `{"jsonrpc":"2.0","id":1,"result":1,"error":null}`, `-32603`},
		{"an error that is text", `{"jsonrpc":"2.0","id":1,"error":"no"}`, `-32603`},
		{"no version", `{"id":1,"result":1}`, `-32603`},
		{"too deep", `{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `}`, `-32603`},
	}
	for _, p := range place {
		for _, response := range responses {
			t.Run(p.name+"/"+response.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					release := make(chan struct{})
					r := dial(t, &script{requests: map[string]func(exchange) (string, error){
						"hold": hold(release), "x": calling("sampling/createMessage", `{"a":1}`)}}, nil)
					r.send(append(p.before, ask("1", "x", ""))...)
					r.want(ask("1", "sampling/createMessage", `{"a":1}`))
					r.send(ask(`"p"`, "ping", ""))
					r.want(answer(`"p"`, "{}"))
					r.send(response.in, response.in, ask(`"q"`, "ping", "")) // the second has nobody that waits for it
					r.wantAnyOrder(answer("1", response.out), answer(`"q"`, "{}"))
					close(release)
					if p.before != nil {
						r.want(answer(`"held"`, "{}"))
					}
					r.inPlace()
					r.finish(nil)
				})
			})
		}
	}
}

// A notification's handler may call as well, in a batch, too.
func TestCallFromANotification(t *testing.T) {
	for _, batched := range []bool{false, true} {
		t.Run(fmt.Sprintf("batched %v", batched), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := make(chan string, 1)
				r := dial(t, &script{notes: map[string]func(exchange){"x": func(x exchange) {
					s, _ := calling("roots/list", "{}")(x)
					got <- s
				}}}, nil)
				message := tell("x", "")
				if batched {
					message = array(message)
				}
				r.send(message)
				r.want(ask("1", "roots/list", "{}"))
				flood := make([]string, 1000)
				for i := range flood {
					flood[i] = tell("notifications/noise", "")
				}
				r.send(flood...)
				r.send(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
				select {
				case s := <-got:
					if s != `{"roots":[]}` {
						t.Errorf("Call returned %s", s)
					}
				case <-time.After(time.Minute):
					t.Error("Call did not return")
				}
				r.inPlace()
				r.finish(nil)
			})
		})
	}
}

// Responses find the calls that they belong to, in any order, and others find
// nobody.
func TestCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 50
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){
			"x": func(x exchange) (string, error) {
				s, err := x.p.Call(x.ctx, "get", x.m.Params)
				return string(s), err
			}}}, nil)
		var own [calls]chan string
		for i := range calls {
			r.send(ask(strconv.Itoa(i), "x", fmt.Sprintf(`{"n":%d}`, i)))
			own[i] = make(chan string, 1)
			go func() {
				s, err := r.conn.Call(context.Background(), "get", fmt.Appendf(nil, `{"n":%d}`, i+calls))
				own[i] <- fmt.Sprint(string(s), err)
			}()
		}
		var responses, answers []string
		seen := map[string]bool{}
		for range 2 * calls {
			line := r.next()
			id, rest, _ := strings.Cut(strings.TrimPrefix(line, `{"jsonrpc":"2.0","id":`), `,"method":"get","params":`)
			params := strings.TrimSuffix(rest, "}")
			if seen[id] {
				t.Errorf("the id %s was used twice", id)
			}
			seen[id] = true
			responses = append([]string{answer(id, params)}, responses...)
		}
		for i := range calls {
			answers = append(answers, answer(strconv.Itoa(i), fmt.Sprintf(`{"n":%d}`, i)))
		}
		r.send(answer(`"1"`, "{}"), answer("0", "{}"), answer("-1", "{}"), answer("1000", "{}"), answer("1e0", "{}"),
			answer("12345678901234567890", "{}"))
		r.send(responses...)
		r.wantAnyOrder(answers...)
		for i := range calls {
			if got, want := <-own[i], fmt.Sprintf(`{"n":%d}<nil>`, i+calls); got != want {
				t.Errorf("call %d got %s, want %s", i, got, want)
			}
		}
		r.finish(nil)
	})
}

// A call from the reading place gives it away at once: nothing waits for the
// watcher.
func TestCallGivesThePlaceAway(t *testing.T) {
	call := func(x exchange) (string, error) { return calling("roots/list", "{}")(x) }
	tests := []struct{ name, in, out string }{
		{"a request", ask("1", "x", ""), answer("1", "[]")},
		{"a notification", tell("x", ""), tell("done", "")},
		{"a notification in a batch", array(tell("x", "")), tell("done", "")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := dial(t, &script{
					requests: map[string]func(exchange) (string, error){"x": call},
					notes: map[string]func(exchange){"x": func(x exchange) {
						call(x)
						x.p.Notify("done", nil)
					}},
				}, nil)
				began := time.Now()
				r.send(tt.in)
				r.want(ask("1", "roots/list", "{}"))
				r.send(answer("1", "[]"))
				r.want(tt.out)
				if waited := time.Since(began); waited != 0 {
					t.Errorf("the answer was read after %v, want at once", waited)
				}
				r.finish(nil)
			})
		})
	}
}

// A result stays as it came, however much is read after it.
func TestCallResultIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan jsonrpc.Raw, 1)
		r := dial(t, &script{}, nil)
		go func() {
			got, _ := r.conn.Call(context.Background(), "x", nil)
			done <- got
		}()
		r.want(ask("1", "x", ""))
		r.send(answer("1", `{"kept":true}`))
		got := <-done
		r.send(ask("1", "ping", ""))
		r.want(answer("1", "{}"))
		if string(got) != `{"kept":true}` {
			t.Errorf("the result became %s", got)
		}
		r.finish(nil)
	})
}

func TestCallError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dial(t, &script{}, nil)
		done := make(chan error, 1)
		go func() {
			_, err := r.conn.Call(context.Background(), "x", nil)
			done <- err
		}()
		r.want(ask("1", "x", ""))
		r.send(`{"jsonrpc":"2.0","id":1,"error":{"message":"No \u0041","data":{"a":[1.50]},"code":-32042}}`)
		r.send(ask("1", "ping", "")) // the bytes of the error are overwritten by now
		r.want(answer("1", "{}"))
		var e *jsonrpc.Error
		if err := <-done; !errors.As(err, &e) || e.Code != -32042 || e.Message != "No A" || string(e.Data) != `{"a":[1.50]}` {
			t.Errorf("Call returned %#v", err)
		}
		r.finish(nil)
	})
}

// How a wait for the peer's answer ends when there is none.
func TestCallEnds(t *testing.T) {
	cause := errors.New("the cause")
	tests := []struct {
		name  string
		after func(r *rig, cancel context.CancelCauseFunc)
		want  error
		serve error
	}{
		{"its context is cancelled", func(r *rig, cancel context.CancelCauseFunc) { cancel(cause) }, context.Canceled, nil},
		{"its context's time is over", func(r *rig, cancel context.CancelCauseFunc) { <-time.After(2 * time.Hour) }, context.DeadlineExceeded, nil},
		{"the input ends", func(r *rig, cancel context.CancelCauseFunc) { close(r.in.arrivals) }, jsonrpc.ErrClosed, nil},
		{"Serve is told to end", func(r *rig, cancel context.CancelCauseFunc) { r.cancel() }, jsonrpc.ErrClosed, nil},
		{"reading fails", func(r *rig, cancel context.CancelCauseFunc) { r.in.arrivals <- []event{{err: cause}} }, jsonrpc.ErrClosed, cause},
	}
	for _, tt := range tests {
		for _, from := range []string{"a handler", "outside"} {
			t.Run(tt.name+"/"+from, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					defer cancel(nil)
					ctx, stop := context.WithTimeout(ctx, time.Hour)
					defer stop()
					done := make(chan error, 1)
					r := dial(t, &script{notes: map[string]func(exchange){"x": func(x exchange) {
						_, err := x.p.Call(ctx, "roots/list", nil)
						done <- err
					}}}, nil)
					if from == "outside" {
						go func() {
							_, err := r.conn.Call(ctx, "roots/list", nil)
							done <- err
						}()
					} else {
						r.send(tell("x", ""))
					}
					r.want(ask("1", "roots/list", ""))
					tt.after(r, cancel)
					if err := <-done; !errors.Is(err, tt.want) {
						t.Errorf("Call returned %v, want %v", err, tt.want)
					}
					if tt.want != jsonrpc.ErrClosed {
						r.send(answer("1", "{}"), ask("2", "ping", "")) // too late
						r.want(answer("2", "{}"))
						close(r.in.arrivals)
					}
					r.ended(tt.serve)
				})
			})
		}
	}
}

// What comes after the end is refused at once, and nothing is written.
func TestCallAndNotifyAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dial(t, &script{}, nil)
		r.finish(nil)
		if _, err := r.conn.Call(context.Background(), "x", nil); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("Call returned %v, want %v", err, jsonrpc.ErrClosed)
		}
		if err := r.conn.Notify("x", nil); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("Notify returned %v, want %v", err, jsonrpc.ErrClosed)
		}
		if got := r.out.written(); len(got) > 0 {
			t.Errorf("%q was written after the end", got)
		}
	})
}

// A call in a context that has ended is not made.
func TestCallInAnEndedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dial(t, &script{}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.conn.Call(ctx, "x", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("Call returned %v, want %v", err, context.Canceled)
		}
		r.quiet()
		r.finish(nil)
	})
}
