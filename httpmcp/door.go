package httpmcp

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// door counts connections and closes those above the bound. It knows those on which
// nothing has come yet: [http.Server.Shutdown] waits seconds for them, though programs open some
// ahead of time. And it knows how many requests are worked on, since a connection with half a
// header on it is active for an http.Server, too.
type door struct {
	most    int
	log     *slog.Logger
	working atomic.Int64

	mu    sync.Mutex
	open  int
	fresh map[net.Conn]struct{} // nothing has come on these
	shut  bool                  // no fresh ones are wanted any more
}

// watch counts the requests that h works on.
func (d *door) watch(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.working.Add(1)
		defer d.working.Add(-1)
		h.ServeHTTP(w, r)
	})
}

// pass is called for each change of a connection's state; for a new one before anything
// is read of it.
func (d *door) pass(c net.Conn, state http.ConnState) {
	d.mu.Lock()
	delete(d.fresh, c)
	full, stay := false, true
	switch state {
	case http.StateNew:
		d.open++
		full = d.open > d.most
		if stay = !full && !d.shut; stay {
			d.fresh[c] = struct{}{}
		}
	case http.StateClosed, http.StateHijacked:
		d.open--
	}
	d.mu.Unlock()
	if !stay {
		c.Close()
	}
	if full {
		d.log.Warn("connection closed: too many at once", "most", d.most)
	}
}

// close closes the fresh connections, now and later.
func (d *door) close() {
	d.mu.Lock()
	fresh := d.fresh
	d.fresh, d.shut = nil, true
	d.mu.Unlock()
	for c := range fresh {
		c.Close()
	}
}
