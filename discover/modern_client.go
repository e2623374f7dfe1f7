package discover

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// modernClient is a client's side of the modern era: the [mcp.Exchange] of the revisions in
// which each request says all there is to know (2026-07-28 basic/index, Statelessness). What
// it keeps is of requests that are under way, and what every request says alike.
type modernClient struct {
	host  *mcp.Client
	link  mcp.Link
	log   *slog.Logger
	forms []*mcp.Form // the revisions that may be spoken, the preferred one first

	words atomic.Pointer[wording]            // what requests say now
	known atomic.Pointer[mcp.DiscoverResult] // nil until the server was asked

	running sync.WaitGroup // the goroutines of listenings

	mu        sync.Mutex
	closed    bool
	progress  map[string]*teller[mcp.ProgressParams] // by the key of the token
	listening map[string]*listening                  // by the key of the id
}

// wording is what all requests say of themselves. It does not change.
type wording struct {
	form  *mcp.Form
	level mcp.LogLevel
	meta  []byte // the members of _meta
}

// newModernClient makes the exchange over link, in one of the revisions of forms, the first
// one to begin with. It fails when what the client says of itself cannot be sent.
func newModernClient(c *mcp.Client, link mcp.Link, forms []*mcp.Form) (*modernClient, error) {
	words, err := newWording(c, forms[0], c.LogLevel())
	if err != nil {
		return nil, err
	}
	x := &modernClient{
		host: c, link: link, log: c.Logger(), forms: forms,
		progress:  make(map[string]*teller[mcp.ProgressParams]),
		listening: make(map[string]*listening),
	}
	x.words.Store(words)
	return x, nil
}

// sayer is what a request says that it comes from: the client, or another one that it relays for.
type sayer interface {
	Info() mcp.Implementation
	Capabilities() mcp.ClientCapabilities
}

// newWording writes the fields that every request carries (2026-07-28 basic/index,
// Per-request protocol fields).
func newWording(c sayer, f *mcp.Form, level mcp.LogLevel) (*wording, error) {
	info, capabilities := c.Info(), c.Capabilities()
	b := appendName(nil, mcp.MetaProtocolVersion)
	b = jsonrpc.AppendString(b, f.Revision)
	b = appendName(append(b, ','), mcp.MetaClientInfo)
	b, err := mcp.Append(b, &info, f)
	if err != nil {
		return nil, fmt.Errorf("discover: the client's Info cannot be sent: %w", err)
	}
	b = appendName(append(b, ','), mcp.MetaClientCapabilities)
	if b, err = mcp.Append(b, &capabilities, f); err != nil {
		return nil, fmt.Errorf("discover: the client's capabilities cannot be sent: %w", err)
	}
	if level != 0 {
		b = appendName(append(b, ','), mcp.MetaLogLevel)
		b = jsonrpc.AppendString(b, level.String())
	}
	return &wording{form: f, level: level, meta: b}, nil
}

// appendName begins a member: its name and the colon.
func appendName(dst []byte, name string) []byte {
	return append(jsonrpc.AppendString(dst, name), ':')
}

// reword has requests from now on speak another revision, or ask for another level of log
// messages. change makes what it is given what it shall be.
func (x *modernClient) reword(change func(*wording)) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	next := *x.words.Load()
	change(&next)
	words, err := newWording(x.host, next.form, next.level)
	if err == nil {
		x.words.Store(words)
	}
	return err
}

// Form implements [mcp.Exchange].
func (x *modernClient) Form() *mcp.Form { return x.words.Load().form }

// Server implements [mcp.Exchange].
func (x *modernClient) Server() *mcp.DiscoverResult { return x.known.Load() }

// Discover implements [mcp.Exchange] (2026-07-28 server/discover).
func (x *modernClient) Discover(ctx context.Context) (*mcp.DiscoverResult, error) {
	result, err := x.Call(ctx, &mcp.ClientRequest{Method: "server/discover"})
	if err != nil {
		return nil, err
	}
	return x.learn(result)
}

// learn keeps what the server has said of itself.
func (x *modernClient) learn(result jsonrpc.Raw) (*mcp.DiscoverResult, error) {
	d, err := mcp.Read[mcp.DiscoverResult](result, "result")
	if err != nil {
		return nil, err
	}
	x.known.Store(&d)
	return &d, nil
}

// Ping implements [mcp.Exchange]. The modern era has no request of its own for it, but one
// that every server answers.
func (x *modernClient) Ping(ctx context.Context) error {
	_, err := x.Call(ctx, &mcp.ClientRequest{Method: "server/discover"})
	return err
}

// SetLogLevel implements [mcp.Exchange]: each request says it (2026-07-28
// server/utilities/logging).
func (x *modernClient) SetLogLevel(_ context.Context, level mcp.LogLevel) error {
	return x.reword(func(w *wording) { w.level = level })
}

// Notify implements [mcp.Exchange]. Notifications need none of the fields of requests.
func (x *modernClient) Notify(ctx context.Context, method string, params jsonrpc.Raw) error {
	out := &mcp.Outgoing{Method: method, Version: x.Form().Revision}
	if params != nil {
		out.Params = func(dst []byte, _ jsonrpc.ID) []byte { return append(dst, params...) }
	}
	return x.link.Notify(ctx, out)
}

// Done implements [mcp.Exchange].
func (x *modernClient) Done() <-chan struct{} { return x.link.Done() }

// Err implements [mcp.Exchange].
func (x *modernClient) Err() error { return x.link.Err() }

// Close implements [mcp.Exchange].
func (x *modernClient) Close() error {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	err := x.link.Close()
	x.running.Wait()
	return err
}

// run runs f beside the requests. It reports false, and does nothing, when the exchange is closed.
func (x *modernClient) run(f func()) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return false
	}
	x.running.Go(f)
	return true
}

var _ mcp.Exchange = (*modernClient)(nil)
