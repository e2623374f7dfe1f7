package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// limit bounds the time of one request: each sign of the server gives it more, up to a
// maximum (2026-07-28 basic/patterns/cancellation, Timeouts), and so does each answer to what
// the server has asked. Its zero value bounds nothing.
type limit struct {
	method     string
	each, most time.Duration // without a sign of the server, and altogether; 0 for no bound
	start      time.Time
	client     *Client
	cancel     context.CancelFunc // nil when the time is not bounded
	alarm      *alarm

	mu    sync.Mutex
	ended bool
	over  *overTime // the bound that was reached
}

// alarm is a timer that is used for one request after the other. Most requests are answered
// long before their time is over, so it is left to run: when it goes off it looks whose time
// it is by then, and how much of that is left.
type alarm struct {
	timer *time.Timer

	mu    sync.Mutex
	of    *limit    // nil when it is not in use
	until time.Time // when the time of that limit is over
	goes  time.Time // when the timer goes off; zero when it does not run
}

// alarms are those that are not in use.
type alarms struct{ free sync.Pool }

// set has l expire at some time, which is after from now on.
func (a *alarms) set(l *limit, now time.Time, after time.Duration) *alarm {
	one, _ := a.free.Get().(*alarm)
	if one == nil {
		one = &alarm{}
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	one.of = l
	one.setLocked(now, after)
	return one
}

// setLocked has the timer go off by then, if it would not.
func (one *alarm) setLocked(now time.Time, after time.Duration) {
	one.until = now.Add(after)
	switch {
	case one.timer == nil:
		one.timer = time.AfterFunc(after, one.ring)
	case one.goes.IsZero() || one.until.Before(one.goes):
		one.timer.Reset(after)
	default:
		return
	}
	one.goes = one.until
}

// again gives the limit it is of another time.
func (one *alarm) again(now time.Time, after time.Duration) {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.setLocked(now, after)
}

// ring is called when the timer goes off.
func (one *alarm) ring() {
	if l := one.due(); l != nil {
		l.expire()
	}
}

// due is the limit whose time is over; nil where there is none, or it has some left.
func (one *alarm) due() *limit {
	one.mu.Lock()
	defer one.mu.Unlock()
	now := time.Now()
	if one.goes.After(now) {
		return nil // it was set again while it went off
	}
	one.goes = time.Time{}
	if one.of == nil {
		return nil
	}
	if left := one.until.Sub(now); left > 0 {
		one.setLocked(now, left)
		return nil
	}
	return one.of
}

// put takes an alarm back.
func (a *alarms) put(one *alarm) {
	one.mu.Lock()
	one.of = nil
	one.mu.Unlock()
	a.free.Put(one)
}

// overTime is the error of a request that got no answer in time. It matches
// [context.DeadlineExceeded].
type overTime struct {
	method string
	after  time.Duration
	most   bool // it was the bound of all its time
}

func (e *overTime) Error() string {
	if e.most {
		return fmt.Sprintf("mcp: %s was not answered within %v, the longest that it may take (MaxTimeout)", e.method, e.after)
	}
	return fmt.Sprintf("mcp: %s: nothing came for %v (Timeout)", e.method, e.after)
}

// Unwrap has it match, though no context had a deadline.
func (e *overTime) Unwrap() error { return context.DeadlineExceeded }

// limit makes the context of a request whose time is bounded by the client's options.
func (c *Client) limit(ctx context.Context, method string) (context.Context, *limit) {
	l := &limit{}
	return c.begin(ctx, l, method, nil), l
}

// begin makes the context of a request whose time is bounded as the options say.
func (c *Client) begin(ctx context.Context, l *limit, method string, o *CallOptions) context.Context {
	l.method, l.each, l.most = method, o.timeout(&c.opts), o.maxTimeout(&c.opts)
	if l.each == 0 && l.most == 0 {
		return ctx
	}
	l.start, l.client = time.Now(), c
	ctx, l.cancel = context.WithCancel(ctx)
	l.mu.Lock() // the time may be over at once
	l.alarm = c.alarms.set(l, l.start, l.next(l.start, 0))
	l.mu.Unlock()
	return ctx
}

// next is how long the request may go on from now, when for some time already there has been
// neither a sign of the server nor an answer to it.
func (l *limit) next(now time.Time, quiet time.Duration) time.Duration {
	each := max(0, l.each-quiet)
	if l.most == 0 {
		return each
	}
	left := max(0, l.most-now.Sub(l.start))
	if l.each == 0 {
		return left
	}
	return min(left, each)
}

// more: the server has given a sign.
func (l *limit) more() {
	if l.cancel == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || l.over != nil {
		return
	}
	now := time.Now()
	l.alarm.again(now, l.next(now, 0))
}

// expire ends the request.
func (l *limit) expire() {
	quiet := l.client.asks.quiet()
	l.mu.Lock()
	if l.ended || l.over != nil {
		l.mu.Unlock()
		return
	}
	now := time.Now()
	switch {
	case l.most > 0 && now.Sub(l.start) >= l.most:
		l.over = &overTime{l.method, l.most, true}
	case quiet < l.each: // the server waits for the client, or has until now
		l.alarm.again(now, l.next(now, quiet))
		l.mu.Unlock()
		return
	default:
		l.over = &overTime{l.method, l.each, false}
	}
	l.mu.Unlock()
	l.cancel()
}

// end is called with the error of the request when it has returned. It gives up what the
// bound needs, and tells which bound it was that has ended the request.
func (l *limit) end(err error) error {
	if l.cancel == nil {
		return err
	}
	l.mu.Lock()
	l.ended = true
	over := l.over
	l.mu.Unlock()
	l.client.alarms.put(l.alarm)
	l.cancel()
	if over != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return over
	}
	return err
}
