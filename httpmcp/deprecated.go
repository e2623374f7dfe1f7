package httpmcp

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// SSEEndpoint serves one [mcp.Server] over the transport of revision 2024-11-05, HTTP with
// SSE, which 2025-03-26 replaced: a GET opens a stream, whose first event names the URL
// that the client sends its messages to by POST; each is answered with 202, and what the
// server has to say comes on the stream (2024-11-05 basic/transports, HTTP with SSE). It is an
// [http.Handler] for both, beside an [Endpoint] and at a path of its own.
//
// A stream is a legacy session and ends it when it ends: there is nothing to come back
// to, so its requests are cancelled then. Clients that fall back to this transport may
// negotiate any legacy revision over it. Modern requests are refused: that era has no such
// transport.
//
// Where several processes serve one URL, a client's POSTs must reach the one that has its
// stream.
type SSEEndpoint struct {
	server   *mcp.Server
	opts     *Options
	scan     jsonrpc.Scanner
	log      *slog.Logger
	load     load
	enlisted atomic.Bool // a [Serve] will shut it down

	mu      sync.Mutex
	streams map[string]*sseStream // by the id in the URL for messages

	posts sync.Pool // of *ssePost
}

// SSEHandler makes the endpoint of the deprecated transport for a server. A nil o means
// all defaults; what it says of event ids, and of sealed or absent sessions, does not
// apply. It panics when AllowedHosts or AllowedOrigins have what is no host or no
// origin. Call [SSEEndpoint.Shutdown] when it is no longer used; [Serve] does it.
func SSEHandler(s *mcp.Server, o *Options) *SSEEndpoint {
	o.mustHaveLists()
	e := &SSEEndpoint{
		server:  s,
		opts:    o,
		scan:    jsonrpc.Scanner{Inner: discover.Inner()},
		log:     s.Logger(),
		streams: make(map[string]*sseStream),
	}
	e.load.init(o)
	e.posts.New = func() any { return new(ssePost) }
	return e
}

// sseMethods are those that are served, as the header Allow lists them.
const sseMethods = "GET, POST"

// ServeHTTP implements [http.Handler].
func (e *SSEEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.log.Enabled(r.Context(), slog.LevelDebug) {
		witnessed(e.log, w, r, e.serve)
		return
	}
	e.serve(w, r)
}

func (e *SSEEndpoint) serve(w http.ResponseWriter, r *http.Request) {
	if !e.opts.receive(w, r, sseMethods, e.log) {
		return
	}
	if !e.enlisted.Load() && enlist(r, e) {
		e.enlisted.Store(true)
	}
	switch r.Method {
	case http.MethodGet:
		e.get(w, r)
	case http.MethodPost:
		e.post(w, r)
	default:
		refuseMethod(w, sseMethods, "Method not allowed: open a stream with GET")
	}
}

// Shutdown ends the endpoint in order: new streams and messages are answered with 503, what
// is worked on is finished and answered on its stream, and each stream ends when nothing is
// left. When ctx ends before that, the contexts of the handlers are cancelled and the streams
// cut; for handlers that ignore it a second is waited, and the error is [jsonrpc.ErrDrain] and
// that of ctx. It may be called more than once.
func (e *SSEEndpoint) Shutdown(ctx context.Context) error {
	return e.load.shutdown(ctx, func() {
		e.mu.Lock()
		open := slices.Collect(maps.Values(e.streams))
		e.mu.Unlock()
		for _, s := range open {
			s.abort()
		}
		e.load.isIdleWithin(lastWrites)
	})
}

// get opens a stream, and serves it until its client goes or the endpoint ends.
func (e *SSEEndpoint) get(w http.ResponseWriter, r *http.Request) {
	if !readAccept(r.Header).events {
		refuse(w, http.StatusNotAcceptable, "Accept must list text/event-stream")
		return
	}
	place := &place{}
	place.weigh(r, nil)
	if status, why := e.load.enter(place, asStream, e.opts); status != 0 {
		refuse(w, status, why)
		return
	}
	defer e.load.leave(place)
	events := newEventWriter(w, e.opts)
	defer events.close()
	s := e.newStream(e.opts.principal(r), events)
	defer s.router.Close()
	id := newSessionID()
	if !e.add(id, s) {
		refuse(w, http.StatusServiceUnavailable, "Too many sessions are open: try again later")
		return
	}
	defer e.remove(id)
	defer context.AfterFunc(r.Context(), s.abort)()
	err := events.named("endpoint", e.messageURL(r, id))
	if errors.Is(err, errNoFlush) {
		e.log.Error("event stream not opened", "error", err)
		refuse(w, http.StatusInternalServerError, "This server cannot stream")
	}
	if err != nil {
		return
	}
	if err = s.conn.Serve(endingContext{context.Background(), e.load.ending}); err != nil {
		e.log.Debug("event stream ended", "error", err)
	}
}

func (e *SSEEndpoint) add(id string, s *sseStream) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.streams) >= e.opts.maxSessions() {
		return false
	}
	e.streams[id] = s
	return true
}

func (e *SSEEndpoint) remove(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.streams, id)
}

// find returns the stream of a principal, nil when there is none: of somebody else's nobody
// learns that it is there.
func (e *SSEEndpoint) find(id string, who *mcp.Principal) *sseStream {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.streams[id]
	if s == nil || principalID(s.owner) != principalID(who) {
		return nil
	}
	return s
}

// sessionParam names the parameter of the URL for messages that holds the session's id.
const sessionParam = "sessionId"

// messageURL is where a client sends the messages of its session: the path and the query that
// it has asked with itself, and the id. It is a reference without scheme and host, which the client
// resolves against the URL that it used. The path is the one that came, since
// [http.StripPrefix] and its like change the one in r.URL.
func (e *SSEEndpoint) messageURL(r *http.Request, id string) string {
	path := e.opts.publicPath()
	if path == "" {
		path = r.URL.EscapedPath()
		if asked, err := url.ParseRequestURI(r.RequestURI); err == nil {
			path = asked.EscapedPath()
		}
	}
	if strings.HasPrefix(path, "//") {
		path = "/." + path // two slashes begin a host (RFC 3986, section 4.2)
	}
	query := r.URL.Query()
	query.Set(sessionParam, id)
	return path + "?" + query.Encode()
}
