package jsonrpc_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
)

// Everything that was read is answered, however the end comes (B160, B161).
func TestEnd(t *testing.T) {
	fault := errors.New("the device is gone")
	ends := []struct {
		name string
		end  func(r *rig)
		want error
	}{
		{"end of input", func(r *rig) { close(r.in.arrivals) }, nil},
		{"Serve's context", func(r *rig) { r.cancel() }, nil},
		{"a read that fails", func(r *rig) { r.in.arrivals <- []event{{err: fault}} }, fault},
	}
	tests := []struct {
		name string
		in   []string
		out  []string
	}{
		{"idle", nil, nil},
		{"quick requests at hand", []string{ask("1", "ping", ""), ask("2", "ping", "")}, []string{answer("1", "{}"), answer("2", "{}")}},
		{"a slow request and a quick one", []string{ask("1", "slow", ""), ask("2", "ping", "")}, []string{answer("2", "{}"), answer("1", "{}")}},
		{"a slow batch", []string{array(ask("1", "slow", ""), ask("2", "ping", ""))}, []string{array(answer("1", "{}"), answer("2", "{}"))}},
		{"a slow notification", []string{tell("slow", "")}, []string{tell("done", "")}},
		{"a bad message", []string{"{"}, []string{refused("", jsonrpc.ParseError)}},
	}
	for _, e := range ends {
		for _, tt := range tests {
			t.Run(e.name+"/"+tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := dial(t, &script{
						requests: map[string]func(exchange) (string, error){"slow": func(x exchange) (string, error) {
							<-time.After(200 * time.Millisecond)
							return "{}", x.ctx.Err()
						}},
						notes: map[string]func(exchange){"slow": func(x exchange) {
							<-time.After(200 * time.Millisecond)
							x.p.Notify("done", nil)
						}},
					}, nil)
					if tt.in != nil {
						r.send(tt.in...)
					}
					if e.name == "Serve's context" {
						synctest.Wait() // they are read: what is not read by then is not taken
					}
					e.end(r)
					r.want(tt.out...)
					r.ended(e.want)
				})
			})
		}
	}
}

// A read that fails is what Serve returns even if the replies before it wait for
// the peer, so that somebody else holds the reading place by then.
func TestReadFailsBehindAPeerThatDoesNotRead(t *testing.T) {
	fault := errors.New("the device is gone")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &script{}, &jsonrpc.Options{Drain: time.Hour})
		r.out.gate = make(chan struct{})
		r.start()
		r.in.arrivals <- []event{{message: ask("1", "ping", "")}, {err: fault}}
		r.quiet()
		close(r.out.gate)
		r.want(answer("1", "{}"))
		r.ended(fault)
	})
}

// When the time is up the handlers are told to end, and Serve says so, whether
// they obey or not (B164).
func TestDrainExceeded(t *testing.T) {
	const closing = "Request ended: the server is shutting down"
	release := func() <-chan time.Time { return time.After(time.Hour) }
	obey := func(x exchange) (string, error) {
		select {
		case <-x.ctx.Done():
			if cause := context.Cause(x.ctx); !errors.Is(cause, jsonrpc.ErrClosed) {
				return "", jsonrpc.Errorf(1, "the cause is %v", cause)
			}
			return "", x.ctx.Err()
		case <-release():
			return "{}", nil
		}
	}
	stubborn := func(x exchange) (string, error) {
		<-release()
		return "{}", nil
	}
	tests := []struct {
		name string
		in   []string
		out  []string
	}{
		{"a handler that obeys", []string{ask("1", "obey", "")}, []string{refusal("1", jsonrpc.InternalError, closing)}},
		{"a handler that answers all the same", []string{ask("1", "answer", "")}, []string{answer("1", "{}")}},
		{"a handler that does not obey", []string{ask("1", "stubborn", "")}, nil},
		{"one of each", []string{ask("1", "stubborn", ""), ask("2", "obey", "")}, []string{refusal("2", jsonrpc.InternalError, closing)}},
		{"a handler that asks now and then", []string{ask("1", "poll", "")}, []string{refusal("1", jsonrpc.InternalError, closing)}},
		{"in a batch", []string{array(ask("1", "obey", ""))}, []string{array(refusal("1", jsonrpc.InternalError, closing))}},
		{"a batch that does not obey", []string{array(ask("1", "obey", ""), ask("2", "stubborn", ""))}, nil},
		{"a notification's handler that does not obey", []string{tell("stubborn", "")}, nil},
		{"a hundred", hundred(func(i int) string { return ask(strconv.Itoa(i), "obey", "") }),
			hundred(func(i int) string { return refusal(strconv.Itoa(i), jsonrpc.InternalError, closing) })},
	}
	for _, end := range []string{"end of input", "Serve's context"} {
		for _, tt := range tests {
			t.Run(end+"/"+tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := dial(t, &script{
						requests: map[string]func(exchange) (string, error){"obey": obey, "stubborn": stubborn,
							"answer": func(x exchange) (string, error) { <-x.ctx.Done(); return "{}", nil },
							"poll": func(x exchange) (string, error) {
								for x.ctx.Err() == nil {
									<-time.After(100 * time.Millisecond)
								}
								return "", x.ctx.Err()
							}},
						notes: map[string]func(exchange){"stubborn": func(x exchange) { stubborn(x); x.p.Notify("late", nil) }},
					}, &jsonrpc.Options{Drain: time.Minute / 2})
					r.send(tt.in...)
					if end == "end of input" {
						close(r.in.arrivals)
					} else {
						r.quiet() // all is read
						r.cancel()
					}
					r.wantAnyOrder(tt.out...)
					r.ended(jsonrpc.ErrDrain)
					<-time.After(2 * time.Hour) // the stubborn end, and have nobody to tell
					r.quiet()
				})
			})
		}
	}
}

func hundred(line func(i int) string) (lines []string) {
	for i := range 100 {
		lines = append(lines, line(i))
	}
	return lines
}

// The default of Drain is what its comment says.
func TestDrainDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){"hold": hold(nil)}}, nil)
		r.send(ask("1", "hold", ""))
		r.quiet()
		began := time.Now()
		close(r.in.arrivals)
		r.want(refused("1", jsonrpc.InternalError))
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("the context was cancelled after %v, want 5s", took)
		}
		r.ended(jsonrpc.ErrDrain)
	})
}

// A peer that stops reading does not keep Serve for ever, and what it was not
// told is not taken for told.
func TestDrainBehindAPeerThatDoesNotRead(t *testing.T) {
	tests := []struct{ name, in string }{
		{"a request", ask("1", "ping", "")},
		{"a batch", array(ask("1", "ping", ""))},
		{"a bad message", "{"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, &script{}, nil)
				r.out.gate = make(chan struct{})
				r.start()
				r.send(tt.in)
				close(r.in.arrivals)
				select {
				case err := <-r.served:
					if !errors.Is(err, jsonrpc.ErrDrain) {
						t.Errorf("Serve returned %v, want %v", err, jsonrpc.ErrDrain)
					}
				case <-time.After(time.Minute):
					t.Error("Serve did not return")
				}
				close(r.out.gate) // the write that waits comes back, and is the last
				synctest.Wait()
				if n := len(r.out.written()); n != 1 {
					t.Errorf("%d writes, want 1", n)
				}
			})
		})
	}
}

// A reply that waits behind a write of somebody else is written before Serve
// returns nil.
func TestEndWaitsForTheWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &script{}, nil)
		r.out.gate = make(chan struct{})
		r.start()
		go r.conn.Notify("first", nil) // writes, and takes the reply along
		synctest.Wait()
		r.send(ask("1", "ping", ""))
		close(r.in.arrivals)
		select {
		case err := <-r.served:
			t.Errorf("Serve returned %v before the reply was written", err)
			r.served <- err
		case <-time.After(time.Second):
		}
		close(r.out.gate)
		r.want(tell("first", ""), answer("1", "{}"))
		r.ended(nil)
	})
}

// A Read that cannot be interrupted does not keep Serve; what it brings later is
// dropped.
func TestSourceThatCannotBeClosed(t *testing.T) {
	for _, late := range []string{"a message", "the end"} {
		t.Run(late, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				seen := make(chan struct{}, 1)
				r := newRig(t, &script{notes: map[string]func(exchange){"x": func(exchange) { seen <- struct{}{} }}}, nil)
				r.in.closeErr = errors.New("cannot be interrupted")
				r.start()
				r.send(ask("1", "ping", ""))
				r.want(answer("1", "{}"))
				r.cancel()
				r.ended(nil)
				if late == "a message" {
					r.send(ask("2", "ping", ""), tell("x", ""), ask("3", "ping", ""))
					r.quiet()
					if len(seen) > 0 {
						t.Error("a message was handled after Serve had returned")
					}
				}
				close(r.in.arrivals)
			})
		})
	}
}

// Once Serve is told to end, only the Read that waits already can bring another
// message.
func TestNothingIsReadAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := newRig(t, &script{requests: map[string]func(exchange) (string, error){"hold": hold(release)}}, nil)
		r.in.closeErr = errors.New("cannot be interrupted")
		r.start()
		r.send(ask("1", "hold", "{}"))
		r.quiet()
		r.cancel()
		synctest.Wait()
		before := r.in.taken.Load()
		r.send(ask("2", "ping", ""))
		r.send(ask("3", "ping", ""))
		r.want(answer("2", "{}"))
		r.quiet()
		if n := r.in.taken.Load() - before; n != 1 {
			t.Errorf("%d messages were read after the end, want 1", n)
		}
		close(release)
		r.want(answer("1", "{}"))
		r.ended(nil)
		close(r.in.arrivals)
	})
}

// Serve in a context that has ended already takes nothing, and returns.
func TestServeInAnEndedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &script{}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.conn.Serve(ctx); err != nil {
			t.Errorf("Serve returned %v, want nil", err)
		}
	})
}

// slowly takes each write only after a while.
type slowly struct {
	*recorder
	pause time.Duration
	quit  chan struct{}
}

func (w slowly) Write(p []byte) (int, error) {
	select {
	case <-time.After(w.pause):
	case <-w.quit:
	}
	return w.recorder.Write(p)
}

// The drain time counts anew while the peer takes answers in, and not when it takes
// none.
func TestDrainOfASlowPeer(t *testing.T) {
	large := `{"text":"` + strings.Repeat("x", 2<<20) + `"}`
	for _, tt := range []struct {
		name  string
		pause time.Duration
		want  error
	}{
		{"slow", 3 * time.Second, nil},
		{"far too slow", time.Hour, jsonrpc.ErrDrain},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out, quit := newRecorder(), make(chan struct{})
				in := newFeed()
				c := jsonrpc.NewConn(in, slowly{out, tt.pause, quit}, &script{}, &jsonrpc.Options{Drain: 5 * time.Second})
				served := make(chan error, 1)
				go func() { served <- c.Serve(t.Context()) }()
				in.arrivals <- []event{{message: ask("1", "echo", large)}}
				close(in.arrivals)
				if err := <-served; !errors.Is(err, tt.want) {
					t.Errorf("Serve returned %v, want %v", err, tt.want)
				}
				close(quit)
				if tt.want == nil && <-out.lines != answer("1", large) {
					t.Error("the answer did not arrive whole")
				}
			})
		})
	}
}
