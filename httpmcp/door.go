package httpmcp

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// door counts connections and closes those above the bound, and those that have stood idle
// for too long: an http.Server would set a timer for that behind each request, and wake a
// thread by it. The door knows the connections on which nothing has come yet:
// [http.Server.Shutdown] waits seconds for them, though programs open some ahead of time. And it
// knows how many requests are worked on, since a connection with half a header on it is
// active for an http.Server, too.
type door struct {
	most    int
	idle    time.Duration // that a connection may be without a request
	log     *slog.Logger
	working atomic.Int64

	mu       sync.Mutex
	visitors map[net.Conn]*visitor
	timer    *time.Timer // for the next look at those that are idle; nil while there is none
	shut     bool        // no fresh ones are wanted any more
}

// visitor is an open connection.
type visitor struct {
	fresh bool      // nothing has come on it
	since time.Time // when it became idle; zero while it is not
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
	if state == http.StateNew {
		d.welcome(c)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.visitors[c]
	if v == nil {
		return // turned away
	}
	switch state {
	case http.StateActive:
		v.fresh, v.since = false, time.Time{}
	case http.StateIdle:
		v.fresh, v.since = false, time.Now()
		if d.timer == nil && !d.shut {
			d.timer = time.AfterFunc(d.idle, d.sweep)
		}
	default: // it is closed, or no longer the server's
		delete(d.visitors, c)
	}
}

// welcome takes a new connection in, or closes it.
func (d *door) welcome(c net.Conn) {
	d.mu.Lock()
	full, shut := len(d.visitors) >= d.most, d.shut
	if !full && !shut {
		d.visitors[c] = &visitor{fresh: true}
	}
	d.mu.Unlock()
	if full || shut {
		c.Close()
	}
	if full {
		d.log.Warn("connection closed: too many at once", "most", d.most)
	}
}

// sweep closes the connections that have stood idle for too long, and comes again when the next
// one is due, though not too often.
func (d *door) sweep() {
	for _, c := range d.overdue() {
		c.Close()
	}
}

// overdue are the connections that have stood idle for too long. It sets the timer for the next.
func (d *door) overdue() (all []net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer = nil
	if d.shut {
		return nil // the server closes those that are idle itself
	}
	next := time.Duration(-1)
	for c, v := range d.visitors {
		if v.since.IsZero() {
			continue
		}
		left := d.idle - time.Since(v.since)
		if left <= 0 {
			all = append(all, c)
		} else if next < 0 || left < next {
			next = left
		}
	}
	if next >= 0 {
		d.timer = time.AfterFunc(max(next, d.idle/64), d.sweep)
	}
	return all
}

// close closes the fresh connections, now and later, and ends the sweeping.
func (d *door) close() {
	for _, c := range d.shutFresh() {
		c.Close()
	}
}

func (d *door) shutFresh() (all []net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shut = true
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	for c, v := range d.visitors {
		if v.fresh {
			all = append(all, c)
		}
	}
	return all
}
