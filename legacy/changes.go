package legacy

import (
	"context"
	"sync"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// changes is how a session is told of changes: of the lists that its handshake
// declared, and of the resources that it subscribes to (2025-11-25 server/resources,
// List Changed Notification and Subscriptions; server/tools and server/prompts, List
// Changed Notification).
type changes struct {
	mu       sync.Mutex
	closed   bool
	listener *mcp.Listener      // nil before the handshake, and where nothing is declared
	stop     context.CancelFunc // of the goroutine that delivers; nil while there is none
	running  sync.WaitGroup
}

// listen begins to collect changes.
func (c *changes) listen(s *mcp.Server) {
	f, ok := s.Declared()
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.listener = s.Listen(f)
	}
}

// listening returns the session's listener, nil when there is none.
func (c *changes) listening() *mcp.Listener {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listener
}

// deliver begins to tell the client, once.
func (c *changes) deliver(out Outlet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || out == nil || c.listener == nil || c.stop != nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	listener := c.listener
	c.running.Go(func() {
		defer stop()
		// Its error says that the session ends or that the client is gone, which the
		// connection knows.
		_ = listener.Deliver(ctx, nil, func(change mcp.Change) error {
			return out.Notify(string(change.Kind), params(change))
		})
	})
}

// params is those of the notification of a change.
func params(c mcp.Change) []byte {
	if c.Kind != mcp.ResourceUpdated {
		return nil
	}
	return append(jsonrpc.AppendString([]byte(`{"uri":`), c.URI), '}')
}

// Close frees what the session holds, ends what it runs beside its requests, and waits
// for that. A call of its [Outlet] that is under way is waited for, too.
func (s *Session) Close() {
	c := &s.told
	c.mu.Lock()
	c.closed = true
	listener, stop := c.listener, c.stop
	c.listener = nil
	c.mu.Unlock()
	if listener != nil {
		listener.Close()
	}
	if stop != nil {
		stop()
	}
	c.running.Wait()
}
