package httpmcp

import (
	"context"
	"crypto/rand"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// The headers of a legacy session, in canonical form.
const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	headerLast    = "Last-Event-Id"
)

// sessions are the legacy sessions of an endpoint, by id. They end by DELETE, by standing
// idle, and with the endpoint.
type sessions struct {
	endpoint *Endpoint
	events   EventStore
	all      context.Context // ends with the endpoint: that of sessions that nothing is kept of
	endAll   context.CancelCauseFunc
	began    time.Time // what times of last use count from; a clock that is set moves none of them

	mu       sync.Mutex
	byID     map[string]*session
	said     int            // bytes that their clients have said of themselves
	over     bool           // no session is added any more
	timer    *time.Timer    // sweeps; nil while there is no session
	sweeping sync.WaitGroup // sweeps under way
}

func newSessions(e *Endpoint) *sessions {
	t := &sessions{endpoint: e, events: sturdyEvents{e.opts.events(), e.log}, began: time.Now(), byID: make(map[string]*session)}
	t.all, t.endAll = context.WithCancelCause(context.Background())
	return t
}

// newSessionID makes an id of 130 random bits or more, of letters and digits alone (2025-11-25
// basic/transports, Session Management).
func newSessionID() string { return rand.Text() }

// The bounds of what the clients of sessions say of themselves, which is kept as long as their
// sessions are, in bytes: of one, and of all together.
const (
	longestSaid = 64 << 10
	mostSaid    = 64 << 20
)

func errSaidTooMuch() *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.InvalidParams,
		"params.clientInfo and params.capabilities are too long: together at most %d bytes; leave out icons, for example", longestSaid)
}

// add makes a session known. It reports false when there is no room, or the endpoint ends.
func (t *sessions) add(s *session) bool {
	o := t.endpoint.opts
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || len(t.byID) >= o.maxSessions() || t.said+s.said > mostSaid {
		return false
	}
	t.byID[s.id] = s
	t.said += s.said
	if t.timer == nil {
		t.timer = time.AfterFunc(o.sessionIdle(), t.sweep)
	}
	return true
}

// enter finds a session and keeps it from standing idle until its leave. nil: there is none
// with this id, or no more.
func (t *sessions) enter(id string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s != nil {
		s.users.Add(1)
	}
	return s
}

// knows reports whether a header names a session that is kept.
func (t *sessions) knows(h http.Header) bool {
	id := h[headerSession]
	if len(id) != 1 {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id[0]] != nil
}

// remove makes a session unknown. It reports whether it was known.
func (t *sessions) remove(s *session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.byID[s.id] == s
	if known {
		t.removeLocked(s)
	}
	return known
}

func (t *sessions) removeLocked(s *session) {
	delete(t.byID, s.id)
	t.said -= s.said
}

// sweep ends the sessions that have stood idle for too long, and comes again when the next
// one may be due. It runs on the timer's goroutine, so none waits between.
func (t *sessions) sweep() {
	t.mu.Lock()
	if t.over {
		t.mu.Unlock()
		return
	}
	t.sweeping.Add(1)
	defer t.sweeping.Done()
	idle := t.endpoint.opts.sessionIdle()
	var due []*session
	next := idle
	for _, s := range t.byID {
		if s.users.Load() > 0 {
			continue
		}
		left := idle - time.Since(t.began.Add(time.Duration(s.lastUse.Load())))
		if left <= 0 {
			due = append(due, s)
			t.removeLocked(s)
		} else {
			next = min(next, left)
		}
	}
	if len(t.byID) > 0 {
		t.timer.Reset(max(next, idle/16))
	} else {
		t.timer = nil
	}
	t.mu.Unlock()
	for _, s := range due {
		s.end()
	}
	if len(due) > 0 {
		t.endpoint.log.Debug("sessions that stood idle have ended", "sessions", len(due))
	}
}

// cancel ends the contexts of all handlers. What they answer to that still goes out, and so does
// what they say before: the sessions themselves end with end.
func (t *sessions) cancel() {
	t.mu.Lock()
	all := slices.Collect(maps.Values(t.byID))
	t.mu.Unlock()
	t.endAll(jsonrpc.ErrClosed)
	for _, s := range all {
		s.cancel(jsonrpc.ErrClosed)
	}
}

// end ends all sessions, for good.
func (t *sessions) end() {
	t.mu.Lock()
	t.over = true
	all := t.byID
	t.byID = make(map[string]*session)
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	t.mu.Unlock()
	t.endAll(jsonrpc.ErrClosed)
	for _, s := range all {
		s.end()
	}
	t.sweeping.Wait()
}

// join finds the session that a request names, for who sends it, and keeps it until its leave.
// It is the one place where requests come into sessions.
func (e *Endpoint) join(r *http.Request, who *mcp.Principal) (*session, *refusal) {
	if e.opts.passing() {
		return e.rejoin(r, who)
	}
	id := r.Header[headerSession]
	if len(id) != 1 || id[0] == "" {
		return nil, noSessionID()
	}
	s := e.sessions.enter(id[0])
	if s == nil || principalID(s.owner) != principalID(who) {
		// Another one's session is not there for this one: an id is no proof of who
		// asks (2025-11-25 basic/transports, Session Management, 1).
		if s != nil {
			s.leave()
		}
		return nil, noSession()
	}
	if told := s.checkVersion(r.Header); told != nil {
		s.leave()
		return nil, &refusal{http.StatusBadRequest, told}
	}
	return s, nil
}

// checkVersion holds the version that a request names against what was negotiated. A request
// that names none follows that anyway (2025-11-25 basic/transports, Protocol Version
// Header).
func (s *session) checkVersion(h http.Header) *jsonrpc.Error {
	for _, version := range h[headerVersion] {
		if version != s.form.Revision {
			return jsonrpc.Errorf(jsonrpc.InvalidRequest,
				"The header MCP-Protocol-Version must be %s, as was negotiated for this session", s.form.Revision)
		}
	}
	return nil
}

// principalID is "" for nobody in particular.
func principalID(p *mcp.Principal) string {
	if p == nil {
		return ""
	}
	return p.ID
}
