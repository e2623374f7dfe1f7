package mcp

import (
	"context"

	"isthmus.internal/jsonrpc"
)

// cache keeps results for as long as the server lets them be kept.
type cache struct{}

// init sets the bounds.
func (k *cache) init(o *ClientOptions) {}

// through is the answer to r: the one that is kept, unless it has to be fresh, or that of
// ask, which is kept if it may be.
func (k *cache) through(ctx context.Context, r *ClientRequest, fresh bool, ask func(context.Context) (jsonrpc.Raw, error)) (jsonrpc.Raw, error) {
	return ask(ctx)
}

// changed drops what the change is about.
func (k *cache) changed(ch Change) {}
