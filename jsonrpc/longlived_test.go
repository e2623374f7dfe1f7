package jsonrpc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
)

// listens is a handler with a long-lived method, which tells each word that comes on
// say, and answers when the connection ends.
func listens(say <-chan string) *script {
	return &script{requests: map[string]func(exchange) (string, error){
		"hold": hold(nil),
		"listen": func(x exchange) (string, error) {
			for {
				select {
				case word := <-say:
					if err := x.p.Notify(word, nil); err != nil {
						return "", err
					}
				case <-x.p.Ending():
					return string(x.m.Params), nil
				case <-x.ctx.Done():
					return "", x.ctx.Err()
				}
			}
		},
	}}
}

func longLived(o jsonrpc.Options) *jsonrpc.Options {
	o.LongLived = func(method []byte) bool { return string(method) == "listen" }
	return &o
}

// A long-lived request holds neither the reading place nor a slot of those in flight
// (B151), whether it comes on its own or between others, and its text stays good.
func TestLongLivedHoldsUpNothing(t *testing.T) {
	for _, at := range []string{"on its own", "between others", "beside a handler that waits"} {
		t.Run(at, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				say := make(chan string)
				r := dial(t, listens(say), longLived(jsonrpc.Options{MaxInFlight: 1, Drain: time.Hour}))
				listen, want := ask("1", "listen", `{"kept":true}`), answer("1", `{"kept":true}`)
				switch at {
				case "on its own":
					r.send(listen)
				case "between others":
					r.send(ask("2", "ping", ""), listen, ask("3", "ping", ""))
					r.wantAnyOrder(answer("2", "{}"), answer("3", "{}"))
				case "beside a handler that waits":
					r.send(ask("4", "hold", "{}"))
					synctest.Wait()
					r.send(listen, ask("5", "ping", ""))
					r.want(refused("5", jsonrpc.InternalError)) // of those in flight there is one
					r.send(cancelled("4"))
				}
				<-time.After(time.Hour) // it is open for long
				r.inPlace()
				say <- "word"
				r.want(tell("word", ""))
				before := time.Now()
				close(r.in.arrivals)
				r.want(want)
				r.ended(nil)
				if took := time.Since(before); took >= 30*time.Minute {
					t.Errorf("the end took %v: the drain time was waited for", took)
				}
			})
		})
	}
}

// The number of long-lived requests has a bound of its own; what is cancelled makes
// room at once.
func TestMaxLongLived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dial(t, listens(nil), longLived(jsonrpc.Options{MaxLongLived: 2}))
		r.send(ask("1", "listen", "{}"), ask("2", "listen", "{}"), ask("3", "listen", "{}"))
		r.want(refusal("3", jsonrpc.InternalError, "Too many long-lived requests: at most 2, cancel one first"))
		r.send(cancelled("1"))
		synctest.Wait()
		r.send(ask("3", "listen", "{}"))
		r.quiet()
		r.send(ask("2", "listen", "{}"))
		r.want(refused("2", jsonrpc.InvalidRequest))
		close(r.in.arrivals)
		r.wantAnyOrder(answer("2", "{}"), answer("3", "{}"))
		r.ended(nil)
	})
	synctest.Test(t, func(t *testing.T) {
		r := dial(t, listens(nil), longLived(jsonrpc.Options{}))
		for i := range 129 {
			r.send(ask(fmt.Sprint(i), "listen", "{}"))
		}
		r.want(refused("128", jsonrpc.InternalError))
		close(r.in.arrivals)
		for range 128 {
			r.want(`{"jsonrpc":"2.0","id":…`)
		}
		r.ended(nil)
	})
}

// However the connection ends, a long-lived request is told, and answered.
func TestEnding(t *testing.T) {
	fault := errors.New("the device is gone")
	tests := []struct {
		name string
		end  func(r *rig)
		want error
	}{
		{"end of input", func(r *rig) { close(r.in.arrivals) }, nil},
		{"Serve's context", func(r *rig) { r.cancel() }, nil},
		{"a read that fails", func(r *rig) { r.in.arrivals <- []event{{err: fault}} }, fault},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := dial(t, listens(nil), longLived(jsonrpc.Options{Drain: time.Hour}))
				r.send(ask("1", "listen", "{}"))
				synctest.Wait()
				tt.end(r)
				r.want(answer("1", "{}"))
				r.ended(tt.want)
			})
		})
	}
}

// What long-lived requests keep of the peer's text has a bound, which one alone may
// exceed, and room comes back with each that ends.
func TestLongLivedText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dial(t, listens(nil), longLived(jsonrpc.Options{}))
		long := func(id string, mib int) string { return ask(id, "listen", `{"x":"`+strings.Repeat("x", mib<<20)+`"}`) }
		r.send(long("1", 17), ask("2", "listen", "{}"))
		r.want(refusal("2", jsonrpc.InternalError, "Too much text in long-lived requests: at most 16777216 bytes, cancel one first"))
		r.send(cancelled("1"))
		synctest.Wait()
		r.send(long("1", 9), long("2", 9), long("3", 6))
		r.want(refused("2", jsonrpc.InternalError))
		r.send(cancelled("1"), cancelled("3"))
		synctest.Wait()
		r.send(long("2", 9))
		r.quiet()
		r.send(cancelled("2"))
		r.finish(nil)
	})
}

// A long-lived request whose handler does not listen to the end is cancelled at the
// end of the drain time like any other, and counted in the error.
func TestLongLivedThatStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := listens(nil)
		s.requests["listen"] = hold(nil)
		r := dial(t, s, longLived(jsonrpc.Options{Drain: time.Second}))
		r.send(ask("1", "listen", "{}"))
		synctest.Wait()
		close(r.in.arrivals)
		r.want(refused("1", jsonrpc.InternalError))
		select {
		case err := <-r.served:
			if want := "jsonrpc: not everything was answered at the end of the drain time (1 in flight)"; err.Error() != want {
				t.Errorf("Serve returned %q, want %q", err, want)
			}
			r.served <- err
		case <-time.After(time.Minute):
			t.Error("Serve did not return")
		}
		r.ended(jsonrpc.ErrDrain)
	})
}

// What waits for room behind a peer that does not read is dropped when the request
// is cancelled meanwhile: a cancelled request is told nothing more.
func TestCancelWhileNotifyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		say := make(chan string)
		r := newRig(t, listens(say), longLived(jsonrpc.Options{MaxWaiting: 1}))
		r.out.gate = make(chan struct{})
		r.start()
		r.send(ask("1", "listen", "{}"))
		go r.conn.Notify("first", nil) // is in the Write that the peer holds up
		synctest.Wait()
		go r.conn.Notify("second", nil) // waits, and fills all the room there is
		synctest.Wait()
		say <- "third" // so this one waits for room
		synctest.Wait()
		r.send(cancelled("1"))
		synctest.Wait()
		close(r.out.gate)
		r.want(tell("first", ""), tell("second", ""))
		r.quiet()
		r.finish(nil)
	})
}

// Post never writes itself and has one message waiting at the most: its caller is held
// for as long as the peer does not read, and is free when the connection ends.
func TestPost(t *testing.T) {
	for _, end := range []string{"the peer reads", "the connection ends"} {
		t.Run(end, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, &script{}, &jsonrpc.Options{Drain: time.Second})
				r.out.gate = make(chan struct{})
				r.start()
				results := make(chan error, 2)
				for range 2 {
					go func() { results <- r.conn.Post("n", nil) }()
				}
				synctest.Wait()
				if len(results) > 0 {
					t.Fatalf("Post returned %v although the peer does not read", <-results)
				}
				var want, served error
				if end == "the peer reads" {
					close(r.out.gate)
					r.want(tell("n", ""), tell("n", ""))
				} else {
					want, served = jsonrpc.ErrClosed, jsonrpc.ErrDrain
				}
				close(r.in.arrivals)
				for range 2 {
					if err := <-results; !errors.Is(err, want) {
						t.Errorf("Post returned %v, want %v", err, want)
					}
				}
				if err := <-r.served; !errors.Is(err, served) {
					t.Errorf("Serve returned %v, want %v", err, served)
				}
				if err := r.conn.Post("n", nil); !errors.Is(err, jsonrpc.ErrClosed) {
					t.Errorf("Post after the end returned %v, want %v", err, jsonrpc.ErrClosed)
				}
				if end != "the peer reads" {
					close(r.out.gate)
				}
				r.cancel()
			})
		})
	}
}

// Many long-lived requests behind a peer that does not read have one message waiting
// each, and all of them leave in the end.
func TestLongLivedBehindAPeerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		say := make(chan string)
		r := newRig(t, listens(say), longLived(jsonrpc.Options{}))
		r.out.gate = make(chan struct{})
		r.start()
		for i := range 10 {
			r.send(ask(fmt.Sprint(i), "listen", "{}"))
		}
		taken := 0
		for range 20 {
			synctest.Wait()
			select {
			case say <- "word":
				taken++
			default: // all of them wait
			}
		}
		if taken != 10 {
			t.Errorf("10 requests took %d messages, want one each", taken)
		}
		close(r.out.gate)
		for range 10 {
			r.want(tell("word", ""))
		}
		close(r.in.arrivals)
		for range 10 {
			r.want(`{"jsonrpc":"2.0","id":…`)
		}
		r.ended(nil)
	})
}
