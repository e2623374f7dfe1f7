package legacy

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Client is a client's side of a legacy session: the [mcp.Exchange] of the four revisions
// that open with a handshake. It is made in two steps, since a server may ask and tell while
// the handshake lasts:
//
//	x := legacy.NewClient(c, nil)
//	link := … // opened with a handler that passes on to x what the server sends
//	err := x.Open(ctx, link)
//	c.Attach(x)
//
// It is a [jsonrpc.Handler] itself, for links that carry nothing but the session.
//
// When the server has forgotten the session ([mcp.ErrSessionEnded]) the client opens
// another one by a handshake, one at a time however many requests are waiting for it, asks
// again for what it was to be told of, and sends each request that was lost once more. All
// methods may be called from several goroutines at once, after Open; Request and
// Notification before it, too.
type Client struct {
	host *mcp.Client
	opts *ClientOptions
	log  *slog.Logger
	link mcp.Link // set by Open

	progress  progress   // of requests that are under way
	listeners listenings // for changes

	ctx     context.Context // of what runs beside requests
	stop    context.CancelFunc
	running sync.WaitGroup // what runs beside requests

	mu       sync.Mutex
	now      *agreed      // nil before the handshake
	dead     bool         // the server knows nothing of now, and there is no other one
	renewing *renewal     // nil when none is under way
	renewed  time.Time    // when the last one began that no request wanted; zero for none
	level    mcp.LogLevel // that the server is asked for; 0 for none
	muted    bool         // log messages are dropped
	closed   bool
}

// agreed is what a handshake has settled. It does not change afterwards.
type agreed struct {
	form   *mcp.Form
	server *mcp.DiscoverResult
}

// ClientOptions are what a client asks for in its handshake. A nil pointer, and every zero
// field, means the default that the field's comment gives.
type ClientOptions struct {
	// Version is the only revision that will do, one of [Versions]. Default: the newest is
	// asked for, and any of them is taken.
	Version string
}

func (o *ClientOptions) version() string {
	if o == nil {
		return ""
	}
	return o.Version
}

// NewClient makes the exchange of a client that is still to be opened. A nil o means all
// defaults.
func NewClient(c *mcp.Client, o *ClientOptions) *Client {
	x := &Client{host: c, opts: o, log: c.Logger()}
	x.ctx, x.stop = context.WithCancel(context.Background())
	return x
}

// Open opens the session: the handshake (2025-11-25 basic/lifecycle, Initialization), and
// the level of log messages, if the options of the client have one. It is called once. The
// end of ctx is not told to the server, which must not have its handshake cancelled
// (2025-11-25 basic/utilities/cancellation, Behavior Requirements). When it fails the link
// is the caller's to close, and the Client is of no more use.
func (x *Client) Open(ctx context.Context, link mcp.Link) error {
	x.link = link
	s, err := x.handshake(ctx)
	if err == nil {
		err = x.sayLevel(ctx, s, x.host.LogLevel())
	}
	if err != nil {
		x.stop()
		return err
	}
	return nil
}

// current is the session that holds now, nil before there is one.
func (x *Client) current() *agreed {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.now
}

// Form implements [mcp.Exchange]. It is nil before the handshake, and another one
// afterwards when the server has chosen another revision for a new session.
func (x *Client) Form() *mcp.Form {
	if s := x.current(); s != nil {
		return s.form
	}
	return nil
}

// Server implements [mcp.Exchange]. SupportedVersions is the revision that was agreed on, the
// only one that the server tells, and Meta has the server's name under [mcp.MetaServerInfo].
func (x *Client) Server() *mcp.DiscoverResult {
	if s := x.current(); s != nil {
		return s.server
	}
	return nil
}

// errNotOpen is the error of what comes before [Client.Open].
var errNotOpen = errors.New("legacy: there is no session: Open has not been called, or has failed")

// Discover implements [mcp.Exchange]. Nothing is sent: the handshake has told all.
func (x *Client) Discover(context.Context) (*mcp.DiscoverResult, error) {
	if d := x.Server(); d != nil {
		return d, nil
	}
	return nil, errNotOpen
}

// Ping implements [mcp.Exchange] (2025-11-25 basic/utilities/ping).
func (x *Client) Ping(ctx context.Context) error {
	_, err := x.request(ctx, "ping", nil, nil)
	return err
}

// Notify implements [mcp.Exchange].
func (x *Client) Notify(ctx context.Context, method string, params jsonrpc.Raw) error {
	return x.inSession(ctx, func(s *agreed) error {
		return x.link.Notify(ctx, s.outgoing(method, params))
	})
}

// request sends a request of the client's own or of its user. room is that of [mcp.Outgoing].
func (x *Client) request(ctx context.Context, method string, params jsonrpc.Raw, room *[]byte) (result jsonrpc.Raw, err error) {
	err = x.inSession(ctx, func(s *agreed) error {
		out := s.outgoing(method, params)
		out.Room = room
		result, err = x.link.Call(ctx, out)
		return err
	})
	return result, err
}

// outgoing is a message in this session.
//
//go:noinline
func (s *agreed) outgoing(method string, params jsonrpc.Raw) *mcp.Outgoing {
	out := &mcp.Outgoing{Method: method, Version: s.form.Revision}
	if params != nil {
		out.Params = func(dst []byte, _ jsonrpc.ID) []byte { return append(dst, params...) }
	}
	return out
}

// run runs f beside the requests. It reports false, and does nothing, when the client is closed.
func (x *Client) run(f func()) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return false
	}
	x.running.Go(f)
	return true
}

// Close implements [mcp.Exchange].
func (x *Client) Close() error {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	x.stop()
	var err error
	if x.link != nil {
		err = x.link.Close()
	}
	x.running.Wait()
	return err
}

// Done implements [mcp.Exchange].
func (x *Client) Done() <-chan struct{} { return x.link.Done() }

// Err implements [mcp.Exchange].
func (x *Client) Err() error { return x.link.Err() }

var (
	_ mcp.Exchange    = (*Client)(nil)
	_ jsonrpc.Handler = (*Client)(nil)
	_ jsonrpc.Arriver = (*Client)(nil)
)
