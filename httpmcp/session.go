package httpmcp

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// session is one legacy session over HTTP: what a connection is on stdio. Ids in flight, our
// own requests and cancellations are the session's, whichever POST they come with.
type session struct {
	endpoint *Endpoint
	id       string
	owner    *mcp.Principal
	legacy   *legacy.Session
	form     *mcp.Form // negotiated
	outlet   stream    // that of GET: what belongs to no request
	passing  bool      // made for one request, see newPassing
	said     int       // bytes that the client has said of itself

	ctx    context.Context // parent of every handler's context
	cancel context.CancelCauseFunc

	users   atomic.Int64 // requests and streams that keep it from standing idle
	lastUse atomic.Int64 // when the last of them left, in nanoseconds since sessions.began

	mu       sync.Mutex
	inFlight map[string]*call   // the client's requests, by ID.Key
	working  int                // those whose handler has not returned
	asks     map[int64]*ask     // our requests
	lastAsk  int64              // the number of the newest
	streams  map[string]*stream // of POSTs that are not all answered, once they have begun
	last     int64              // number of the newest stream
	over     bool               // ended
}

// ask is a request of ours that waits for the client's answer.
type ask struct{ done chan given } // holds one

type given struct {
	result jsonrpc.Raw
	err    error
}

// newSession makes a session that waits for initialize and is not known to others.
func (e *Endpoint) newSession(owner *mcp.Principal) *session {
	s := &session{
		endpoint: e,
		id:       newSessionID(),
		owner:    owner,
		inFlight: make(map[string]*call),
		asks:     make(map[int64]*ask),
		streams:  make(map[string]*stream),
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.legacy = legacy.NewSession(e.server, &legacy.Options{Principal: owner, Outlet: s})
	s.outlet = stream{session: s, name: outletName}
	s.users.Store(1)
	return s
}

// leave ends what [sessions.enter] began.
func (s *session) leave() {
	s.lastUse.Store(int64(time.Since(s.endpoint.sessions.began)))
	s.users.Add(-1)
}

// end ends the session: handlers are cancelled, asks fail, streams end, and who waits for an
// answer is told. It waits for all but the handlers, which hold nothing of it.
func (s *session) end() {
	if s.passing {
		return // it has nothing but its request, which ends by itself
	}
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		return
	}
	s.over = true
	asks, streams := s.asks, []*stream{&s.outlet}
	s.asks = nil
	for _, t := range s.streams {
		streams = append(streams, t)
	}
	calls := slices.Collect(maps.Values(s.inFlight))
	s.mu.Unlock()
	for _, t := range streams {
		t.end()
	}
	for _, c := range calls {
		c.post.turnDown()
	}
	// From here on handlers say what nobody hears.
	s.cancel(jsonrpc.ErrClosed)
	for _, a := range asks {
		a.done <- given{err: jsonrpc.ErrClosed}
	}
	s.legacy.Close()
	s.endpoint.sessions.events.Drop(s.id, "")
}

// Notify implements [legacy.Outlet], on the stream of GET. While there is no such stream it
// waits for one: what changes meanwhile is told once, then.
func (s *session) Notify(method string, params []byte) error {
	message := jsonrpc.AppendMessage(nil, jsonrpc.ID{}, method, params)
	if !s.outlet.await(s.ctx.Done()) {
		return jsonrpc.ErrClosed
	}
	return s.outlet.send(message, nil)
}

// register takes a request on, or says why it may not be: an id is used by one request at a
// time (2025-11-25 basic/index, Requests) and their number is bounded.
func (s *session) register(c *call) *refusal {
	var buf [64]byte
	key := c.msg.ID.AppendKey(buf[:0])
	s.mu.Lock()
	defer s.mu.Unlock()
	switch most := s.endpoint.opts.maxSessionInFlight(); {
	case s.over:
		return sessionEnded()
	case s.inFlight[string(key)] != nil:
		return &refusal{http.StatusBadRequest, jsonrpc.Errorf(jsonrpc.InvalidRequest, "id is in use by a request that is not answered yet")}
	case s.working >= most:
		return &refusal{http.StatusTooManyRequests, jsonrpc.Errorf(jsonrpc.InternalError, "Too many requests in flight in this session: at most %d, wait for answers", most)}
	}
	s.working++
	c.key = string(key)
	s.inFlight[c.key] = c
	return nil
}

// finish takes the request out of flight, and reports whether it is still to be answered.
func (s *session) finish(c *call) bool {
	s.mu.Lock()
	s.working--
	if c.key != "" {
		delete(s.inFlight, c.key)
	}
	gone := c.gone
	s.mu.Unlock()
	c.ctx.Cancel(context.Canceled)
	return !gone
}

// cancelRequest ends a request that the client no longer wants.
func (s *session) cancelRequest(id jsonrpc.ID) {
	key := id.Key()
	s.mu.Lock()
	c := s.inFlight[key]
	if c == nil {
		s.mu.Unlock()
		return
	}
	c.gone = true
	c.key = "" // nothing is sent for it any more, so its id is free
	delete(s.inFlight, key)
	s.mu.Unlock()
	c.done.Store(true)
	c.ctx.Cancel(context.Canceled)
}

// addAsk takes a number for a request of ours; false when the session has ended.
func (s *session) addAsk() (int64, *ask, bool) {
	a := &ask{done: make(chan given, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return 0, nil, false
	}
	s.lastAsk++
	s.asks[s.lastAsk] = a
	return s.lastAsk, a, true
}

// forget gives a request of ours up, and reports whether it was still to be answered.
func (s *session) forget(n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, waits := s.asks[n]
	delete(s.asks, n)
	return waits
}

// deliver gives a response to whoever waits for it. told is not nil for one that is none: no
// other will come. One that nobody waits for, because it was given up, answered before or
// never asked, is dropped.
func (s *session) deliver(m *jsonrpc.Message, told *jsonrpc.Error) {
	a := s.waitsFor(m)
	switch {
	case a == nil:
		s.endpoint.log.Debug("response that nobody waits for", "id", jsonrpc.Clip(m.ID.Raw()))
	case told != nil:
		a.done <- given{err: jsonrpc.Errorf(jsonrpc.InternalError, "the peer sent a response that is none: %s", told.Message)}
	case m.Error != nil:
		a.done <- given{err: jsonrpc.ReadError(m.Error)}
	default:
		a.done <- given{result: bytes.Clone(m.Result)}
	}
}

// waitsFor finds who waits for a response, and who waits for it no more from then on.
func (s *session) waitsFor(m *jsonrpc.Message) *ask {
	n, known := m.ID.Raw().Int()
	if !known {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.asks[n]
	delete(s.asks, n)
	return a
}

// outletName is the name of the stream of GET in the event store. Those of POSTs are numbers.
const outletName = "get"

// addStream gives a stream that begins its name; "" when the session has ended.
func (s *session) addStream(t *stream) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return ""
	}
	s.last++
	name := strconv.FormatInt(s.last, 10)
	s.streams[name] = t
	return name
}

func (s *session) removeStream(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, name)
}

// stream finds a stream that is not over by its name.
func (s *session) stream(name string) *stream {
	if name == outletName {
		return &s.outlet
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[name]
}

// callContext is the parent of a handler's context: it ends with the session, and has the
// values of the HTTP request, whose own end does not count: a broken connection cancels
// nothing (2025-11-25 basic/transports, Sending Messages to the Server).
type callContext struct {
	context.Context // of the session
	values          context.Context
}

// Value implements [context.Context].
func (c *callContext) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.values.Value(key)
}

// context makes the context of one message that came with r.
func (s *session) context(r *http.Request) *jsonrpc.RequestContext {
	return jsonrpc.NewRequestContext(&callContext{s.ctx, r.Context()})
}
