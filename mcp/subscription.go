package mcp

import (
	"context"
	"errors"
	"iter"
)

// subscriptions are those of a client that are open.
type subscriptions struct{}

// close ends them all.
func (s *subscriptions) close() {}

// Subscription is a request to be told of changes that the server has agreed to.
type Subscription struct{}

// Listen asks the server to tell of changes (2026-07-28 basic/patterns/subscriptions; in
// the legacy era, of those in the filter that its notifications and resources/subscribe can
// tell of). It returns when the server has agreed. The subscription lives until it is
// closed, ctx ends, or the server ends it.
func (c *Client) Listen(ctx context.Context, wanted *Filter) (*Subscription, error) {
	return nil, errors.ErrUnsupported
}

// Honoured is what the server tells of: what was wanted, or less.
func (s *Subscription) Honoured() Filter { return Filter{} }

// All are the changes as they come. They end when the subscription does; see
// [Subscription.Err].
func (s *Subscription) All() iter.Seq[Change] { return func(func(Change) bool) {} }

// Close ends the subscription.
func (s *Subscription) Close() error { return nil }

// Done is closed when no more changes come.
func (s *Subscription) Done() <-chan struct{} { return nil }

// Err is nil until Done is closed, and then nil for an end in order, on either side.
func (s *Subscription) Err() error { return nil }
