package mcp

import (
	"slices"
	"sync"
)

// changeQueue holds the changes of a subscription until they are taken. Whoever adds one never
// waits: equal ones become one, and where there are too many, those of single resources become
// one of all.
type changeQueue struct {
	wanted *Filter
	ready  chan struct{} // holds one: there is something to take, or was

	mu      sync.Mutex
	closed  bool
	waiting []Change            // in the order in which they came, each once
	known   map[Change]struct{} // those of waiting
	bytes   int                 // of their uris
}

// The bounds of what waits. A client that asks for more resources than this is told of them
// all the same, together.
const (
	mostWaiting      = 4096
	mostWaitingBytes = 1 << 20
)

func newChangeQueue(wanted *Filter) changeQueue {
	return changeQueue{wanted: wanted, ready: make(chan struct{}, 1), known: make(map[Change]struct{})}
}

// add takes a change. What was not asked for is no business of this subscription's (2026-07-28
// basic/patterns/subscriptions, Opening a Stream).
func (q *changeQueue) add(ch Change) {
	if !q.wants(ch.Kind) {
		return
	}
	all := Change{Kind: ResourceUpdated}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.knows(ch) || ch.Kind == ResourceUpdated && q.knows(all) {
		return
	}
	if ch.Kind == ResourceUpdated && (ch == all || len(q.waiting) >= mostWaiting || q.bytes+len(ch.URI) > mostWaitingBytes) {
		q.mergeLocked()
		ch = all
	}
	q.waiting, q.bytes = append(q.waiting, ch), q.bytes+len(ch.URI)
	q.known[ch] = struct{}{}
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

func (q *changeQueue) wants(kind ChangeKind) bool {
	if kind == ResourceUpdated {
		return len(q.wanted.ResourceSubscriptions) > 0
	}
	lists := q.wanted.lists()
	i := slices.Index(listKinds[:], kind)
	return i >= 0 && lists[i]
}

func (q *changeQueue) knows(ch Change) bool {
	_, known := q.known[ch]
	return known
}

// mergeLocked drops the changes of single resources: one of all comes in their place.
func (q *changeQueue) mergeLocked() {
	q.waiting = slices.DeleteFunc(q.waiting, func(ch Change) bool { return ch.Kind == ResourceUpdated })
	q.bytes = 0
	clear(q.known)
	for _, ch := range q.waiting {
		q.known[ch] = struct{}{}
	}
}

// take is the change that has waited longest. One that comes again from now on is told again.
func (q *changeQueue) take() (Change, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return Change{}, false
	}
	ch := q.waiting[0]
	q.waiting, q.bytes = q.waiting[1:], q.bytes-len(ch.URI)
	if len(q.waiting) == 0 {
		q.waiting = nil
	}
	delete(q.known, ch)
	return ch, true
}

// close drops what waits, and takes no more.
func (q *changeQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed, q.waiting = true, nil
}
