package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
)

// rig is a connection with a test at its other end. It lives in a synctest bubble.
type rig struct {
	*testing.T
	in     *feed
	out    *recorder
	conn   *jsonrpc.Conn
	cancel context.CancelFunc // of Serve's context
	served chan error
}

// newRig makes a rig that does not serve yet.
func newRig(t *testing.T, h jsonrpc.Handler, o *jsonrpc.Options) *rig {
	r := &rig{T: t, in: newFeed(), out: newRecorder(), served: make(chan error, 1)}
	r.conn = jsonrpc.NewConn(r.in, r.out, h, o)
	return r
}

// start serves.
func (r *rig) start() {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() { r.served <- r.conn.Serve(ctx) }()
}

// dial makes a rig that serves.
func dial(t *testing.T, h jsonrpc.Handler, o *jsonrpc.Options) *rig {
	r := newRig(t, h, o)
	r.start()
	return r
}

// send makes messages arrive at one moment.
func (r *rig) send(messages ...string) {
	group := make([]event, len(messages))
	for i, m := range messages {
		group[i].message = m
	}
	r.in.arrivals <- group
}

// next returns the next line that the connection writes.
func (r *rig) next() string {
	r.Helper()
	select {
	case line := <-r.out.lines:
		return line
	case <-time.After(time.Minute):
		r.Error("nothing was written for a minute")
		return ""
	}
}

// want fails unless the next lines are these, in this order. A line that ends in
// an ellipsis stands for all that begin so.
func (r *rig) want(lines ...string) {
	r.Helper()
	for _, want := range lines {
		if got := r.next(); !matches(got, want) {
			r.Errorf("got  %.300s\nwant %.300s", got, want)
		}
	}
}

func matches(got, want string) bool {
	if begin, open := strings.CutSuffix(want, "…"); open {
		return strings.HasPrefix(got, begin)
	}
	return got == want
}

// wantAnyOrder is want for lines whose order is open. It stops at the first that is
// not among them.
func (r *rig) wantAnyOrder(lines ...string) {
	r.Helper()
	left := map[string]int{}
	for _, line := range lines {
		left[line]++
	}
	for range lines {
		got := r.next()
		if left[got] > 0 {
			left[got]--
			continue
		}
		missing := []string{}
		for want, n := range left {
			if n > 0 {
				missing = append(missing, want)
			}
		}
		i := slices.IndexFunc(missing, func(want string) bool { return matches(got, want) })
		if i < 0 {
			r.Errorf("got %.300s, want one of %d lines, such as %.300s", got, len(missing), missing[0])
			return
		}
		left[missing[i]]--
	}
}

// quiet fails when anything is written within a second.
func (r *rig) quiet() {
	r.Helper()
	select {
	case line := <-r.out.lines:
		r.Errorf("got %.300s, want silence", line)
	case <-time.After(time.Second):
	}
}

// inPlace fails unless requests are answered in the reading place: only then do
// the replies to those at hand leave in one write.
func (r *rig) inPlace() {
	r.Helper()
	synctest.Wait()
	before := len(r.out.written())
	r.send(ask("7001", "ping", ""), ask("7002", "ping", ""), ask("7003", "ping", ""))
	r.want(answer("7001", "{}"), answer("7002", "{}"), answer("7003", "{}"))
	if n := len(r.out.written()) - before; n != 1 {
		r.Errorf("3 replies left in %d writes, want 1: they were not made in the reading place", n)
	}
}

// finish ends the input, and fails unless Serve returns want (see [errors.Is])
// with nothing more written.
func (r *rig) finish(want error) {
	r.Helper()
	close(r.in.arrivals)
	r.ended(want)
}

// ended fails unless Serve returns want, with nothing more written.
func (r *rig) ended(want error) {
	r.Helper()
	select {
	case err := <-r.served:
		if !errors.Is(err, want) {
			r.Errorf("Serve returned %v, want %v", err, want)
		}
	case <-time.After(time.Minute):
		r.Error("Serve did not return for a minute")
	}
	r.cancel()
	r.quiet()
	if r.in.crowd.Load() {
		r.Error("two goroutines used the source at once")
	}
	r.out.mu.Lock()
	defer r.out.mu.Unlock()
	for _, fault := range r.out.faults {
		r.Error(fault)
	}
}

// The messages of the tests. Empty params, and an empty id, are left out.

func ask(id, method, params string) string {
	s := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"`
	if params != "" {
		s += `,"params":` + params
	}
	return s + "}"
}

func tell(method, params string) string {
	s := `{"jsonrpc":"2.0","method":"` + method + `"`
	if params != "" {
		s += `,"params":` + params
	}
	return s + "}"
}

func cancelled(id string) string {
	return tell("notifications/cancelled", `{"requestId":`+id+`}`)
}

func answer(id, value string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + value + `}`
}

func refusal(id string, code jsonrpc.Code, message string) string {
	s := `{"jsonrpc":"2.0"`
	if id != "" {
		s += `,"id":` + id
	}
	return s + fmt.Sprintf(`,"error":{"code":%d,"message":"%s"}}`, code, message)
}

// refused is the beginning of [refusal], for when the words do not matter.
func refused(id string, code jsonrpc.Code) string {
	s, _, _ := strings.Cut(refusal(id, code, ""), `"message"`)
	return s + "…"
}
