package mcp

import (
	"log/slog"
	"math"
	"os"
	"time"

	"isthmus.internal/jsonrpc"
)

// ServerOptions are what a server may say and do beyond its name. A nil pointer,
// and every zero field, means the default that the field's comment gives.
type ServerOptions struct {
	// Title, Description, WebsiteURL and Icons tell people about the server (see
	// [Implementation]). Default: none.
	Title, Description, WebsiteURL string
	Icons                          []Icon

	// Instructions tell a model how to use the server (2026-07-28
	// server/discover, instructions). Default: none.
	Instructions string

	// Logger takes what no peer is told. It must not write to standard output
	// where that carries the protocol. Default: warnings and errors as text on
	// standard error.
	Logger *slog.Logger

	// Cache is the hint on results that clients may cache. Default: stale at
	// once and private, which is always right.
	Cache CacheHint

	// Keys seal what clients bring back: cursors, and the requestState of a request that
	// has asked for input. Processes that serve the same clients share them, so that a
	// retry may reach any of them. Default: the state of requests stays in this process,
	// 16 MiB of it at the most, and no other one knows it; and there are no pages.
	Keys Sealer

	// Ask bounds what handlers ask their clients.
	Ask AskOptions

	// ToolsCache, PromptsCache, ResourcesCache and TemplatesCache are the hints on the
	// lists of that kind. A list in which something is not visible to everybody is
	// private all the same. Default: Cache.
	ToolsCache, PromptsCache, ResourcesCache, TemplatesCache *CacheHint

	// PageSize is how many items a page of a list holds. The cursors of pages are sealed,
	// so they need Keys: one is good for as long as the keys are, for one list and, unless
	// the list is public, one principal. What is added or removed between two pages makes
	// nothing else appear twice or be left out. Replicas that share keys take each other's
	// cursors; they must register the same things in the same order. Default: each list
	// is one page.
	PageSize int

	// Logging declares that the server logs to its clients, and makes [Call.Log] do
	// so. Default: neither.
	Logging bool

	// ProgressInterval is the shortest time between two notifications of progress of
	// one request, once ten have been sent. Less than 0 means no limit. Default:
	// 50 ms.
	ProgressInterval time.Duration

	// Static says that the lists and the resources never change once the server
	// serves. Then it declares no notifications of changes, sends none, and has
	// neither subscriptions/listen nor resources/subscribe. Default: they may change.
	Static bool

	// Bus carries changes between replicas of the server. Default: clients are told
	// of what happens in this server.
	Bus Bus

	// MaxSubscriptions bounds the uris that one session, or one subscriptions/listen
	// request, may subscribe to. More are refused. Default: 1024.
	MaxSubscriptions int

	// Middleware stands around every row of the handler table, the first outermost.
	// Default: none.
	Middleware []Middleware

	// Experimental and Extensions are declared among the capabilities: settings
	// objects by name (2026-07-28 basic/versioning, Extension Negotiation).
	// Extensions exist from 2026-07-28 on. Default: none.
	Experimental, Extensions map[string]jsonrpc.Raw
}

// CacheHint tells clients for how long and for whom a result may be kept
// (2026-07-28 server/utilities/caching). It is a hint and guards nothing.
type CacheHint struct {
	// TTL is how long the result may count as fresh, sent in whole milliseconds;
	// 0, and everything below a millisecond, means stale at once.
	TTL time.Duration
	// Public: the result is the same for everybody and shared caches may serve
	// it to anyone. False: it is for the caller's authorization alone.
	Public bool
}

func (o *ServerOptions) logger() *slog.Logger {
	if o == nil || o.Logger == nil {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	return o.Logger
}

func (o *ServerOptions) identity(name, version string) Implementation {
	i := Implementation{Name: name, Version: version}
	if o != nil {
		i.Title, i.Description, i.WebsiteURL, i.Icons = o.Title, o.Description, o.WebsiteURL, o.Icons
	}
	return i
}

func (o *ServerOptions) instructions() string {
	if o == nil {
		return ""
	}
	return o.Instructions
}

func (o *ServerOptions) cache() CacheHint {
	if o == nil {
		return CacheHint{}
	}
	return o.Cache
}

func (o *ServerOptions) pageSize() int {
	if o == nil || o.PageSize <= 0 {
		return math.MaxInt
	}
	return o.PageSize
}

// listCache is the hint on a list that has this one of its own, or nil.
func (o *ServerOptions) listCache(own *CacheHint) CacheHint {
	if own == nil {
		return o.cache()
	}
	return *own
}

// readCache is the hint on a resource that has this one of its own, or nil, and is
// visible to those whom filter lets pass.
func (o *ServerOptions) readCache(own *CacheHint, filter func(*Principal) bool) CacheHint {
	hint := o.listCache(own)
	hint.Public = hint.Public && filter == nil
	return hint
}

func (o *ServerOptions) maxSubscriptions() int {
	if o == nil || o.MaxSubscriptions <= 0 {
		return 1024
	}
	return o.MaxSubscriptions
}

func (o *ServerOptions) progressInterval() time.Duration {
	if o == nil || o.ProgressInterval == 0 {
		return 50 * time.Millisecond
	}
	return o.ProgressInterval
}

func (o *ServerOptions) experimental() map[string]jsonrpc.Raw {
	if o == nil {
		return nil
	}
	return o.Experimental
}

func (o *ServerOptions) extensions() map[string]jsonrpc.Raw {
	if o == nil {
		return nil
	}
	return o.Extensions
}
