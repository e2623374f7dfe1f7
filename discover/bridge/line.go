package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/mcp"
)

// line is a connection to the server, which is opened when it is needed and again when it has
// ended.
type line struct {
	bridge  *Bridge
	who     *caller         // for whom it is; nil for everybody
	several bool            // clients have it at once that are not known to be the same one
	spoiled atomic.Bool     // a call of one of them was given up on the connection: the server may go on with it
	muted   atomic.Bool     // and log about it
	level   chan struct{}   // holds one while the level of log messages is set
	ctx     context.Context // of the line
	stop    context.CancelFunc
	feed    *feed
	notices queue // of clients, for the server

	mu      sync.Mutex
	closed  bool
	client  *mcp.Client   // nil when there is none
	opening chan struct{} // closed when an attempt is over; nil when there is none
	err     error         // of the last attempt
	retries retries
	calls   []*call                  // under way, the oldest first
	flushes map[string]chan struct{} // that wait, by their number
	flushed int                      // the number of the last one
}

func newLine(b *Bridge, who *caller) *line {
	l := &line{bridge: b, who: who, level: make(chan struct{}, 1), flushes: make(map[string]chan struct{})}
	l.ctx, l.stop = context.WithCancel(b.ctx)
	l.feed, l.notices.bridge = newFeed(l), b
	return l
}

// connectOptions are for the next connection.
func (l *line) connectOptions() *discover.ConnectOptions {
	o := l.bridge.opts
	return &discover.ConnectOptions{Client: l.clientOptions(), Era: o.era(), Version: o.version(), Known: l.bridge.verdict}
}

// adopt takes a client that is connected.
func (l *line) adopt(c *mcp.Client) {
	l.client = c
	l.retries.over()
}

var errBridgeClosed = errors.New("bridge: it is closed")

// get is the client that is connected, which may have to be waited for.
func (l *line) get(ctx context.Context) (*mcp.Client, error) {
	for range mostAttempts {
		c, over, err := l.look()
		if c != nil || err != nil {
			return c, err
		}
		select {
		case <-over:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		l.mu.Lock()
		err = l.err
		l.mu.Unlock()
		if err != nil {
			return nil, err
		}
	}
	return nil, &unreachable{errors.New("each connection to the server ends at once")}
}

// mostAttempts is how many connections a request waits for: the first one may have ended before
// the request had a chance to use it.
const mostAttempts = 3

// look is the client that is connected, or else what is closed when the attempt to connect one
// is over.
func (l *line) look() (c *mcp.Client, over <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, errBridgeClosed
	}
	if l.client != nil && l.client.Err() == nil {
		return l.client, nil, nil
	}
	if l.opening == nil {
		next := make(chan struct{})
		if !l.bridge.run(func() { l.open(next) }) {
			return nil, nil, errBridgeClosed
		}
		l.opening, l.err = next, nil
	}
	return nil, l.opening, nil
}

// mostPause bounds the pause before a connection is opened again.
const mostPause = 10 * time.Second

// open makes one attempt to connect.
func (l *line) open(over chan struct{}) {
	l.mu.Lock()
	pause, before := l.retries.pause(mostPause), l.client
	l.client = nil
	l.mu.Unlock()
	if before != nil {
		if err := before.Close(); err != nil {
			l.bridge.log.Debug("a connection to the server has ended badly", "error", err)
		}
	}
	client, err := l.connect(pause)
	l.mu.Lock()
	if l.closed && client != nil {
		l.mu.Unlock()
		_ = client.Close()
		l.mu.Lock()
		client, err = nil, errBridgeClosed
	}
	l.client, l.err, l.opening = client, err, nil
	l.spoiled.Store(false)
	l.muted.Store(false)
	l.retries.over()
	l.mu.Unlock()
	close(over)
	if client != nil {
		l.feed.wake()
	}
}

// connect waits for the pause, and connects.
func (l *line) connect(pause time.Duration) (*mcp.Client, error) {
	b := l.bridge
	if pause > 0 {
		b.log.Info("the server is connected to again after a pause", "pause", pause)
		timer := time.NewTimer(pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-l.ctx.Done():
			return nil, errBridgeClosed
		}
	}
	client, verdict, err := discover.Connect(l.ctx, b.dial(), l.connectOptions())
	switch {
	case l.ctx.Err() != nil && err != nil:
		return nil, errBridgeClosed
	case err != nil:
		b.log.Error("there is no connection to the server", "error", err)
		return nil, &unreachable{err}
	case verdict.Era != b.verdict.Era:
		_ = client.Close()
		err := fmt.Errorf("the server now speaks the %s era: start the bridge again", verdict.Era)
		b.log.Error("the connection to the server is not used", "error", err)
		return nil, &unreachable{err}
	}
	return client, nil
}

// unreachable is the error of requests that there is no connection for.
type unreachable struct{ error }

// close ends the line for good, and its connection. An attempt to connect may go on for a moment;
// settle waits for that.
func (l *line) close() error {
	l.stop()
	l.mu.Lock()
	l.closed = true
	client := l.client
	l.client = nil
	l.mu.Unlock()
	if client == nil {
		return nil
	}
	return client.Close()
}

// settle waits until no attempt to connect the line, which is closed, is under way.
func (l *line) settle() {
	l.mu.Lock()
	over := l.opening
	l.mu.Unlock()
	if over != nil {
		<-over
	}
}

// begin notes a call that is under way.
func (l *line) begin(c *call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, c)
}

// end takes a call away that begin has noted.
func (l *line) end(c *call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = slices.DeleteFunc(l.calls, func(other *call) bool { return other == c })
}

// leave notes that a call was given up before the server has answered it, where another client has the
// line, too, or may have it next. A modern server logs about no call that has not asked for that.
func (l *line) leave(c *call) {
	if !l.several {
		return
	}
	l.spoiled.Store(true)
	if !l.bridge.modern() || c.level != 0 {
		l.muted.Store(true)
	}
}

// saying is what a server says without a name of the request that it is about.
type saying uint8

const (
	aQuestion saying = iota
	aLog
	aNotice
)

// newest is the call to which belongs what names none. It is nil where there is no such call, or
// where what is said may be about another client's, or about one that was given up.
func (l *line) newest(what saying) *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.several && what != aQuestion && len(l.calls) != 1 {
		return nil
	}
	if what == aLog && l.muted.Load() || what == aNotice && l.spoiled.Load() {
		return nil
	}
	for _, c := range slices.Backward(l.calls) {
		if what != aQuestion || c.mayAsk && !c.isOver() {
			return c
		}
	}
	return nil
}
