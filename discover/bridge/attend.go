package bridge

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// attend has a legacy server answer a request of a modern client that it may ask.
func (b *Bridge) attend(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
	named, err := c.OnceRaw("bridge", func() (jsonrpc.Raw, error) {
		token, err := b.start(ctx, c)
		return jsonrpc.AppendString(nil, token), err
	})
	if err != nil {
		return b.refuse(ctx, c, err)
	}
	token, _ := named.Text()
	p := b.parked.find(token)
	if p == nil || !p.enter(c) {
		return mcp.Reply{}, errNoCall
	}
	reply, err := b.wait(ctx, c, p)
	if errors.Is(err, mcp.ErrInputRequired) {
		p.of.settle(ctx)
		p.leave(b.opts.askTime())
		b.parked.bound()
		return mcp.Reply{}, err
	}
	p.end()
	return reply, err
}

// start sends the request, on a line that it has until it is answered or given up, and names
// it.
func (b *Bridge) start(ctx context.Context, c *mcp.Call) (string, error) {
	l, done, err := b.lines.route(ctx, c, forAsking)
	if err != nil {
		return "", err
	}
	life, cancel := context.WithCancel(b.ctx)
	p := &parked{
		of: newCall(b, c), token: rand.Text(), cancel: cancel,
		done: make(chan struct{}), left: make(chan struct{}), wake: make(chan struct{}, 1),
	}
	p.of.parked, p.line = p, l
	p.forget = func() { b.parked.remove(p) }
	params := paramsOf(c, ofRetries...)
	b.parked.add(p)
	if !b.run(func() {
		defer close(p.left)
		defer done()
		defer cancel()
		p.raw, p.err = l.send(life, p.of, params)
		close(p.done)
	}) {
		p.end()
		done()
		close(p.left)
		return "", errBridgeClosed
	}
	return p.token, nil
}

// gatherTime is how long a question waits for others to go to the client with it.
const gatherTime = 10 * time.Millisecond

// wait waits for the server's answer, and puts to the client what the server asks before. Where
// the client has to come back first, the error is [mcp.ErrInputRequired].
func (b *Bridge) wait(ctx context.Context, c *mcp.Call, p *parked) (mcp.Reply, error) {
	for {
		if open := p.waiting(); len(open) > 0 {
			if err := p.put(ctx, c, open); err != nil {
				return mcp.Reply{}, err
			}
			continue
		}
		select {
		case <-p.done:
			if p.err != nil {
				return b.refuse(ctx, c, p.err)
			}
			return b.reply(c, p.raw)
		case <-p.wake:
			if p.asks() {
				pause(ctx, gatherTime)
			}
		case <-ctx.Done():
			return mcp.Reply{}, ctx.Err()
		}
	}
}

// asks reports whether a question is open.
func (p *parked) asks() bool { return len(p.waiting()) > 0 }

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// put puts questions to the client, and gives the answers to the server when all are there. What
// the client cannot be asked the server is told.
func (p *parked) put(ctx context.Context, c *mcp.Call, open []*question) error {
	var puts []put
	var asked []*question
	var questions []mcp.Question
	for _, q := range open {
		one, err := q.question(q.key)
		if err != nil {
			p.settle(q, nil, forServer(err))
			continue
		}
		puts, asked, questions = append(puts, one), append(asked, q), append(questions, one)
	}
	if len(questions) == 0 {
		return nil
	}
	err := c.AskAll(ctx, questions...)
	var bad *mcp.InvalidAnswer
	var lacks *mcp.MissingCapability
	switch {
	case errors.Is(err, mcp.ErrInputRequired):
		return err
	case errors.As(err, &bad):
		return fmt.Errorf("%w: %w", mcp.ErrInputRequired, err) // the client is told, and may mend it
	case errors.As(err, &lacks):
		for _, q := range asked {
			p.settle(q, nil, forServer(err))
		}
		return nil
	case err != nil:
		return jsonrpc.Errorf(jsonrpc.InternalError, "The server has asked something, and the client cannot be asked: %v", err)
	}
	for i, q := range asked {
		v, err := puts[i].answer()
		p.settle(q, v, err)
	}
	return nil
}
