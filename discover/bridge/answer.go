package bridge

import (
	"context"
	"errors"
	"slices"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// answer answers a request of a client with what the server says.
func (b *Bridge) answer(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
	switch c.Method() {
	case "subscriptions/listen":
		return b.listen(ctx, c)
	case "resources/subscribe":
		return b.subscribe(ctx, c)
	case "resources/unsubscribe":
		return b.unsubscribe(ctx, c)
	}
	modernClient, mayAsk := formOf(c).Era == mcp.Modern, slices.Contains(asking, c.Method())
	if mayAsk && modernClient && !b.modern() && callerOf(c).canBeAsked() {
		return c.Rounds(ctx, b.attend)
	}
	l, done, err := b.lines.route(ctx, c, forCall)
	if err != nil {
		return b.refuse(ctx, c, err)
	}
	defer done()
	switch {
	case mayAsk && b.modern() && !modernClient:
		return c.Rounds(ctx, l.meet)
	case mayAsk && !b.modern():
		return c.Rounds(ctx, l.pass) // a legacy client is asked in the middle of it
	}
	return l.pass(ctx, c)
}

// asking are the requests before whose answer a server may ask (2026-07-28
// basic/patterns/mrtr, Supported Requests).
var asking = []string{"tools/call", "prompts/get", "resources/read"}

// pass has the server answer a request, and gives the client what came.
func (l *line) pass(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
	of := newCall(l.bridge, c)
	raw, err := l.send(ctx, of, paramsOf(c))
	if err != nil {
		return l.bridge.refuse(ctx, c, err)
	}
	return l.bridge.reply(c, raw)
}

// send sends a request for the client, and returns when all that the server has told of it
// before its answer has been passed on.
func (l *line) send(ctx context.Context, of *call, params request) (jsonrpc.Raw, error) {
	client, err := l.get(ctx)
	if err != nil {
		return nil, err
	}
	l.begin(of)
	defer l.end(of)
	defer of.end()
	if !l.bridge.modern() && of.level != 0 {
		if err := l.setLevel(ctx, client, of.level); err != nil {
			return nil, err
		}
	}
	o := &mcp.CallOptions{Timeout: -1, MaxTimeout: -1, Meta: params.meta}
	if params.progress {
		o.Progress = of.progress
	}
	raw, err := client.Relay(ctx, params.method, params.members, of.who, o)
	if err != nil && (ctx.Err() != nil || errors.Is(err, mcp.ErrAnswerLost)) {
		l.leave(of)
	}
	l.flush(client)
	of.settle(ctx)
	return raw, err
}

// setLevel asks a legacy server for log messages, one call after the other.
func (l *line) setLevel(ctx context.Context, client *mcp.Client, level mcp.LogLevel) error {
	select {
	case l.level <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.level }()
	if client.LogLevel() == level {
		return nil
	}
	return client.SetLogLevel(ctx, level)
}
