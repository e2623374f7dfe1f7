package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Bridge stands before one server. All methods may be called from several goroutines at once.
type Bridge struct {
	opts    *Options
	dial    func() discover.Transport
	log     *slog.Logger
	verdict *discover.Verdict
	server  *mcp.Server
	offers  mcp.ServerCapabilities

	ctx     context.Context // of the bridge
	stop    context.CancelFunc
	running sync.WaitGroup // goroutines of the bridge's own
	lines   lines          // to the server
	parked  parking        // calls whose clients may be away
	marks   marks          // of tools, for headers
	telling atomic.Int64   // bytes that wait in all queues

	mu     sync.Mutex
	closed bool
}

// New connects to the server that dial leads to, and makes a bridge to it. dial is called
// for each connection anew, by one goroutine at a time or by several. ctx bounds the
// connecting alone. The bridge has to be closed, after what serves it. A nil o means all
// defaults.
func New(ctx context.Context, dial func() discover.Transport, o *Options) (*Bridge, error) {
	b := &Bridge{opts: o, dial: dial, log: o.logger()}
	b.ctx, b.stop = context.WithCancel(context.Background())
	b.lines.bridge, b.parked.bridge = b, b
	shared := newLine(b, nil)
	shared.several = !o.single()
	client, verdict, err := discover.Connect(ctx, dial(), shared.connectOptions())
	if err != nil {
		b.stop()
		return nil, err
	}
	b.verdict = verdict
	said, err := b.learn(ctx, client)
	if err == nil {
		err = b.build(said)
	}
	if err != nil || verdict.Era == mcp.Legacy {
		// A legacy server has been told of no client yet.
		if closeErr := client.Close(); err == nil && closeErr != nil {
			b.log.Warn("the first connection to the server has not ended well", "error", closeErr)
		}
	}
	if err != nil {
		b.stop()
		return nil, err
	}
	if verdict.Era == mcp.Modern {
		shared.adopt(client)
		b.lines.shared = shared
	}
	return b, nil
}

// Server is what clients are served with, by any transport and several at once. It is the same
// one each time.
func (b *Bridge) Server() *mcp.Server { return b.server }

// Verdict is the era and the revision of the server, and how that was found.
func (b *Bridge) Verdict() discover.Verdict { return *b.verdict }

// Close ends what is under way and all connections to the server, and waits for that. The
// second call does nothing.
func (b *Bridge) Close() error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	b.closed = true
	b.mu.Unlock()
	b.stop()
	b.parked.close()
	err := b.lines.close()
	b.running.Wait()
	return err
}

// run runs f beside the requests. It reports false, and does nothing, when the bridge is closed.
func (b *Bridge) run(f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.running.Go(f)
	return true
}

// learn asks the server what it is.
func (b *Bridge) learn(ctx context.Context, c *mcp.Client) (*mcp.DiscoverResult, error) {
	said := c.Server()
	if said == nil {
		var err error
		if said, err = c.Discover(ctx); err != nil {
			return nil, err
		}
	}
	b.offers = said.Capabilities
	if c.ProtocolVersion() < "2025-03-26" && (b.offers.Prompts != nil || b.offers.Resources != nil) {
		b.offers.Completions = completes(ctx, c)
	}
	return said, nil
}

// completes asks a server of a revision that cannot declare it whether it completes.
func completes(ctx context.Context, c *mcp.Client) bool {
	_, err := c.Do(ctx, "completion/complete", jsonrpc.Raw(`{"ref":{"type":"ref/prompt","name":""},"argument":{"name":"","value":""}}`), nil)
	return !errors.Is(err, &jsonrpc.Error{Code: jsonrpc.MethodNotFound})
}

// build makes the server that clients see.
func (b *Bridge) build(said *mcp.DiscoverResult) (err error) {
	// NewServer panics at what a program must not say of itself. Here a stranger says it.
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("bridge: what the server says of itself cannot be passed on: %v", v)
		}
	}()
	identity, unread := mcp.ReadImplementation(said.Meta[mcp.MetaServerInfo], "serverInfo")
	if unread != nil || identity.Name == "" {
		identity = mcp.Implementation{Name: "unknown", Version: "0"} // it need not say
	}
	o := &mcp.ServerOptions{
		Title: identity.Title, Description: identity.Description, WebsiteURL: identity.WebsiteURL, Icons: identity.Icons,
		Instructions: said.Instructions, Logger: b.log, Logging: b.offers.Logging,
		Experimental: settings(b.offers.Experimental, false), Extensions: settings(b.offers.Extensions, true),
		ProgressInterval: -1, // the server has one of its own
		Ask:              mcp.AskOptions{TTL: b.opts.askTime(), Rounds: mostRounds},
	}
	if said.Cache != nil {
		o.Cache = *said.Cache
	}
	b.server = mcp.NewServer(identity.Name, identity.Version, o)
	b.server.Forward(mcp.Forward{
		Answer: b.answer, Notice: b.notice, Capabilities: b.offers, HeaderParams: b.marks.of,
	})
	return nil
}

// settings are those of the named capabilities that can be declared. prefixed: their names must
// have a prefix, as those of extensions.
func settings(all map[string]jsonrpc.Raw, prefixed bool) map[string]jsonrpc.Raw {
	kept := maps.Clone(all)
	maps.DeleteFunc(kept, func(name string, value jsonrpc.Raw) bool {
		return value.Kind() != jsonrpc.KindObject || prefixed && !strings.Contains(name, "/")
	})
	return kept
}

// modern reports whether the server speaks the modern era.
func (b *Bridge) modern() bool { return b.lines.shared != nil }
