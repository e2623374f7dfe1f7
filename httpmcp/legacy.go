package httpmcp

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
)

// isLegacy reports whether a request comes in a legacy session, as its headers have it. Where
// there are no sessions, that is each one whose version is not another one (2025-11-25
// basic/transports, Protocol Version Header).
func (e *Endpoint) isLegacy(r *http.Request) bool {
	if r.Header[headerSession] != nil || !e.opts.stateless() {
		return r.Header[headerSession] != nil
	}
	version := r.Header.Get(headerVersion)
	return version == "" || legacy.Serves(version)
}

// legacyPost answers a message of the legacy era (2025-11-25 basic/transports, Sending Messages
// to the Server, and its likes since 2025-03-26).
func (e *Endpoint) legacyPost(x *exchange) {
	if x.opensSession() {
		e.initialize(x)
		return
	}
	s := x.join()
	if s == nil {
		return
	}
	defer s.leave()
	switch x.msg.Kind {
	case jsonrpc.Request:
		s.answer(x)
		return
	case jsonrpc.Notification:
		s.take(&x.msg, x)
	case jsonrpc.Response:
		s.deliver(&x.msg, nil)
	}
	e.opts.replyStatus(x.w, http.StatusAccepted)
}

// opensSession reports whether the message is an initialize that comes in no session.
func (x *exchange) opensSession() bool {
	return x.msg.Kind == jsonrpc.Request && string(x.msg.Method) == "initialize" && x.r.Header[headerSession] == nil
}

// checkOpening holds the version that initialize comes with, if any, against those that are served,
// in either era. One that is not may stand there if it is the one that is asked for: that is answered
// with another one (2025-11-25 basic/transports, Protocol Version Header; basic/lifecycle, Version
// Negotiation).
func (x *exchange) checkOpening() *jsonrpc.Error {
	for _, version := range x.r.Header[headerVersion] {
		if !legacy.Serves(version) && !slices.Contains(discover.Versions(), version) && !x.msg.Param("protocolVersion").Is(version) {
			return errVersion(append(discover.Versions(), legacy.Versions()...))
		}
	}
	return nil
}

// errVersion refuses a version that is none of those that a request may name.
func errVersion(served []string) *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.InvalidRequest, "The header MCP-Protocol-Version must be one of %s", strings.Join(served, ", "))
}

// initialize opens a session. One that fails leaves none behind.
func (e *Endpoint) initialize(x *exchange) {
	if told := x.checkOpening(); told != nil {
		x.refuse(http.StatusBadRequest, told)
		return
	}
	x.under()
	defer x.ctx.Cancel(context.Canceled)
	s := e.open(x.principal)
	x.out = jsonrpc.AppendResult(x.out[:0], x.msg.ID)
	out, told := jsonrpc.Invoke(x.ctx, s.legacy, &x.msg, nil, x.out, e.log)
	if told != nil {
		s.end()
		x.replyError(http.StatusOK, told)
		return
	}
	s.form = s.legacy.Form()
	defer s.leave()
	if r := e.admit(s); r != nil {
		s.end()
		x.refuse(r.status, r.told)
		return
	}
	x.out = append(out, '}')
	if s.id != "" {
		x.w.Header()[headerSession] = []string{s.id}
	}
	p := newLegacyPost(s, x)
	p.begin()
	x.place.silence.end() // it is answered already
	p.finish(x.out)
}

// take takes a notification in.
func (s *session) take(m *jsonrpc.Message, x *exchange) {
	if string(m.Method) == "notifications/cancelled" {
		if id, ok := legacy.Cancelled(m, s.endpoint.log); ok {
			s.cancelRequest(id)
		}
		return
	}
	ctx := s.context(x.r)
	defer ctx.Cancel(context.Canceled)
	// Nothing is sent to a client about its notification, so there is no peer.
	jsonrpc.Notice(ctx, &notice{s, x}, m, nil, s.endpoint.log)
}

// notice is a notification of the client.
type notice struct {
	session *session
	x       *exchange
}

// Notification implements [jsonrpc.Noticer] with the session.
func (n *notice) Notification(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer) {
	n.session.legacy.NotificationFrom(ctx, m, p, n.x.sender())
}

// legacyFault answers what is no message. Of a session that has ended that is said first, as of
// each request that names it (2025-11-25 basic/transports, Session Management). Where it was
// to be a response, no other will come.
func (e *Endpoint) legacyFault(x *exchange, told *jsonrpc.Error) {
	s := x.join()
	if s == nil {
		return
	}
	defer s.leave()
	if x.msg.Kind == jsonrpc.Response {
		s.deliver(&x.msg, told)
	}
	x.refuse(http.StatusBadRequest, told)
}

// traceLegacy logs a message of a stream, which outlives the request that it began with.
func (e *Endpoint) traceLegacy(dir string, message []byte) {
	e.trace(context.Background(), discover.LegacyEra, dir, message)
}

// legacyDelete ends a session (2025-11-25 basic/transports, Session Management).
func (e *Endpoint) legacyDelete(w http.ResponseWriter, r *http.Request) {
	s := e.joinKept(w, r, noDelete)
	if s == nil {
		return
	}
	defer s.leave()
	if !e.sessions.remove(s) {
		sessionEnded().reply(w)
		return
	}
	s.end()
	e.opts.replyStatus(w, http.StatusNoContent)
}

// join finds the session of the message, until its leave. Where there is none, it answers and returns
// nil.
func (x *exchange) join() *session {
	s, no := x.endpoint.join(x.r, x.principal)
	if no != nil {
		x.refuse(no.status, no.told)
		return nil
	}
	return s
}

// joinKept finds the session of a request that is no message, until its leave. Where there is none, it
// answers and returns nil; why is for where nothing is kept of any session.
func (e *Endpoint) joinKept(w http.ResponseWriter, r *http.Request, why string) *session {
	if e.opts.passing() {
		refuseMethod(w, e.opts.methods(), why)
		return nil
	}
	s, no := e.join(r, e.opts.principal(r))
	if no != nil {
		no.reply(w)
		return nil
	}
	return s
}
