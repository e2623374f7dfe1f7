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
