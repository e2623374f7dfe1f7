package jsonrpc

import (
	"context"
	"sync"
	"time"
)

// RequestContext is the context of one request. It does what one of
// [context.WithCancel] does, but a request whose handler never asks whether it is
// done, as most quick ones never do, costs one allocation and does not register
// with its parent. All methods may be called from several goroutines at once.
type RequestContext struct {
	parent context.Context

	mu   sync.Mutex
	err  error         // set once, by the first cancel
	done chan struct{} // made when it is first asked for
	stop func() bool   // gives up the wait for the parent
}

// NewRequestContext makes a context that ends with parent, or by [RequestContext.Cancel].
// It must be ended by the latter: until then it may be known to parent.
func NewRequestContext(parent context.Context) *RequestContext {
	return &RequestContext{parent: parent}
}

// Under makes a zero x such a context, for one that stands inside of something larger.
func (x *RequestContext) Under(parent context.Context) { x.parent = parent }

// Cancel ends the context with err, once; later calls do nothing.
func (x *RequestContext) Cancel(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err != nil {
		return
	}
	x.err = err
	if x.done != nil {
		close(x.done)
		x.stop()
	}
}

// Done implements [context.Context].
func (x *RequestContext) Done() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.done == nil {
		x.done = make(chan struct{})
		if x.err != nil {
			close(x.done)
		} else {
			x.stop = context.AfterFunc(x.parent, func() { x.Cancel(x.parent.Err()) })
		}
	}
	return x.done
}

// Err implements [context.Context].
func (x *RequestContext) Err() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil && x.parent.Err() != nil {
		x.err = x.parent.Err()
		if x.done != nil {
			close(x.done)
		}
	}
	return x.err
}

// Deadline implements [context.Context]: it is that of the parent.
func (x *RequestContext) Deadline() (time.Time, bool) { return x.parent.Deadline() }

// Value implements [context.Context].
func (x *RequestContext) Value(key any) any { return x.parent.Value(key) }
