package mcp

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Subscription is a request to be told of changes that the server has agreed to. All methods
// may be called from several goroutines at once.
type Subscription struct {
	ctx       context.Context
	stop      context.CancelFunc
	listening Listening
	cache     *cache
	changes   changeQueue
	closed    atomic.Bool // from this side
}

// Listen asks the server to tell of changes (2026-07-28 basic/patterns/subscriptions; in
// the legacy era, of those in the filter that its notifications and resources/subscribe can
// tell of). nil asks for the changes of all three lists. It returns when the server has
// agreed, which has to be within the Timeout of [ClientOptions]; what it has agreed to may be
// less than was wanted ([Subscription.Honoured]). The subscription lives until it is closed,
// ctx ends, or the server ends it. It is not made again by itself: what changes after its end
// is not told.
//
//	s, err := c.Listen(ctx, &mcp.Filter{ResourceSubscriptions: []string{uri}})
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//	for change := range s.All() {
//		fmt.Println(change.Kind, change.URI)
//	}
//	return s.Err()
func (c *Client) Listen(ctx context.Context, wanted *Filter) (*Subscription, error) {
	x, err := c.speaks()
	if err != nil {
		return nil, err
	}
	if wanted == nil {
		wanted = &Filter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true}
	}
	asked := *wanted
	asked.ResourceSubscriptions = slices.Clone(wanted.ResourceSubscriptions)
	s := &Subscription{cache: &c.cache, changes: newChangeQueue(&asked)}
	s.ctx, s.stop = context.WithCancel(ctx)
	if err := s.agree(x, &asked, (*CallOptions)(nil).timeout(&c.opts)); err != nil {
		s.stop()
		return nil, err
	}
	if !c.subs.enter(s) {
		return nil, errors.Join(ErrLinkClosed, s.Close()) // closed meanwhile
	}
	return s, nil
}

// agree asks the server, and waits for it to agree: within some time, or where that is 0 for as
// long as the context lets it.
func (s *Subscription) agree(x Exchange, wanted *Filter, within time.Duration) error {
	late := func() bool { return false }
	if within > 0 {
		timer := time.AfterFunc(within, s.stop)
		late = func() bool { return !timer.Stop() }
	}
	listening, err := x.Listen(s.ctx, wanted, s.tell)
	switch isLate := late(); {
	case err == nil && !isLate:
		s.listening = listening
		return nil
	case err == nil:
		_ = listening.Close() // which the context has ended already
	case !isLate || !errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf("mcp: subscriptions/listen: the server has not agreed within %v: %w", within, context.DeadlineExceeded)
}

// tell takes a change in. What is kept is dropped before anybody can see the change, so that who
// then asks anew gets it.
func (s *Subscription) tell(ch Change) {
	s.cache.changed(ch)
	s.changes.add(ch)
}

// Honoured is what the server tells of: what was wanted, or less (2026-07-28
// basic/patterns/subscriptions, Acknowledgment).
func (s *Subscription) Honoured() Filter { return s.listening.Honoured() }

// All are the changes as they come, and end when the subscription does; see
// [Subscription.Err]. What has changed several times while nobody looked is told once, since a
// change says no more than to look again. With thousands of changed resources that nobody has
// been told of they become one change of [ResourceUpdated] without a URI: look at all of them.
// Of several loops over All each gets a part.
func (s *Subscription) All() iter.Seq[Change] {
	return func(yield func(Change) bool) {
		for {
			change, ok := s.changes.take()
			switch {
			case ok && !yield(change):
				return
			case ok:
			case !s.wait():
				return
			}
		}
	}
}

// wait waits for a change, and reports whether there may be one.
func (s *Subscription) wait() bool {
	select {
	case <-s.changes.ready:
		return true
	case <-s.listening.Done():
	case <-s.ctx.Done():
	}
	select {
	case <-s.changes.ready: // told before the end
		return true
	default:
		return false
	}
}

// Close ends the subscription. What has not been taken from All is dropped. The second call
// does nothing.
func (s *Subscription) Close() error {
	s.giveUp()
	err := s.listening.Close()
	s.stop()
	return err
}

// giveUp ends the subscription on this side alone: the server is not told.
func (s *Subscription) giveUp() {
	if !s.ended() {
		s.closed.Store(true)
	}
	s.changes.close()
}

// ended reports whether Done is closed.
func (s *Subscription) ended() bool {
	select {
	case <-s.listening.Done():
		return true
	default:
		return false
	}
}

// Done is closed when no more changes come.
func (s *Subscription) Done() <-chan struct{} { return s.listening.Done() }

// Err is nil until Done is closed, and then nil for an end in order: by Close, by the end of
// the context, or by a server that says that it ends the subscription. Else the connection has
// broken off, and it may be worth to listen again (2026-07-28 basic/patterns/subscriptions,
// Graceful Closure).
func (s *Subscription) Err() error {
	if !s.ended() || s.closed.Load() {
		return nil
	}
	err := s.listening.Err()
	if cause := s.ctx.Err(); cause != nil && errors.Is(err, cause) {
		return nil
	}
	return err
}

// subscriptions are those of a client that are open.
type subscriptions struct {
	mu     sync.Mutex
	closed bool
	open   []*Subscription
}

// enter adds a subscription, and takes out those that have ended. It reports false when the client
// is closed.
func (all *subscriptions) enter(s *Subscription) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.closed {
		return false
	}
	all.open = append(slices.DeleteFunc(all.open, (*Subscription).ended), s)
	return true
}

// close gives them all up. The server is not told: the connection is about to end, and they with
// it. stop is to be called when it has.
func (all *subscriptions) close() (stop func()) {
	all.mu.Lock()
	open := all.open
	all.closed, all.open = true, nil
	all.mu.Unlock()
	for _, s := range open {
		s.giveUp()
	}
	return func() {
		for _, s := range open {
			s.stop()
		}
	}
}
