package httpmcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"isthmus.internal/jsonrpc"
)

// Shutdowner is a handler that can be asked to end in order: [Endpoint.Shutdown] says
// what that means.
type Shutdowner interface {
	Shutdown(ctx context.Context) error
}

// ServeOptions are the bounds of [Serve]. A nil pointer, and every field that is zero
// or less, mean the default that the field's comment gives.
type ServeOptions struct {
	// Endpoints are those that the handler of [Serve] hands requests to, where it is a
	// mux or has middleware around it and so cannot be asked to end itself. One that is
	// not named here has its streams cut at the end of Drain. Default: none.
	Endpoints []Shutdowner

	// Drain bounds the time that requests and streams may take to end once the context
	// of [Serve] has. Default: 5 s.
	Drain time.Duration

	// HeaderTime bounds the time in which the header of a request arrives. Default: 10 s.
	HeaderTime time.Duration

	// MaxHeader bounds the bytes of the header of a request, to within 4 KiB. A longer
	// one is answered with 431. Default: 64 KiB.
	MaxHeader int

	// Idle bounds the time that a connection is kept without a request. It should be
	// longer than that of a proxy in front, most of which keep theirs for a minute: else
	// a request can meet a connection that closes. Default: 2 min.
	Idle time.Duration

	// MaxConnections bounds the connections that are open at once. The next one is
	// closed as it comes. Default: 16,384.
	MaxConnections int

	// Logger is told of faults of connections at debug, since what a client does wrong
	// is no fault of the server, and of connections above the bound as warnings. Default:
	// standard error, warnings and worse.
	Logger *slog.Logger
}

// lastWrites is what the connections have at least to write their last answers, when the
// endpoints have taken all of the drain time.
const lastWrites = time.Second

// Serve serves h on l, over HTTP/1.1, until ctx ends. Then h and o.Endpoints are shut down, as
// far as they are Shutdowners: listen streams end in order, calls finish, new requests get a
// 503. After them the server itself: what other handlers work on may finish, idle
// connections close. All this takes [ServeOptions.Drain] and two seconds at most, and what
// is left is cut off.
//
// It returns nil when all was answered. An error says that something had to be
// cancelled or cut off ([jsonrpc.ErrDrain]) or that accepting failed for good, after
// which it ends in the same order. l is closed in any case, and no connection of it is
// open when Serve returns; a handler that does not heed the end of its request's context
// stays behind, with an error. Serve ends on no signal: a main that should passes a context of
// [os/signal.NotifyContext]. The contexts of requests do not end with ctx.
//
// The bounds of the options are all that is bounded here: no time is set for a whole request
// or answer, as streams live long. The handler bounds the time of each body and of each
// write ([Options.BodyTime], [Options.WriteTime]), and so must other handlers of a mux.
//
// With l from [crypto/tls.NewListener] it serves TLS, and HTTP/2 where the NextProtos
// of its configuration have "h2". A program with an http.Server of its own needs no
// Serve; it passes each endpoint's Shutdown to RegisterOnShutdown.
func Serve(ctx context.Context, l net.Listener, h http.Handler, o *ServeOptions) error {
	base := context.WithoutCancel(ctx) // its end must not cut short how all else ends
	door := &door{most: o.maxConnections(), log: o.logger(), fresh: make(map[net.Conn]struct{})}
	server := &http.Server{
		Handler:           door.watch(h),
		ReadHeaderTimeout: o.headerTime(),
		IdleTimeout:       o.idle(),
		MaxHeaderBytes:    o.maxHeader(),
		ErrorLog:          slog.NewLogLogger(o.logger().Handler(), slog.LevelDebug),
		ConnState:         door.pass,
		BaseContext:       func(net.Listener) context.Context { return base },
	}
	var failed error
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := server.Serve(l); err != http.ErrServerClosed {
			failed = fmt.Errorf("httpmcp: accept: %w", err)
		}
	}()
	select {
	case <-ctx.Done():
	case <-served:
	}

	began := time.Now()
	// The endpoints first: a call that is under way may wait for what its client sends on a
	// new connection.
	err := shutdown(base, o.shutdowners(h), o.drain())
	door.close()
	last, cancel := context.WithTimeout(base, max(o.drain()-time.Since(began), lastWrites))
	defer cancel()
	if server.Shutdown(last) != nil && door.working.Load() > 0 {
		err = errors.Join(err, fmt.Errorf("httpmcp: %w: requests cut off: %d; an endpoint "+
			"behind a mux or middleware must be in ServeOptions.Endpoints", jsonrpc.ErrDrain, door.working.Load()))
	}
	server.Close()
	<-served
	return errors.Join(failed, err)
}

// shutdown shuts all endpoints down at once and waits for them, a little longer than the drain
// time for handlers whose contexts have ended with it.
func shutdown(ctx context.Context, endpoints []Shutdowner, drain time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, drain)
	defer cancel()
	ended := make(chan error, len(endpoints))
	for _, e := range endpoints {
		go func() { ended <- e.Shutdown(ctx) }()
	}
	late := time.After(drain + 2*lastWrites) // more than an [Endpoint] takes
	var all error
	for range endpoints {
		select {
		case err := <-ended:
			if errors.Is(err, context.DeadlineExceeded) {
				err = fmt.Errorf("%w: calls were cancelled", jsonrpc.ErrDrain)
			}
			all = errors.Join(all, err)
		case <-late:
			return fmt.Errorf("httpmcp: %w: handlers do not heed the end of their contexts", jsonrpc.ErrDrain)
		}
	}
	if all != nil {
		return fmt.Errorf("httpmcp: %w", all)
	}
	return nil
}

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

// shutdowners are h, if it is one, and those that the options name.
func (o *ServeOptions) shutdowners(h http.Handler) []Shutdowner {
	var all []Shutdowner
	if s, ok := h.(Shutdowner); ok {
		all = append(all, s)
	}
	if o != nil {
		all = append(all, o.Endpoints...)
	}
	return all
}

func (o *ServeOptions) drain() time.Duration {
	if o == nil || o.Drain <= 0 {
		return 5 * time.Second
	}
	return o.Drain
}

func (o *ServeOptions) headerTime() time.Duration {
	if o == nil || o.HeaderTime <= 0 {
		return 10 * time.Second
	}
	return o.HeaderTime
}

func (o *ServeOptions) maxHeader() int {
	if o == nil || o.MaxHeader <= 0 {
		return 64 << 10
	}
	return o.MaxHeader
}

func (o *ServeOptions) idle() time.Duration {
	if o == nil || o.Idle <= 0 {
		return 2 * time.Minute
	}
	return o.Idle
}

func (o *ServeOptions) maxConnections() int {
	if o == nil || o.MaxConnections <= 0 {
		return 16 << 10
	}
	return o.MaxConnections
}

func (o *ServeOptions) logger() *slog.Logger {
	if o == nil || o.Logger == nil {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	return o.Logger
}
