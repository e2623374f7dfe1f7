package bridge

import (
	"context"
	"sync"
)

// queue has things told one after the other, on a goroutine that is there while anything waits: so
// who does not read holds up nobody else.
type queue struct {
	bridge *Bridge

	mu      sync.Mutex
	waiting []tidings
	bytes   int
	busy    bool // the goroutine is there
}

// tidings is one thing to be told.
type tidings struct {
	tell func()
	size int // in bytes, about
}

// The bounds of what waits in one queue, and of what waits in all. What is beyond is dropped, but
// that a little always has room in each.
const (
	mostToTell        = 4096
	mostBytesToTell   = 4 << 20
	littleBytesToTell = 64 << 10
	mostBytesToAll    = 64 << 20
)

// add has something told behind all that waits, and does not wait for it. It reports false where
// too much waits.
func (q *queue) add(size int, tell func()) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch full := q.bridge.telling.Load() > mostBytesToAll; {
	case len(q.waiting) >= mostToTell,
		len(q.waiting) > 0 && q.bytes+size > mostBytesToTell,
		full && q.bytes+size > littleBytesToTell:
		return false
	}
	q.addLocked(tidings{tell, size})
	return true
}

func (q *queue) addLocked(one tidings) {
	q.waiting = append(q.waiting, one)
	q.bytes += one.size
	q.bridge.telling.Add(int64(one.size))
	if !q.busy {
		q.busy = q.bridge.run(q.tellAll)
	}
}

// tellAll tells what waits until nothing does.
func (q *queue) tellAll() {
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 {
			q.waiting, q.busy = nil, false
			q.mu.Unlock()
			return
		}
		next := q.waiting[0]
		q.waiting[0] = tidings{}
		q.waiting = q.waiting[1:]
		q.bytes -= next.size
		q.mu.Unlock()
		next.tell()
		q.bridge.telling.Add(-int64(next.size))
	}
}

// settle waits until all that waits now has been told, or ctx ends.
func (q *queue) settle(ctx context.Context) {
	q.mu.Lock()
	if !q.busy {
		q.mu.Unlock()
		return
	}
	told := make(chan struct{})
	q.addLocked(tidings{tell: func() { close(told) }})
	q.mu.Unlock()
	select {
	case <-told:
	case <-ctx.Done():
	}
}
