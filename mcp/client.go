package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"isthmus.internal/jsonrpc"
)

// Client calls one server, in the era and the revision that the server speaks.
// discover.Connect makes clients that are connected. All methods may be called from any
// goroutine at any time, as many at once as there is need.
//
// Requests have the bounds of [ClientOptions] and [CallOptions]; when one of them is
// reached, or ctx ends, the server is told that the answer is not wanted any more, and the
// error matches that of the context. An error of the server is a [*jsonrpc.Error], and a response
// of it that is none a [*jsonrpc.BrokenResponse]. When the connection has ended the error matches
// [ErrLinkClosed], and the client stays so.
//
// The functions of the options that take what the server tells (Log, Changed, Notice and
// each Progress) run one at a time, in the order in which it came. They may call the
// client, but should not wait for a request that has a Progress of its own, since that waits
// for them, as long as its Timeout. Elicit, Sample and Roots run beside them and beside each other.
type Client struct {
	opts  ClientOptions
	info  Implementation
	log   *slog.Logger
	level atomic.Uint32 // the LogLevel that is asked for

	encodes  sync.Once                // makes encoder
	encoder  encoder                  // of arguments that are Go values; nil before the first
	takers   sync.Map                 // of each Out of [CallTool], by its reflect.Type
	exchange atomic.Pointer[attached] // nil before Attach
	tools    knownTools               // what lists have told of them
	told     deliveries               // what the functions of the options are told
	alarms   alarms                   // for the bounds of time
	scratch  sync.Pool                // *scratch, for the next call of a tool
	cache    cache
	asks     asks          // the server's questions
	subs     subscriptions // of Listen
}

// attached is an exchange, in a type of its own so that it can be stored at once.
type attached struct{ Exchange }

// NewClient makes a client that is not connected yet; discover.Connect calls it. Its
// requests fail until [Client.Attach] gives it an exchange. o may be nil; it is copied.
func NewClient(o *ClientOptions) *Client {
	c := &Client{}
	if o != nil {
		c.opts = *o
	}
	c.info, c.log = c.opts.info(), c.opts.logger()
	c.level.Store(uint32(c.opts.LogLevel))
	c.told.log = c.log
	c.cache.init(&c.opts)
	return c
}

// Attach gives the client an exchange to speak by. It may be called again: the new one
// takes over for requests that begin from then on, and the one before is not closed. It is
// for packages that make exchanges.
func (c *Client) Attach(x Exchange) {
	c.exchange.Store(&attached{x})
	c.cache.forget()
	c.tools.forget()
}

// errUnattached is the error of requests before [Client.Attach].
var errUnattached = errors.New("mcp: the client is not connected: discover.Connect makes clients that are")

// speaks is the exchange that is in use.
func (c *Client) speaks() (Exchange, error) {
	if x := c.exchange.Load(); x != nil {
		return x.Exchange, nil
	}
	return nil, errUnattached
}

// Info is what the client says of itself.
func (c *Client) Info() Implementation { return c.info }

// Capabilities is what the server may ask of the client. [Append] leaves out what a
// revision does not know.
func (c *Client) Capabilities() ClientCapabilities { return c.opts.capabilities() }

// Logger is where faults go that nobody is told. It is never nil.
func (c *Client) Logger() *slog.Logger { return c.log }

// LogLevel is the least grave level of messages that is asked for now: that of the
// options, or what [Client.SetLogLevel] has set since. An exchange asks for it from its
// first request on.
func (c *Client) LogLevel() LogLevel { return LogLevel(c.level.Load()) }

// SetLogLevel asks the server for log messages from this level on, and 0 for none. It is
// in force for the requests that follow (2026-07-28 server/utilities/logging; 2025-11-25
// server/utilities/logging, Setting Log Level).
func (c *Client) SetLogLevel(ctx context.Context, level LogLevel) error {
	if level > LogEmergency {
		return fmt.Errorf("mcp: %d is no level of logging: the levels are %s", level, LogLevelNames)
	}
	x, err := c.speaks()
	if err != nil {
		return err
	}
	ctx, limit := c.limit(ctx, "logging/setLevel")
	before := c.level.Swap(uint32(level))
	if err = limit.end(x.SetLogLevel(ctx, level)); err != nil {
		c.level.CompareAndSwap(uint32(level), before)
	}
	return err
}

// Server is what the server has said of itself. It is nil while the server was not asked, as in
// the modern era it need not be; see [Client.Discover]. It must not be changed.
func (c *Client) Server() *DiscoverResult {
	x, err := c.speaks()
	if err != nil {
		return nil
	}
	return x.Server()
}

// Discover asks the server what it is: its versions, capabilities, name and instructions
// (2026-07-28 server/discover). In the legacy era it is what the handshake has told.
func (c *Client) Discover(ctx context.Context) (*DiscoverResult, error) {
	x, err := c.speaks()
	if err != nil {
		return nil, err
	}
	ctx, limit := c.limit(ctx, "server/discover")
	d, err := x.Discover(ctx)
	return d, limit.end(err)
}

// form is the revision that is spoken, nil before [Client.Attach].
func (c *Client) form() *Form {
	if x := c.exchange.Load(); x != nil {
		return x.Form()
	}
	return nil
}

// ProtocolVersion is the revision that is spoken, such as "2026-07-28".
func (c *Client) ProtocolVersion() string {
	if f := c.form(); f != nil {
		return f.Revision
	}
	return ""
}

// Era is the era that is spoken, [Legacy] or [Modern].
func (c *Client) Era() Eras {
	if f := c.form(); f != nil {
		return f.Era
	}
	return 0
}

// Ping asks whether the server is there.
func (c *Client) Ping(ctx context.Context) error {
	x, err := c.speaks()
	if err != nil {
		return err
	}
	ctx, limit := c.limit(ctx, "ping")
	return limit.end(x.Ping(ctx))
}

// Notify sends a notification, one of an extension for example. params is an object, or
// nil.
func (c *Client) Notify(ctx context.Context, method string, params jsonrpc.Raw) error {
	x, err := c.speaks()
	if err != nil {
		return err
	}
	if params, err = oneObject("params", params); err != nil {
		return err
	}
	ctx, limit := c.limit(ctx, method)
	return limit.end(x.Notify(ctx, method, params))
}

// Close ends the connection in the order that its transport has for that, within a bounded
// time. Requests that wait for answers fail, and subscriptions end. What has come for the
// functions of the options is told before Close returns, as far as they take no more than a
// second for it. The second call does nothing.
func (c *Client) Close() error {
	x, err := c.speaks()
	if err != nil {
		return nil
	}
	stop := c.subs.close()
	err = x.Close()
	stop()
	c.told.close()
	return err
}

// Done is closed when the connection has ended: by Close, or because the server has gone.
// It is nil before [Client.Attach].
func (c *Client) Done() <-chan struct{} {
	x, err := c.speaks()
	if err != nil {
		return nil
	}
	return x.Done()
}

// Err is nil until Done is closed, and then says why, matching [ErrLinkClosed].
func (c *Client) Err() error {
	x, err := c.speaks()
	if err != nil {
		return nil
	}
	return x.Err()
}
