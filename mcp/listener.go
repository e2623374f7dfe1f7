package mcp

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Filter says which changes a listener asks for (2026-07-28 basic/patterns/subscriptions,
// Notification Filter).
type Filter struct {
	ToolsListChanged, PromptsListChanged, ResourcesListChanged bool
	// ResourceSubscriptions are the uris of resources. Only changes of that very uri
	// are told.
	ResourceSubscriptions []string
}

// lists says for each of listKinds whether it is asked for.
func (f *Filter) lists() [len(listKinds)]bool {
	return [...]bool{f.ToolsListChanged, f.PromptsListChanged, f.ResourcesListChanged}
}

// Listener collects the changes that one stream or session has asked for until they
// are delivered. What it holds is bounded by what was asked for: however often
// something changes meanwhile, it is told once. All methods may be called from several
// goroutines at once, but Deliver only from one at a time.
type Listener struct {
	hub   *hub
	ready chan struct{} // holds one: there is something to tell

	// lists has a bit for each of listKinds that has changed.
	lists atomic.Uint32

	// Under hub.mu:
	watches map[string]*watch
	parted  bool
	after   []func()

	mu      sync.Mutex
	changed []*watch
}

// Listen makes a listener. Whoever has it must close it.
func (s *Server) Listen(f Filter) *Listener {
	l := &Listener{hub: &s.hub, ready: make(chan struct{}, 1)}
	s.hub.join(l, f)
	return l
}

// Close ends the interest in all changes. Deliver does not return because of it.
func (l *Listener) Close() { l.hub.part(l) }

// Subscribe adds a uri. It reports false, and changes nothing, when there are most
// already. A uri that is there may be added again.
func (l *Listener) Subscribe(uri string, most int) bool {
	l.hub.mu.Lock()
	defer l.hub.mu.Unlock()
	if l.watches[uri] == nil && len(l.watches) >= most {
		return false
	}
	if !l.parted {
		l.hub.watchLocked(l, uri)
	}
	return true
}

// Unsubscribe takes a uri away, with the change that has not been told yet. One that
// is not there is passed over.
func (l *Listener) Unsubscribe(uri string) {
	l.hub.mu.Lock()
	defer l.hub.mu.Unlock()
	if w := l.watches[uri]; w != nil {
		l.hub.unwatchLocked(l, w)
		l.mu.Lock()
		w.gone = true // flush may have taken it
		l.changed = slices.DeleteFunc(l.changed, func(c *watch) bool { return c == w })
		l.mu.Unlock()
	}
}

// markList notes that a list has changed.
func (l *Listener) markList(kind int) {
	bit := uint32(1) << kind
	if l.lists.Load()&bit == 0 && l.lists.Or(bit)&bit == 0 {
		l.wake()
	}
}

// markURI notes that a resource has changed.
func (l *Listener) markURI(w *watch) {
	l.mu.Lock()
	first := !w.changed
	if first {
		w.changed = true
		l.changed = append(l.changed, w)
	}
	l.mu.Unlock()
	if first {
		l.wake()
	}
}

func (l *Listener) wake() {
	select {
	case l.ready <- struct{}{}:
	default: // awake already
	}
}

// mergeTime is how long a listener that has been told something is left in peace.
// The first change of a burst is told at once, all that follow within this time are
// told together.
const mergeTime = 50 * time.Millisecond

// Deliver hands changes to send until ctx ends, whose error it then returns, or until
// ending is closed: what has changed by then is still handed over, and it returns nil.
// An error of send ends it as well. send may block: changes then gather, each told
// once, lists before resources. nil for ending means that there is no such end.
func (l *Listener) Deliver(ctx context.Context, ending <-chan struct{}, send func(Change) error) error {
	for {
		select {
		case <-l.ready:
		case <-ctx.Done():
			return ctx.Err()
		case <-ending:
			return l.flush(ctx, send)
		}
		if err := l.flush(ctx, send); err != nil {
			return err
		}
		l.rest(ctx, ending)
	}
}

// rest waits until something may be told again, or an end.
func (l *Listener) rest(ctx context.Context, ending <-chan struct{}) {
	peace := time.NewTimer(mergeTime)
	defer peace.Stop()
	select {
	case <-peace.C:
	case <-ctx.Done():
	case <-ending:
	}
}

// flush hands over what has changed so far. A mark is taken off before its change is
// told, so that whatever happens while it is told will be told again.
func (l *Listener) flush(ctx context.Context, send func(Change) error) error {
	lists := l.lists.Swap(0)
	for i, kind := range listKinds {
		if lists&(1<<i) != 0 {
			if err := tell(ctx, send, Change{Kind: kind}); err != nil {
				return err
			}
		}
	}
	for _, w := range l.take() {
		l.mu.Lock()
		w.changed = false
		gone := w.gone
		l.mu.Unlock()
		if gone {
			continue
		}
		if err := tell(ctx, send, Change{Kind: ResourceUpdated, URI: w.uri}); err != nil {
			return err
		}
	}
	return nil
}

func (l *Listener) take() []*watch {
	l.mu.Lock()
	defer l.mu.Unlock()
	changed := l.changed
	l.changed = nil
	return changed
}

func tell(ctx context.Context, send func(Change) error, c Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return send(c)
}
