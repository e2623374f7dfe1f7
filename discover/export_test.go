package discover

import (
	"context"

	"isthmus.internal/mcp"
)

// ExchangeFor is the exchange that [Connect] gives its client.
func ExchangeFor(ctx context.Context, t Transport, o *ConnectOptions) (mcp.Exchange, error) {
	k, err := newConnecting(t, o)
	if err != nil {
		return nil, err
	}
	x, _, err := k.connect(ctx)
	return x, err
}

// Waiting counts the requests that an exchange of the modern era waits to be told of.
func Waiting(x mcp.Exchange) int {
	m := x.(*modernClient)
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.progress) + len(m.listening)
}

// NewerExchange is the exchange of a client that knows a modern revision of this name beside the
// others, and prefers it.
func NewerExchange(c *mcp.Client, link mcp.Link, revision string) (mcp.Exchange, error) {
	newer := *modernForms[0]
	newer.Revision = revision
	return newModernClient(c, link, append([]*mcp.Form{&newer}, modernForms...))
}
