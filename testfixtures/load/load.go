// Package load puts a checked load on a server and tells what that has taken: every answer is held against
// the first one, and latencies go into a [Histogram]. What the processes have used is told by [Self] and [Group],
// where the system tells it. It is the engine of mcp bench.
package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"isthmus.internal/mcp"
)

// Ask sends one request and appends what matters of its answer to dst. It is called from as many
// goroutines at once as there are requests in flight, each with a dst of its own.
type Ask func(ctx context.Context, dst []byte) ([]byte, error)

// Load is one request, which is sent again and again. Its rounds run one at a time.
type Load struct {
	ask  Ask
	want []byte
	done atomic.Int64
}

// New sends the request for the first time. Every later answer must equal this one: be the same bytes,
// or the same JSON written in another way.
func New(ctx context.Context, ask Ask) (*Load, error) {
	want, err := ask(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &Load{ask: ask, want: want}, nil
}

// Want is the first answer. It must not be changed.
func (l *Load) Want() []byte { return l.want }

// Done counts the answers of all rounds so far. It may be called while one runs.
func (l *Load) Done() int64 { return l.done.Load() }

// Bounds say how a round goes and when it is over. Requests that are in flight by then are waited for
// and count.
type Bounds struct {
	InFlight int           // requests at once; less than 1 means 1
	Time     time.Duration // 0 for no bound
	Count    int           // of requests; 0 for no bound
}

// Round is what came of a round.
type Round struct {
	Requests int   // those that were answered well
	Errors   int   // those that were answered with an error, or not
	Err      error // the first of the errors
	Took     time.Duration
	Latency  Histogram // of those that were answered well
}

// Rate is how many requests a second were answered well.
func (r *Round) Rate() float64 { return float64(r.Requests) / max(r.Took, 1).Seconds() }

// WrongError is an answer that is not the one that is wanted. Both are whole.
type WrongError struct{ Got, Want []byte }

// Error has both answers.
func (e *WrongError) Error() string { return fmt.Sprintf("got the answer %s, want %s", e.Got, e.Want) }

// maxErrors is how many requests may fail before a round is given up.
const maxErrors = 1000

// Run runs a round. It ends with an error as soon as an answer is wrong ([*WrongError]), the connection
// has ended, too many requests have failed, or ctx has ended.
func (l *Load) Run(ctx context.Context, b Bounds) (*Round, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &sender{l: l, ctx: ctx, stop: cancel, left: int64(b.Count), counts: b.Count > 0, began: time.Now(), long: b.Time}
	var all sync.WaitGroup
	for range max(1, b.InFlight) {
		all.Go(s.run)
	}
	all.Wait()
	s.total.Took = time.Since(s.began)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return &s.total, nil
}

// sender is a round that runs.
type sender struct {
	l      *Load
	ctx    context.Context
	stop   context.CancelCauseFunc
	counts bool
	began  time.Time
	long   time.Duration

	mu    sync.Mutex
	left  int64 // to be sent, when that is bounded
	total Round
}

// run sends one request after the other.
func (s *sender) run() {
	var latency Histogram
	var answer []byte
	requests := 0
	for now := time.Now(); s.more(now); {
		var err error
		answer, err = s.l.ask(s.ctx, answer[:0])
		end := time.Now()
		switch {
		case err != nil:
			s.failed(err)
		case !Same(answer, s.l.want):
			s.stop(&WrongError{Got: bytes.Clone(answer), Want: s.l.want})
		default:
			latency.Add(end.Sub(now))
			requests++
			s.l.done.Add(1)
		}
		now = end
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total.Requests += requests
	s.total.Latency.Merge(&latency)
}

// more reports whether one more is to be sent.
func (s *sender) more(now time.Time) bool {
	if s.ctx.Err() != nil || s.long > 0 && now.Sub(s.began) >= s.long {
		return false
	}
	if !s.counts {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left--
	return s.left >= 0
}

// failed counts an error, and ends the round for one after which no request can go well.
func (s *sender) failed(err error) {
	if errors.Is(err, mcp.ErrLinkClosed) {
		s.stop(err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.total.Errors++; s.total.Errors == 1 {
		s.total.Err = err
	}
	if s.total.Errors > maxErrors {
		s.stop(fmt.Errorf("more than %d requests have failed, the first: %w", maxErrors, s.total.Err))
	}
}
