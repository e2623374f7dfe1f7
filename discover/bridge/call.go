package bridge

import (
	"context"
	"slices"
	"sync"

	"isthmus.internal/mcp"
)

// call is a request of a client that is under way at the server.
type call struct {
	bridge *Bridge
	mayAsk bool // the server may ask the client before it answers
	who    *mcp.Behalf
	level  mcp.LogLevel // of log messages, for a legacy server; 0 for none
	parked *parked      // nil where the client cannot be away

	mu      sync.Mutex
	c       *mcp.Call // nil while the client is away
	asked   int       // how often the client was asked
	over    bool      // the server has answered
	telling queue
}

func newCall(b *Bridge, c *mcp.Call) *call {
	who, level := callerOf(c), levelOf(c)
	return &call{
		bridge: b,
		mayAsk: slices.Contains(asking, c.Method()) && who.canBeAsked(),
		who:    mcp.NewBehalf(who.info, who.capabilities, level), level: level, c: c,
		telling: queue{bridge: b},
	}
}

// levelOf is the least grave level of log messages that a request wants; 0 for none.
func levelOf(c *mcp.Call) mcp.LogLevel {
	for level := mcp.LogDebug; level <= mcp.LogEmergency; level++ {
		if c.Logs(level) {
			return level
		}
	}
	return 0
}

// end notes that the server has answered, or will not.
func (of *call) end() {
	of.mu.Lock()
	defer of.mu.Unlock()
	of.over = true
}

// isOver reports whether end was called.
func (of *call) isOver() bool {
	of.mu.Lock()
	defer of.mu.Unlock()
	return of.over
}

// progress tells the client how far the request is.
func (of *call) progress(p mcp.ProgressParams) {
	total := 0.0
	if p.Total != nil {
		total = *p.Total
	}
	of.tell(len(p.Message), func(c *mcp.Call) { c.Progress(p.Progress, total, p.Message) })
}

// tell has f say something of this size to the client, if it is not away.
func (of *call) tell(size int, f func(c *mcp.Call)) {
	if !of.add(size, f) {
		of.bridge.log.Debug("what the server tells is not passed on: the client reads too slowly")
	}
}

// add does what tell says, but reports false where too much waits for the client.
func (of *call) add(size int, f func(c *mcp.Call)) bool {
	of.mu.Lock()
	defer of.mu.Unlock()
	c := of.c
	return c == nil || of.telling.add(size, func() { f(c) })
}

// settle waits until the client was told all, or ctx ends.
func (of *call) settle(ctx context.Context) { of.telling.settle(ctx) }
