package discover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

const (
	// acknowledgeTime is how long a server may take to agree to a subscription.
	acknowledgeTime = 60 * time.Second
	// endTime is how long it may take to send the result after it has said that it ends one.
	endTime = time.Second
)

// listening is one subscriptions/listen that is open (2026-07-28
// basic/patterns/subscriptions). It implements [mcp.Listening].
type listening struct {
	wanted mcp.Filter
	tell   teller[mcp.Change]
	cancel context.CancelCauseFunc // of the request, by giveUp

	acknowledged chan struct{} // closed when honoured is set
	done         chan struct{} // closed when no more changes come; err is set by then
	gone         chan struct{} // closed when its goroutine has ended

	mu       sync.Mutex
	honoured *mcp.Filter
	ended    bool
	err      error
	leaving  bool // the server has said that it ends it
}

// Listen implements [mcp.Exchange].
func (x *modernClient) Listen(ctx context.Context, wanted *mcp.Filter, tell func(mcp.Change)) (mcp.Listening, error) {
	params, err := mcp.Append(nil, &mcp.ListenParams{Notifications: *wanted}, x.Form())
	if err != nil {
		return nil, err
	}
	// The context of the caller ends the subscription, whenever that is.
	open, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	l := &listening{
		wanted: *wanted, cancel: cancel, tell: teller[mcp.Change]{tell: tell},
		acknowledged: make(chan struct{}), done: make(chan struct{}), gone: make(chan struct{}),
	}
	q := x.newRequest(&mcp.ClientRequest{Method: "subscriptions/listen", Params: params})
	q.listen, q.out.Open = l, true
	stop := context.AfterFunc(ctx, l.giveUp)
	if !x.run(func() { defer stop(); l.run(open, q) }) {
		stop()
		l.giveUp()
		return nil, mcp.ErrLinkClosed
	}
	if err := l.await(ctx); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// run holds the request open until it ends.
func (l *listening) run(ctx context.Context, q *modernRequest) {
	defer close(l.gone)
	defer l.giveUp()
	result, err := q.x.send(ctx, q)
	switch kind := resultType(result); {
	case ctx.Err() != nil:
		err = nil // this side has ended it
	case err == nil && kind != complete:
		err = fmt.Errorf("discover: the server has ended the subscription with a result of the type %q, which is none of it", jsonrpc.Clip([]byte(kind)))
	}
	l.end(err)
}

// await returns nil when the server has agreed.
func (l *listening) await(ctx context.Context) error {
	t := time.NewTimer(acknowledgeTime)
	defer t.Stop()
	select {
	case <-l.acknowledged:
		return nil
	case <-l.done:
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return fmt.Errorf("discover: subscriptions/listen was not acknowledged within %v", acknowledgeTime)
	}
	select {
	case <-l.acknowledged: // and ended at once
		return nil
	default:
	}
	if err := l.Err(); err != nil {
		return err
	}
	return errors.New("discover: subscriptions/listen was ended before it was acknowledged")
}

// end notes that no more changes come. The first reason stays.
func (l *listening) end(err error) {
	l.tell.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.ended, l.err = true, err
		close(l.done)
	}
}

// Honoured implements [mcp.Listening].
func (l *listening) Honoured() mcp.Filter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.honoured == nil {
		return mcp.Filter{}
	}
	return *l.honoured
}

// Done implements [mcp.Listening].
func (l *listening) Done() <-chan struct{} { return l.done }

// Err implements [mcp.Listening].
func (l *listening) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close implements [mcp.Listening].
func (l *listening) Close() error {
	l.end(nil)
	l.giveUp()
	<-l.gone
	return nil
}

// giveUp ends the request. What the server has ended it is not told to end: a client cancels
// what it believes to go on (2026-07-28 basic/patterns/cancellation, Behavior Requirements).
func (l *listening) giveUp() {
	l.mu.Lock()
	leaving := l.leaving
	l.mu.Unlock()
	if leaving {
		l.cancel(jsonrpc.ErrPeerEnded)
		return
	}
	l.cancel(nil)
}

// subscription finds the listening whose id a notification carries: there may be several on
// one stream (2026-07-28 basic/patterns/subscriptions, Receiving Notifications).
func (x *modernClient) subscription(raw jsonrpc.Raw) *listening {
	id, ok := jsonrpc.ParseID(raw)
	if !ok {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.listening[id.Key()]
}

// subscriptionID is what _meta of a notification says of the subscription, nil for nothing.
func subscriptionID(m *jsonrpc.Message) jsonrpc.Raw {
	return m.Param("_meta").Member(mcp.MetaSubscriptionID)
}

// hearAcknowledged opens a subscription (2026-07-28 basic/patterns/subscriptions,
// Acknowledgment).
func (x *modernClient) hearAcknowledged(m *jsonrpc.Message) {
	p, err := mcp.Read[mcp.AcknowledgedParams](m.Params, "params")
	l := x.subscription(subscriptionID(m))
	switch {
	case err != nil:
		x.passOver(m, err.Error())
	case l == nil:
		x.passOver(m, "no subscription has this id")
	default:
		l.acknowledge(p.Notifications)
	}
}

func (l *listening) acknowledge(f mcp.Filter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.honoured == nil {
		l.honoured = l.wantedOf(f)
		close(l.acknowledged)
	}
}

// wantedOf is the part of what a server agrees to that was asked for. It should be all of it
// (2026-07-28 basic/patterns/subscriptions, Acknowledgment).
func (l *listening) wantedOf(f mcp.Filter) *mcp.Filter {
	f.ToolsListChanged = f.ToolsListChanged && l.wanted.ToolsListChanged
	f.PromptsListChanged = f.PromptsListChanged && l.wanted.PromptsListChanged
	f.ResourcesListChanged = f.ResourcesListChanged && l.wanted.ResourcesListChanged
	wanted := make(map[string]bool, len(l.wanted.ResourceSubscriptions))
	for _, uri := range l.wanted.ResourceSubscriptions {
		wanted[uri] = true
	}
	f.ResourceSubscriptions = slices.DeleteFunc(f.ResourceSubscriptions, func(uri string) bool { return !wanted[uri] })
	return &f
}

// hearCancelled ends a subscription: a server cancels nothing else. The result that may
// follow is awaited for a while, and then given up (2026-07-28 basic/patterns/cancellation,
// and basic/patterns/subscriptions, Graceful Closure).
func (x *modernClient) hearCancelled(m *jsonrpc.Message) {
	l := x.subscription(m.Param("requestId"))
	if l == nil {
		x.passOver(m, "no subscription has this id")
		return
	}
	reason, _ := m.Param("reason").Text()
	x.log.Debug("the server ends a subscription", "reason", jsonrpc.Clip([]byte(reason)))
	l.mu.Lock()
	l.leaving = true
	l.mu.Unlock()
	l.end(nil)
	time.AfterFunc(endTime, l.giveUp)
}

// hearChange tells the subscription that a change belongs to.
func (x *modernClient) hearChange(m *jsonrpc.Message, kind mcp.ChangeKind) {
	l := x.subscription(subscriptionID(m))
	if l == nil {
		return
	}
	change := mcp.Change{Kind: kind}
	if kind == mcp.ResourceUpdated {
		p, err := mcp.Read[mcp.ResourceUpdatedParams](m.Params, "params")
		if err != nil {
			x.passOver(m, err.Error())
			return
		}
		change.URI = p.URI
	}
	if !l.expects(kind) {
		x.passOver(m, "the subscription has not asked for it, or is not acknowledged")
		return
	}
	l.tell.say(change)
}

// expects reports whether changes of this kind may come: it was asked for, and nothing comes
// before the acknowledgement (2026-07-28 basic/patterns/subscriptions).
func (l *listening) expects(kind mcp.ChangeKind) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.honoured == nil:
		return false
	case kind == mcp.ToolsListChanged:
		return l.wanted.ToolsListChanged
	case kind == mcp.PromptsListChanged:
		return l.wanted.PromptsListChanged
	case kind == mcp.ResourcesListChanged:
		return l.wanted.ResourcesListChanged
	}
	return len(l.wanted.ResourceSubscriptions) > 0
}
