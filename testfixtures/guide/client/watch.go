package client

import (
	"context"
	"time"

	"isthmus.internal/mcp"
)

// Watch shows a resource as it is now, and again each time that it changes, until ctx ends.
func Watch(ctx context.Context, c *mcp.Client, uri string, show func(*mcp.ReadResourceResult)) error {
	for {
		s, err := c.Listen(ctx, &mcp.Filter{ResourceSubscriptions: []string{uri}})
		if err != nil {
			return err
		}
		err = follow(ctx, c, s, uri, show)
		if s.Close(); err != nil || ctx.Err() != nil {
			return err
		}
		select { // the server has ended it, as at a restart: listen again, after a while
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

func follow(ctx context.Context, c *mcp.Client, s *mcp.Subscription, uri string, show func(*mcp.ReadResourceResult)) error {
	read := func() error {
		now, err := c.ReadResource(ctx, uri, nil)
		if err == nil {
			show(now)
		}
		return err
	}
	if err := read(); err != nil { // once the server tells of changes, so that none is missed
		return err
	}
	for range s.All() {
		if err := read(); err != nil {
			return err
		}
	}
	return s.Err() // nil when the server has ended it in order
}
