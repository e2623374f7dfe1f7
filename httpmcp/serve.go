package httpmcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
)

// ServeOptions are the bounds of [Serve]. A nil pointer, and every field that is zero
// or less, mean the default that the field's comment gives.
type ServeOptions struct {
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

// Serve serves h on l, over HTTP/1.1, until ctx ends. Then it shuts h down, if that has a
// method as [Endpoint.Shutdown], and each endpoint behind h that a request has reached, through a
// mux or middleware: listen streams end in order, calls finish, new requests get a 503.
// After them the server itself: what other handlers work on may finish, idle connections
// close. All this takes [ServeOptions.Drain] and two seconds at most, and what is left is cut
// off.
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
// Serve; it calls each endpoint's Shutdown before that of the server.
func Serve(ctx context.Context, l net.Listener, h http.Handler, o *ServeOptions) error {
	base := context.WithoutCancel(ctx) // its end must not cut short how all else ends
	behind := newServing(h)
	door := &door{most: o.maxConnections(), idle: o.idle(), log: o.logger(), visitors: make(map[net.Conn]*visitor)}
	server := &http.Server{
		Handler:           door.watch(h),
		ReadHeaderTimeout: o.headerTime(),
		MaxHeaderBytes:    o.maxHeader(),
		ErrorLog:          slog.NewLogLogger(o.logger().Handler(), slog.LevelDebug),
		ConnState:         door.pass,
		BaseContext:       func(net.Listener) context.Context { return context.WithValue(base, servingKey{}, behind) },
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
	err := shutdown(base, behind.all(), o.drain())
	door.close()
	last, cancel := context.WithTimeout(base, max(o.drain()-time.Since(began), lastWrites))
	defer cancel()
	if server.Shutdown(last) != nil && door.working.Load() > 0 {
		err = errors.Join(err, fmt.Errorf("httpmcp: %w: requests cut off: %d", jsonrpc.ErrDrain, door.working.Load()))
	}
	server.Close()
	<-served
	return errors.Join(failed, err)
}

// shutdown shuts all endpoints down at once and waits for them, a little longer than the drain
// time for handlers whose contexts have ended with it.
func shutdown(ctx context.Context, endpoints []shutdowner, drain time.Duration) error {
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

// shutdowner is what can be asked to end in order.
type shutdowner interface {
	Shutdown(ctx context.Context) error
}

// serving is one [Serve], as endpoints find it in the contexts of their requests.
type serving struct {
	mu     sync.Mutex
	behind []shutdowner // one may stand there twice, which does no harm
}

type servingKey struct{}

// newServing is that of a handler, which may itself be one to shut down.
func newServing(h http.Handler) *serving {
	v := &serving{}
	if s, ok := h.(shutdowner); ok {
		v.behind = append(v.behind, s)
	}
	return v
}

func (v *serving) all() []shutdowner {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.behind)
}

// enlist has the [Serve] by which a request came shut s down in its end. It reports false for a
// request that came by none.
func enlist(r *http.Request, s shutdowner) bool {
	v, ok := r.Context().Value(servingKey{}).(*serving)
	if ok {
		v.mu.Lock()
		v.behind = append(v.behind, s)
		v.mu.Unlock()
	}
	return ok
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
