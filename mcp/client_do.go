package mcp

import (
	"context"
	"fmt"

	"isthmus.internal/jsonrpc"
)

// Do sends a request of any method and returns its result as it came, but for the
// questions of the server: those are answered. params is an object, or nil; it has no
// _meta, which is that of o. It is for methods of extensions, and for those who want to see
// for themselves.
func (c *Client) Do(ctx context.Context, method string, params jsonrpc.Raw, o *CallOptions) (jsonrpc.Raw, error) {
	params, err := oneObject("params", params)
	if err != nil {
		return nil, err
	}
	return c.do(ctx, &ClientRequest{Method: method, Params: params}, o)
}

// do sends a request under the bounds of the client and of o.
func (c *Client) do(ctx context.Context, r *ClientRequest, o *CallOptions) (jsonrpc.Raw, error) {
	x, err := c.speaks()
	if err != nil {
		return nil, err
	}
	r.Meta, r.Rounds = o.meta(), c.opts.rounds()
	r.Progress = o.progress()
	return c.cache.through(ctx, x.Form(), r, o.fresh(), func(ctx context.Context) (jsonrpc.Raw, error) {
		ctx, limit := c.limit(ctx, o)
		defer limit.end()
		result, err := x.Call(ctx, r)
		return result, limit.say(r.Method, err)
	})
}

// oneObject is a value of the user's that has to be an object, on one line; nil stays nil.
func oneObject(what string, raw jsonrpc.Raw) (jsonrpc.Raw, error) {
	if raw == nil {
		return nil, nil
	}
	line, err := jsonrpc.AppendCompact(nil, raw)
	if err == nil && isObject(line) {
		return line, nil
	}
	return nil, fmt.Errorf("mcp: %s must be a JSON object, and not %s", what, jsonrpc.Clip(raw))
}
