package bridge

import (
	"context"
	"errors"
	"sync"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// listen answers subscriptions/listen: the client is told of what the server tells.
func (b *Bridge) listen(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
	asked, err := mcp.Read[mcp.ListenParams](c.Params(), "params")
	if err != nil {
		var m *mcp.Malformed
		if errors.As(err, &m) {
			return mcp.Reply{}, m.Refusal()
		}
		return mcp.Reply{}, err
	}
	if len(asked.Notifications.ResourceSubscriptions) > mostSubscriptions {
		return mcp.Reply{}, jsonrpc.Errorf(jsonrpc.InvalidParams, "params.notifications.resourceSubscriptions must not hold more than %d uris", mostSubscriptions)
	}
	wanted := b.promised(asked.Notifications)
	l, done, err := b.lines.route(ctx, c, forStream)
	if err != nil {
		return b.refuse(ctx, c, err)
	}
	life, stop := context.WithCancel(ctx)
	lists := wanted
	lists.ResourceSubscriptions = nil
	h := &hold{listener: b.server.Listen(lists)}
	defer h.listener.Close()
	h.ended = sync.OnceFunc(func() {
		stop()
		l.feed.quit(h)
		done()
	})
	defer h.ended()
	told, err := l.feed.join(life, h, topicsOf(&wanted)...)
	switch {
	case err != nil && life.Err() != nil:
		return b.refuse(ctx, c, errBusy) // the line was wanted for a call
	case err != nil:
		return b.refuse(ctx, c, err)
	}
	honoured := l.feed.honoured(lists, told)
	for _, uri := range honoured.ResourceSubscriptions {
		h.listener.Subscribe(uri, mostSubscriptions)
	}
	if asked.Notifications.ResourceSubscriptions != nil && b.offers.Resources != nil && honoured.ResourceSubscriptions == nil {
		honoured.ResourceSubscriptions = []string{}
	}
	return c.Stream(life, h.listener, honoured), nil
}

// promised is the part of a filter that the bridge has declared.
func (b *Bridge) promised(f mcp.Filter) mcp.Filter {
	k := &b.offers
	promised := common(f, mcp.Filter{
		ToolsListChanged:     k.Tools != nil && k.Tools.ListChanged,
		PromptsListChanged:   k.Prompts != nil && k.Prompts.ListChanged,
		ResourcesListChanged: k.Resources != nil && k.Resources.ListChanged,
	})
	if k.Resources != nil && k.Resources.Subscribe {
		promised.ResourceSubscriptions = f.ResourceSubscriptions
	}
	return promised
}
