package mcp

import (
	"bytes"
	"context"

	"isthmus.internal/jsonrpc"
)

// Hear takes a notification that the exchange has no use for itself: a log message, a
// change, and every one that it does not know. It returns at once: what is told to the
// functions of the options is told beside. Changes are heard here whatever has asked for
// them, each once, also those of subscriptions. params may be nil, and is not kept. It is
// for packages that make exchanges.
func (c *Client) Hear(ctx context.Context, method string, params jsonrpc.Raw) {
	switch ChangeKind(method) {
	case ToolsListChanged, PromptsListChanged, ResourcesListChanged, ResourceUpdated:
		c.hearChange(ctx, ChangeKind(method), params)
		return
	}
	switch {
	case method == "notifications/message" && c.opts.Log != nil:
		m, err := Read[LogMessageParams](params, "params")
		if err != nil {
			c.passedOver(ctx, method, err)
			return
		}
		c.told.add(len(params), nil, func() { c.opts.Log(&m) })
	case c.opts.Notice != nil:
		kept := bytes.Clone(params)
		c.told.add(len(method)+len(params), nil, func() { c.opts.Notice(method, kept) })
	}
}

// hearChange takes the notification of a change. What is kept of lists and resources is
// dropped before anybody is told of the change, so that who then asks anew sees it.
func (c *Client) hearChange(ctx context.Context, kind ChangeKind, params jsonrpc.Raw) {
	change := Change{Kind: kind}
	if kind == ResourceUpdated {
		p, err := Read[ResourceUpdatedParams](params, "params")
		if err != nil {
			c.passedOver(ctx, string(kind), err)
			return
		}
		change.URI = p.URI
	}
	if kind == ToolsListChanged {
		c.tools.changed()
	}
	c.cache.changed(change)
	if c.opts.Changed != nil {
		c.told.add(len(change.URI), nil, func() { c.opts.Changed(change) })
	}
}

// passedOver notes that the server has sent a notification that cannot be read.
func (c *Client) passedOver(ctx context.Context, method string, err error) {
	c.log.WarnContext(ctx, "a notification of the server was passed over", "method", jsonrpc.Clip([]byte(method)), "error", err)
}
