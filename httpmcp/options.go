package httpmcp

import (
	"net/http"
	"time"

	"isthmus.internal/mcp"
)

// Options are what an endpoint knows of its place, and its bounds. A nil pointer, and every
// field that is zero or less, mean the default that the field's comment gives. They must
// not be changed once in use.
type Options struct {
	// Principal says who sends a request, as what stands in front of the endpoint has
	// proved it: it reads what that has left in the request's context. It is called
	// once for each request, from many goroutines. Default: nobody in particular, so
	// whoever knows the id of a session is taken for its owner.
	Principal func(*http.Request) *mcp.Principal

	// AllowedOrigins are the origins, such as "https://app.example", whose pages may
	// call the endpoint. They get the headers of CORS. Requests without Origin, and
	// from the endpoint's own origin, always pass. Default: none.
	AllowedOrigins []string

	// AllowedHosts are the names, such as "app.example" or "app.example:8443", that a
	// request to a loopback address may carry in Host besides those of the loopback. A
	// proxy on the same machine that keeps the name of its clients needs it.
	// Default: none.
	AllowedHosts []string

	// MaxBody bounds a request body, in bytes. A longer one is answered with 413.
	// Default: 4 MiB.
	MaxBody int64

	// BodyTime bounds how long one request body may take to arrive. One that takes
	// longer is answered with 408. This time, WriteTime for replies and KeepAlive for calls
	// that are quiet are kept to within a sixteenth of the shortest of the three: an endpoint
	// looks at all that is slow at once. Default: 30 s.
	BodyTime time.Duration

	// WriteTime bounds how long one write may wait for a client that reads slowly: a
	// reply, or one event of a stream. Then the connection is given up. Default: 30 s.
	WriteTime time.Duration

	// KeepAlive is how long a stream may be quiet before a comment is sent on it, so
	// that nothing between takes the connection for dead. Default: 25 s.
	KeepAlive time.Duration

	// MaxInFlight bounds the requests that are worked on at once, streams aside, and
	// legacy ones whose handler waits for its client. The next one is answered with 503.
	// Default: 1024.
	MaxInFlight int

	// MaxSessionInFlight bounds the requests of one legacy session that are worked on
	// at once. The next one is answered with 429. Default: 64.
	MaxSessionInFlight int

	// MaxStreams bounds the subscriptions/listen requests and the streams of GET that
	// are open at once. The next one is answered with 503. Default: 10,000.
	MaxStreams int

	// MaxSessions bounds the legacy sessions that are open at once. The next
	// initialize is answered with 503. Default: 10,000.
	MaxSessions int

	// SessionIdle is how long a legacy session may go without a request or an open
	// stream before it is ended. Default: 30 min.
	SessionIdle time.Duration

	// Events keeps the events of legacy streams, for clients that take a stream up
	// again. Default: they are kept in memory, within the bounds of
	// [NewMemoryEvents].
	Events EventStore

	// Retry is how long a legacy client is told to wait before it takes a stream up
	// again. Default: 1 s.
	Retry time.Duration

	// Stateless serves legacy clients without sessions: each request stands for
	// itself, in the revision that its header names, and nothing is known of its client.
	// That cannot be asked or cancel a request, and is told nothing outside of its
	// requests. Default: false, legacy clients have
	// sessions.
	Stateless bool

	// SessionKeys makes the ids of legacy sessions sealed tokens, which hold all that
	// there is to know of the session: its revision, and what the client says of itself, for
	// which there are some 3 KiB. Every process that has the same keys serves it, and none
	// keeps anything. Such a client cannot be asked or cancel a request, and is told
	// nothing outside of its requests; its session cannot be ended before its time.
	// Without effect beside Stateless. Default: nil, ids are random and sessions are kept
	// in the process.
	SessionKeys mcp.Sealer

	// SessionLife is how long a sealed session is good for. Default: 24 h.
	SessionLife time.Duration

	// PublicPath is the path of an [SSEEndpoint] as its clients write it, such as
	// "/gateway/sse", where a proxy on the way changes paths: clients are told to send
	// their messages there. Default: the path that a request comes with.
	PublicPath string
}

func (o *Options) principal(r *http.Request) *mcp.Principal {
	if o == nil || o.Principal == nil {
		return nil
	}
	return o.Principal(r)
}

func (o *Options) allowedOrigins() []string {
	if o == nil {
		return nil
	}
	return o.AllowedOrigins
}

func (o *Options) allowedHosts() []string {
	if o == nil {
		return nil
	}
	return o.AllowedHosts
}

func (o *Options) maxBody() int64 {
	if o == nil || o.MaxBody <= 0 {
		return 4 << 20
	}
	return o.MaxBody
}

func (o *Options) bodyTime() time.Duration {
	if o == nil || o.BodyTime <= 0 {
		return 30 * time.Second
	}
	return o.BodyTime
}

func (o *Options) writeTime() time.Duration {
	if o == nil || o.WriteTime <= 0 {
		return 30 * time.Second
	}
	return o.WriteTime
}

func (o *Options) keepAlive() time.Duration {
	if o == nil || o.KeepAlive <= 0 {
		return 25 * time.Second
	}
	return o.KeepAlive
}

func (o *Options) maxInFlight() int {
	if o == nil || o.MaxInFlight <= 0 {
		return 1024
	}
	return o.MaxInFlight
}

func (o *Options) maxSessionInFlight() int {
	if o == nil || o.MaxSessionInFlight <= 0 {
		return 64
	}
	return o.MaxSessionInFlight
}

func (o *Options) maxStreams() int {
	if o == nil || o.MaxStreams <= 0 {
		return 10_000
	}
	return o.MaxStreams
}

func (o *Options) maxSessions() int {
	if o == nil || o.MaxSessions <= 0 {
		return 10_000
	}
	return o.MaxSessions
}

func (o *Options) sessionIdle() time.Duration {
	if o == nil || o.SessionIdle <= 0 {
		return 30 * time.Minute
	}
	return o.SessionIdle
}

func (o *Options) retry() time.Duration {
	if o == nil || o.Retry <= 0 {
		return time.Second
	}
	return o.Retry
}

func (o *Options) stateless() bool { return o != nil && o.Stateless }

func (o *Options) sessionKeys() mcp.Sealer {
	if o == nil {
		return nil
	}
	return o.SessionKeys
}

func (o *Options) sessionLife() time.Duration {
	if o == nil || o.SessionLife <= 0 {
		return 24 * time.Hour
	}
	return o.SessionLife
}

func (o *Options) publicPath() string {
	if o == nil {
		return ""
	}
	return o.PublicPath
}

// events is the store of an endpoint: each has one of its own unless the option says
// otherwise.
func (o *Options) events() EventStore {
	if o == nil || o.Events == nil {
		return NewMemoryEvents(nil)
	}
	return o.Events
}
