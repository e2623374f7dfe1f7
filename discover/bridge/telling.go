package bridge

import (
	"context"

	"isthmus.internal/mcp"
)

// telling is what waits to be told to the client of a call. It is told in order, on a goroutine
// that is there while anything waits: so a client that does not read holds up no other one that
// has the same connection to the server.
type telling struct {
	waiting []tidings
	bytes   int
	busy    bool // the goroutine is there
}

// tidings is one thing to be told.
type tidings struct {
	c    *mcp.Call // nil for what only notes that all before it was told
	tell func(c *mcp.Call)
	size int // in bytes, about
}

// The bounds of what waits for one call, and of what waits for all. What is beyond is dropped.
const (
	mostToTell      = 4096
	mostBytesToTell = 4 << 20
	mostBytesToAll  = 64 << 20
)

// tell has f say something of this size to the client, if that is there, and does not wait for
// it.
func (of *call) tell(size int, f func(c *mcp.Call)) {
	of.mu.Lock()
	defer of.mu.Unlock()
	t := &of.telling
	switch {
	case of.c == nil:
		return
	case len(t.waiting) >= mostToTell, len(t.waiting) > 0 && t.bytes+size > mostBytesToTell, of.bridge.telling.Load() > mostBytesToAll:
		of.bridge.log.Debug("what the server tells is not passed on: the client reads too slowly")
		return
	}
	of.addLocked(tidings{of.c, f, size})
}

// addLocked has something told behind all that waits.
func (of *call) addLocked(one tidings) {
	t := &of.telling
	t.waiting = append(t.waiting, one)
	t.bytes += one.size
	of.bridge.telling.Add(int64(one.size))
	if !t.busy {
		t.busy = of.bridge.run(of.tellAll)
	}
}

// tellAll tells what waits until nothing does.
func (of *call) tellAll() {
	for {
		of.mu.Lock()
		t := &of.telling
		if len(t.waiting) == 0 {
			t.waiting, t.busy = nil, false
			of.mu.Unlock()
			return
		}
		next := t.waiting[0]
		t.waiting[0] = tidings{}
		t.waiting = t.waiting[1:]
		t.bytes -= next.size
		of.mu.Unlock()
		next.tell(next.c)
		of.bridge.telling.Add(-int64(next.size))
	}
}

// settle waits until all was told that waits now, or ctx ends.
func (of *call) settle(ctx context.Context) {
	of.mu.Lock()
	if !of.telling.busy {
		of.mu.Unlock()
		return
	}
	told := make(chan struct{})
	of.addLocked(tidings{tell: func(*mcp.Call) { close(told) }})
	of.mu.Unlock()
	select {
	case <-told:
	case <-ctx.Done():
	}
}
