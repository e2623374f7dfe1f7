package mcp

import "sync"

// hub knows who listens for what. To publish costs only for those who asked: they are
// found by the kind of list and by the uri.
type hub struct {
	mu    sync.RWMutex
	lists [len(listKinds)]map[*Listener]struct{}
	uris  map[string]map[*Listener]*watch
}

// watch is one listener's interest in one uri.
type watch struct {
	uri     string
	changed bool // and not yet told; under Listener.mu
	gone    bool // under Listener.mu
}

// publish marks the change at those who asked for it, and blocks on nobody.
func (h *hub) publish(c Change) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	switch {
	case c.Kind == ResourceUpdated && c.URI == "":
		for uri := range h.uris {
			h.markURILocked(uri)
		}
	case c.Kind == ResourceUpdated:
		h.markURILocked(c.URI)
	}
	for i, kind := range listKinds {
		if kind == c.Kind {
			for l := range h.lists[i] {
				l.markList(i)
			}
		}
	}
}

func (h *hub) markURILocked(uri string) {
	for l, w := range h.uris[uri] {
		l.markURI(w)
	}
}

// join enters a listener.
func (h *hub) join(l *Listener, f Filter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, asked := range f.lists() {
		if asked {
			if h.lists[i] == nil {
				h.lists[i] = make(map[*Listener]struct{})
			}
			h.lists[i][l] = struct{}{}
		}
	}
	for _, uri := range f.ResourceSubscriptions {
		h.watchLocked(l, uri)
	}
}

func (h *hub) watchLocked(l *Listener, uri string) {
	if l.watches[uri] != nil {
		return
	}
	w := &watch{uri: uri}
	if l.watches == nil {
		l.watches = make(map[string]*watch)
	}
	l.watches[uri] = w
	if h.uris == nil {
		h.uris = make(map[string]map[*Listener]*watch)
	}
	if h.uris[uri] == nil {
		h.uris[uri] = make(map[*Listener]*watch)
	}
	h.uris[uri][l] = w
}

func (h *hub) unwatchLocked(l *Listener, w *watch) {
	delete(l.watches, w.uri)
	delete(h.uris[w.uri], l)
	if len(h.uris[w.uri]) == 0 {
		delete(h.uris, w.uri)
	}
}

// part takes a listener out.
func (h *hub) part(l *Listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range l.after {
		go f()
	}
	l.parted, l.after = true, nil
	for i := range h.lists {
		delete(h.lists[i], l)
	}
	for _, w := range l.watches {
		h.unwatchLocked(l, w)
	}
}
