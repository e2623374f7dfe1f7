package mcp

import (
	"context"
	"sync"
)

// asking is the questions of one request that wait for their answers. They end with the
// request at the latest: a goroutine that a handler has left behind would wait for an
// answer that nobody needs, the client would keep a question open, and what the question
// is put through ([Request.Peer]) may be another request's by then.
type asking struct {
	waiting sync.WaitGroup
	begun   int
	stops   map[int]context.CancelFunc // of those that wait
}

// beginAsking stands before a question that goes to the client, and done behind it.
func (c *Call) beginAsking(ctx context.Context) (_ context.Context, done func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.mayAsk || c.ended {
		return nil, nil, errNoQuestions
	}
	if c.asking == nil {
		c.asking = &asking{stops: make(map[int]context.CancelFunc)}
	}
	a := c.asking
	a.begun++
	n := a.begun
	ctx, a.stops[n] = context.WithTimeout(ctx, c.server.opts.Ask.ttl())
	a.waiting.Add(1)
	return ctx, func() { c.endAsking(n) }, nil
}

func (c *Call) endAsking(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asking.stops[n]()
	delete(c.asking.stops, n)
	c.asking.waiting.Done()
}

// giveUpAsking ends the questions that still wait, has the client told of it, and lets no
// more begin.
func (c *Call) giveUpAsking() {
	c.mu.Lock()
	c.mayAsk = false
	a := c.asking
	if a != nil {
		for _, stop := range a.stops {
			stop()
		}
	}
	c.mu.Unlock()
	if a != nil {
		a.waiting.Wait()
	}
}
