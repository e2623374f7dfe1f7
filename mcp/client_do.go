package mcp

import (
	"context"
	"fmt"

	"isthmus.internal/jsonrpc"
)

// Do sends a request of any method and returns its result as it came, but for the
// questions of the server: those are answered. params is an object, or nil; what _meta is
// to hold stands in o. It is for methods of extensions, and for those who want to see for
// themselves. Arguments that a called tool wants repeated in headers are, as by
// [Client.CallTool].
func (c *Client) Do(ctx context.Context, method string, params jsonrpc.Raw, o *CallOptions) (jsonrpc.Raw, error) {
	params, err := oneObject("params", params)
	if err != nil {
		return nil, err
	}
	for m := jsonrpc.ReadObject(params); m.Next(); {
		if string(m.Name()) == "_meta" {
			return nil, fmt.Errorf("mcp: %s: params must not have _meta: give it in CallOptions.Meta", method)
		}
	}
	return c.sendMarked(ctx, method, params, nil, o)
}

// clientCall is one request and what belongs to it.
type clientCall struct {
	ClientRequest
	limit    limit
	progress pending // what is to be told of it
}

// do sends a request under the bounds of the client and of o, and returns when what came
// of its progress before the answer has been told.
func (c *Client) do(ctx context.Context, r *clientCall, o *CallOptions) (jsonrpc.Raw, error) {
	x, err := c.speaks()
	if err != nil {
		return nil, err
	}
	if r.Meta, err = o.meta().toSend(); err != nil {
		return nil, err
	}
	r.Rounds = c.opts.rounds()
	if tell := o.progress(); tell != nil {
		r.Progress = func(p ProgressParams) {
			r.limit.more()
			c.told.progress(&r.progress, tell, p)
		}
	}
	return c.cache.through(ctx, x.Form(), &r.ClientRequest, o.fresh(), func(ctx context.Context) (jsonrpc.Raw, error) {
		return c.send(ctx, x, r, o)
	})
}

// send sends a request, whatever the cache has.
func (c *Client) send(ctx context.Context, x Exchange, r *clientCall, o *CallOptions) (jsonrpc.Raw, error) {
	bounded := c.begin(ctx, &r.limit, r.Method, o)
	result, err := x.Call(bounded, &r.ClientRequest)
	err = r.limit.end(err)
	if r.Progress != nil {
		c.told.settle(ctx, &r.progress, o.timeout(&c.opts))
	}
	return result, err
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
