package httpmcp

import (
	"context"
	"sync"

	"isthmus.internal/mcp"
)

// life is the time of a link. Over HTTP nothing but Close ends a link, but for one over the transport of
// 2024-11-05: there is no connection whose end would tell that the server has gone. What is under
// way ends with it.
type life struct {
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu   sync.Mutex
	over bool           // no goroutine is begun any more
	runs sync.WaitGroup // the goroutines of the link
}

func newLife() *life {
	l := &life{}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// Done implements [mcp.Link].
func (l *life) Done() <-chan struct{} { return l.ctx.Done() }

// Err implements [mcp.Link].
func (l *life) Err() error {
	return context.Cause(l.ctx)
}

// fail ends all that is under way, for a reason that matches [mcp.ErrLinkClosed]. It does not wait.
func (l *life) fail(reason error) { l.cancel(reason) }

// whyNot is why nothing can be sent or waited for: the error of ctx, or that the link has ended. It is nil
// while neither has.
func (l *life) whyNot(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return l.Err()
}

// run runs f on a goroutine that the end of the link waits for; f ends soon after l.ctx. It is
// false when the link has ended.
func (l *life) run(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return false
	}
	l.runs.Go(f)
	return true
}

// end ends all that is under way and waits for the goroutines of the link, but not for
// calls: it may be one of these that ends the link. It reports whether it was the first to do so.
func (l *life) end() (first bool) {
	l.mu.Lock()
	first, l.over = !l.over, true
	l.mu.Unlock()
	l.cancel(mcp.ErrLinkClosed)
	l.runs.Wait()
	return first
}

// finish waits for the goroutines of the link, which end by themselves, and ends it. No further ones begin.
func (l *life) finish() {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.runs.Wait()
	l.end()
}
