package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
)

// strait is a way to a peer that takes so many bytes and no more until it is given room.
type strait struct {
	mu     sync.Mutex
	news   *sync.Cond
	room   int
	taken  strings.Builder
	closed error // of a Write from then on
}

func newStrait(room int) *strait {
	s := &strait{room: room}
	s.news = sync.NewCond(&s.mu)
	return s
}

// Write waits until all is taken.
func (s *strait) Write(b []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n < len(b) {
		for s.room == 0 && s.closed == nil {
			s.news.Wait()
		}
		if s.closed != nil {
			return n, s.closed
		}
		n += s.takeLocked(b[n:])
	}
	return n, nil
}

func (s *strait) takeLocked(b []byte) int {
	n := min(s.room, len(b))
	s.taken.Write(b[:n])
	s.room -= n
	return n
}

// widen gives room for so many bytes more.
func (s *strait) widen(room int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room += room
	s.news.Broadcast()
}

// close makes writes fail.
func (s *strait) close(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = err
	s.news.Broadcast()
}

func (s *strait) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken.String()
}

// tryStrait can be written to without waiting, too.
type tryStrait struct{ *strait }

func (s tryStrait) TryWrite(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != nil {
		return 0, s.closed
	}
	return s.takeLocked(b), nil
}

// visit runs f with the connection of a client, over a way of each kind and of this
// width, and then ends it.
func visit(t *testing.T, room int, h jsonrpc.Handler, o jsonrpc.Options, f func(r *rig, out *strait)) {
	for _, kind := range []string{"waiting writer", "trying writer"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := newStrait(room)
				r := &rig{T: t, in: newFeed(), out: newRecorder(), served: make(chan error, 1)}
				o.Client = true
				hungUp := 0
				o.HangUp = func() { hungUp++; out.close(errors.New("hung up")) }
				o.Abandoned = func(id jsonrpc.ID) (string, []byte) {
					return "notifications/cancelled", fmt.Appendf(nil, `{"requestId":%s}`, id)
				}
				if h == nil {
					h = &script{}
				}
				if r.conn = jsonrpc.NewConn(r.in, out, h, &o); kind == "trying writer" {
					r.conn = jsonrpc.NewConn(r.in, tryStrait{out}, h, &o)
				}
				r.start()
				f(r, out)
				r.cancel()
				select {
				case <-r.served:
				case <-time.After(time.Minute):
					t.Error("Serve did not return for a minute")
				}
				if hungUp != 1 {
					t.Errorf("HangUp was called %d times, want once", hungUp)
				}
			})
		})
	}
}

const wide = 1 << 30

// asked is what came of an Ask.
type asked struct {
	result string
	err    error
	took   time.Duration
}

// asks calls Ask on a goroutine of its own.
func (r *rig) asks(ctx context.Context, params string, quiet bool) <-chan asked {
	came := make(chan asked, 1)
	go func() {
		began := time.Now()
		var write jsonrpc.Params // none for ""
		if params != "" {
			write = func(dst []byte, _ jsonrpc.ID) []byte { return append(dst, params...) }
		}
		result, err := r.conn.Ask(ctx, "get", write, quiet)
		came <- asked{string(result), err, time.Since(began)}
	}()
	synctest.Wait()
	return came
}

// within returns what comes within a minute.
func within[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(time.Minute):
		t.Error("nothing came for a minute")
	}
	return v
}

// Whatever a server sends beside the answer, the answer is found and nothing is sent back
// for what cannot be read: two peers must not send errors to and fro (B35, B185, B206).
func TestAskAmongOtherMessages(t *testing.T) {
	good := answer("1", `{"n":1}`)
	tests := []struct {
		name   string
		in     []string
		result string
		sent   string // behind the request
	}{
		{"answer", []string{good}, `{"n":1}`, ""},
		{"B35 malformed line", []string{`{bad json`, good}, `{"n":1}`, ""},
		{"B35 no object", []string{`7`, `"x"`, `null`, good}, `{"n":1}`, ""},
		{"B35 two on a line", []string{answer("7", "{}") + good, good}, `{"n":1}`, ""},
		{"B35 empty batch", []string{`[]`, `[1`, good}, `{"n":1}`, ""},
		{"B35 batch with garbage", []string{`[7,` + good + `]`}, `{"n":1}`, ""},
		{"B35 error with id null", []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`, good}, `{"n":1}`, ""},
		{"B35 error without id", []string{`{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`, good}, `{"n":1}`, ""},
		{"B35 request with id null", []string{ask("null", "ping", ""), good}, `{"n":1}`, ""},
		{"B35 neither method nor result", []string{`{"jsonrpc":"2.0","id":9}`, good}, `{"n":1}`, ""},
		{"request with bad params", []string{ask("9", "ping", "7"), good}, `{"n":1}`, refused("9", jsonrpc.InvalidParams)},
		{"B185 id never used", []string{answer("77", "{}"), answer(`"1"`, "{}"), answer("0", "{}"), good}, `{"n":1}`, ""},
		{"B185 answered twice", []string{good, good, answer("1", `{"n":2}`)}, `{"n":1}`, ""},
		{"B206 unknown notification", []string{tell("window/logMessage", `{"x":1}`), tell("notifications/unknown", ""), good}, `{"n":1}`, ""},
		{"notification with bad params", []string{tell("notifications/x", "7"), good}, `{"n":1}`, ""},
		{"request", []string{ask("1", "ping", ""), good}, `{"n":1}`, answer("1", "{}")},
		{"unknown request", []string{ask("1", "x", ""), good}, `{"n":1}`, refused("1", jsonrpc.MethodNotFound)},
		{"batch of answers", []string{`[` + answer("5", "{}") + `,` + good + `]`}, `{"n":1}`, ""},
		{"null for a result", []string{answer("1", "null")}, `null`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			visit(t, wide, nil, jsonrpc.Options{}, func(r *rig, out *strait) {
				came := r.asks(r.Context(), `{"a":1}`, false)
				for _, line := range tt.in {
					r.send(line)
				}
				if got := within(r.T, came); got.result != tt.result || got.err != nil {
					r.Errorf("Ask = %s, %v, want %s", got.result, got.err, tt.result)
				}
				synctest.Wait()
				request := ask("1", "get", `{"a":1}`) + "\n"
				sent, _ := strings.CutPrefix(out.text(), request)
				if sent = strings.TrimSuffix(sent, "\n"); !matches(sent, tt.sent) {
					r.Errorf("sent %q, want %q behind the request", out.text(), tt.sent)
				}
				again := r.asks(r.Context(), "{}", false)
				r.send(answer("2", "2"))
				if got := within(r.T, again); got.result != "2" || got.err != nil {
					r.Errorf("the next Ask = %s, %v, want 2", got.result, got.err)
				}
			})
		})
	}
}

// A response that is an error, or none, is an error of the call.
func TestAskInto(t *testing.T) {
	visit(t, wide, nil, jsonrpc.Options{}, func(r *rig, _ *strait) {
		room := make([]byte, 3, 8)
		copy(room, "old")
		for i, tt := range []struct {
			result string
			inRoom bool // there is enough of it
		}{{"1", true}, {`"abcd"`, true}, {"22", true}, {`"longer than there is room"`, false}, {`"now there is enough"`, true}} {
			before := &room[:1][0]
			came := make(chan asked, 1)
			go func() {
				result, err := r.conn.AskInto(r.Context(), &room, "get", nil, false)
				came <- asked{result: string(result), err: err}
			}()
			synctest.Wait()
			r.send(answer(fmt.Sprint(i+1), tt.result))
			got := within(r.T, came)
			if got.err != nil || got.result != tt.result || string(room) != tt.result {
				r.Errorf("AskInto = %s, %v, and the room holds %s; want %s", got.result, got.err, room, tt.result)
			}
			if inRoom := &room[0] == before; inRoom != tt.inRoom {
				r.Errorf("%s is in the room: %v, want %v", tt.result, inRoom, tt.inRoom)
			}
		}
		plain := r.asks(r.Context(), "{}", false) // has nothing of the room
		r.send(answer("6", `"x"`))
		if got := within(r.T, plain); got.result != `"x"` || string(room) != `"now there is enough"` {
			r.Errorf("Ask = %s, and the room of the call before holds %s", got.result, room)
		}
	})
}

func TestAskFails(t *testing.T) {
	tests := []struct {
		name, in string
		code     jsonrpc.Code // 0 where the peer has sent no error
	}{
		{"error", refusal("1", -32001, "no"), -32001},
		{"both", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`, 0},
		{"no error object", `{"jsonrpc":"2.0","id":1,"error":"no"}`, 0},
		{"no jsonrpc", `{"id":1,"result":{}}`, 0},
		{"cut short", `{"jsonrpc":"2.0","id":1,"result":{`, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			visit(t, wide, nil, jsonrpc.Options{}, func(r *rig, _ *strait) {
				came := r.asks(r.Context(), "{}", false)
				r.send(tt.in)
				got := within(r.T, came)
				var told *jsonrpc.Error
				var broken *jsonrpc.BrokenResponse
				if sent := errors.As(got.err, &told); sent != (tt.code != 0) || sent && told.Code != tt.code || errors.As(got.err, &broken) == sent {
					r.Errorf("Ask = %s, %v (%T), want an error with the code %d, or for 0 none of the peer's", got.result, got.err, got.err, tt.code)
				}
			})
		})
	}
}

// A request of this side that comes back word for word is not answered. One that is quiet fails when nothing
// else comes for 5 seconds, others wait on. What is only like it is the peer's own.
func TestAskEchoed(t *testing.T) {
	tests := []struct {
		name, params, in string
		quiet, echoed    bool
	}{
		{"word for word", `{"a":1}`, ask("1", "get", `{"a":1}`), true, true},
		{"of a request that is not quiet", `{"a":1}`, ask("1", "get", `{"a":1}`), false, true},
		{"other params", `{"a":1}`, ask("1", "get", `{"a":2}`), true, false},
		{"another method", `{"a":1}`, ask("1", "got", `{"a":1}`), true, false},
		{"another id", `{"a":1}`, ask("2", "get", `{"a":1}`), true, false},
		{"no params, as those of a ping", "", ask("1", "get", ""), true, false},
	}
	for _, tt := range tests {
		for _, after := range []time.Duration{4 * time.Second, 6 * time.Second} {
			t.Run(fmt.Sprint(tt.name, ", answered after ", after), func(t *testing.T) {
				visit(t, wide, nil, jsonrpc.Options{}, func(r *rig, out *strait) {
					came := r.asks(r.Context(), tt.params, tt.quiet)
					asked := out.text()
					r.send(tt.in)
					<-time.After(after)
					if said := out.text() != asked; said == tt.echoed {
						r.Errorf("sent %q, want more than the request: %v", out.text(), !tt.echoed)
					}
					r.send(answer("1", `"x"`))
					got := within(r.T, came)
					if fails := tt.quiet && tt.echoed && after > 5*time.Second; fails && got.err != jsonrpc.ErrEchoed || !fails && (got.err != nil || got.result != `"x"`) {
						r.Errorf("Ask = %s, %v, want ErrEchoed: %v", got.result, got.err, fails)
					}
				})
			})
		}
	}
}

// A call whose context ends returns at once although the peer does not read, wherever its
// line was cut off, and when the peer reads again every line is whole (B190).
func TestAskGivenUp(t *testing.T) {
	request := ask("1", "get", `{"text":"0123456789"}`) + "\n"
	told := cancelled("1") + "\n"
	for _, quiet := range []bool{false, true} {
		for room := 0; room <= len(request)+1; room += 7 {
			t.Run(fmt.Sprintf("room %d, quiet %v", room, quiet), func(t *testing.T) {
				visit(t, room, nil, jsonrpc.Options{}, func(r *rig, out *strait) {
					ctx, cancel := context.WithCancel(r.Context())
					came := r.asks(ctx, `{"text":"0123456789"}`, quiet)
					cancel()
					if got := within(r.T, came); got.err != context.Canceled || got.took != 0 {
						r.Errorf("Ask returned %v after %v, want that of the context at once", got.err, got.took)
					}
					out.widen(wide)
					synctest.Wait()
					want := request + told
					if quiet {
						want = request
					}
					if got := out.text(); got != want {
						r.Errorf("sent %q\nwant %q", got, want)
					}
					next := r.asks(r.Context(), "{}", false)
					r.send(answer("1", `"late"`), answer("2", `"next"`))
					if got := within(r.T, next); got.result != `"next"` {
						r.Errorf("the next call has %s, %v", got.result, got.err)
					}
				})
			})
		}
	}
}

// What waits for a peer that does not read is bounded, and a call for which there is no
// room sends nothing.
func TestAskWithoutRoom(t *testing.T) {
	text := `{"text":"` + strings.Repeat("x", 1000) + `"}`
	visit(t, 500, nil, jsonrpc.Options{MaxWaiting: 10_000}, func(r *rig, out *strait) {
		for range 100 {
			ctx, cancel := context.WithTimeout(r.Context(), time.Millisecond)
			if got := within(r.T, r.asks(ctx, text, false)); got.err != context.DeadlineExceeded {
				r.Errorf("Ask returned %v, want that of the context", got.err)
			}
			cancel()
		}
		ctx, cancel := context.WithTimeout(r.Context(), time.Millisecond)
		defer cancel()
		if err := r.conn.Tell(ctx, "x", nil); err != context.DeadlineExceeded {
			r.Errorf("Tell returned %v, want that of the context", err)
		}
		waits := r.asks(r.Context(), `{"last":true}`, false)
		out.widen(wide)
		synctest.Wait()
		lines := strings.Split(strings.TrimSuffix(out.text(), "\n"), "\n")
		if len(lines) < 10 || len(lines) > 30 {
			r.Errorf("%d lines were sent, want those for which there was room", len(lines))
		}
		open := map[string]bool{}
		for i, line := range lines {
			id, isAsk := strings.CutPrefix(line, `{"jsonrpc":"2.0","id":`)
			id, _, _ = strings.Cut(id, ",")
			switch {
			case i == len(lines)-1 && !strings.HasSuffix(line, `"params":{"last":true}}`):
				r.Errorf("the last line is %.100s", line)
			case isAsk:
				open[id] = true
			default:
				id = strings.TrimSuffix(strings.TrimPrefix(line, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), "}}")
				if !open[id] {
					r.Errorf("cancelled without a request: %.100s", line)
				}
				delete(open, id)
			}
		}
		if len(open) != 1 {
			r.Errorf("%d requests were not taken back, want the last alone", len(open))
		}
		// Of those that sent nothing, nothing is kept either: the last call is the only one.
		r.in.arrivals <- []event{{err: &jsonrpc.Unframed{
			Told: jsonrpc.Errorf(jsonrpc.InvalidRequest, "too long"), Begin: []byte(`{"result":`)}}}
		if got := within(r.T, waits); got.err == nil {
			r.Errorf("the last call has %s, want that its answer is too long", got.result)
		}
	})
}

// An answer that comes as its context ends is that of its own call or of none.
func TestAskAnsweredAsItEnds(t *testing.T) {
	visit(t, wide, nil, jsonrpc.Options{}, func(r *rig, _ *strait) {
		given, gaveUp := 0, 0
		for i := 1; i <= 2000; i++ {
			ctx, cancel := context.WithCancel(r.Context())
			came := r.asks(ctx, "{}", true)
			n := strconv.Itoa(i)
			go cancel()
			r.send(answer(n, n))
			switch got := within(r.T, came); {
			case got.result == n && got.err == nil:
				given++
			case got.result == "" && got.err == context.Canceled:
				gaveUp++
			default:
				r.Fatalf("call %d: %s, %v", i, got.result, got.err)
			}
		}
		r.Logf("%d were answered, %d given up", given, gaveUp)
	})
}
