package httpmcp

import (
	"context"
	"errors"
	"log/slog"
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
	s, r := e.join(x.r, x.principal)
	if r != nil {
		x.refuse(r.status, r.told)
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
	s := e.open(x.principal)
	x.out = append(x.out[:0], `{"jsonrpc":"2.0","id":`...)
	x.out = append(append(x.out, x.msg.ID.Raw()...), `,"result":`...)
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
	e.vigil.end(&p.watched) // it is answered already
	p.finish(x.out)
}

// take takes a notification in.
func (s *session) take(m *jsonrpc.Message, x *exchange) {
	if string(m.Method) == "notifications/cancelled" {
		s.takeCancellation(m)
		return
	}
	ctx := s.context(x.r)
	defer ctx.Cancel(context.Canceled)
	// Nothing is sent to a client about its notification, so there is no peer.
	jsonrpc.Notice(ctx, &notice{s, x}, m, nil, s.endpoint.log)
}

// takeCancellation ends what the client no longer wants. One that makes no sense is passed
// over (2025-11-25 basic/utilities/cancellation, Error Handling).
func (s *session) takeCancellation(m *jsonrpc.Message) {
	log := s.endpoint.log
	id, ok := jsonrpc.ParseID(m.Param("requestId"))
	if !ok {
		log.Debug("cancellation without a usable requestId")
		return
	}
	reason, _ := m.Param("reason").Text()
	log.Debug("cancellation", "id", id.String(), "reason", reason)
	s.cancelRequest(id)
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
	s, r := e.join(x.r, x.principal)
	if r != nil {
		x.refuse(r.status, r.told)
		return
	}
	defer s.leave()
	if x.msg.Kind == jsonrpc.Response {
		s.deliver(&x.msg, told)
	}
	x.refuse(http.StatusBadRequest, told)
}

// traceLegacy logs one message at debug level. dir is "in" or "out".
func (e *Endpoint) traceLegacy(dir string, message []byte) {
	if e.debug {
		e.log.LogAttrs(context.Background(), slog.LevelDebug, "message", slog.String("direction", dir),
			slog.String("era", discover.LegacyEra.String()), slog.String("message", string(message)))
	}
}

// legacyDelete ends a session (2025-11-25 basic/transports, Session Management).
func (e *Endpoint) legacyDelete(w http.ResponseWriter, r *http.Request) {
	if e.opts.passing() {
		e.opts.refuseMethod(w, noDelete)
		return
	}
	s, no := e.join(r, e.opts.principal(r))
	if no != nil {
		no.reply(w)
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

// legacyGet has a stream of a session carried to the client: that of what belongs to no request,
// or the one that the client wants to take up again (2025-11-25 basic/transports, Listening
// for Messages from the Server, and Resumability and Redelivery).
func (e *Endpoint) legacyGet(w http.ResponseWriter, r *http.Request) {
	if e.opts.passing() {
		e.opts.refuseMethod(w, noOutlet)
		return
	}
	s, no := e.join(r, e.opts.principal(r))
	if no != nil {
		no.reply(w)
		return
	}
	defer s.leave()
	if !readAccept(r.Header).events {
		refuse(w, http.StatusNotAcceptable, "Accept must list text/event-stream: a GET opens a stream")
		return
	}
	ctx := jsonrpc.NewRequestContext(context.Background())
	if status, why := e.load.enter(ctx, true, e.opts); status != 0 {
		refuse(w, status, why)
		return
	}
	defer e.load.leave(ctx)
	c := &carrier{w: w, events: newEventWriter(w, e.opts), wake: make(chan struct{}, 1)}
	if !canFlush(w) {
		e.log.Error("no stream can be sent", "error", errNoFlush)
		w.Header().Set("Allow", "POST, DELETE")
		refuse(w, http.StatusMethodNotAllowed, "This server cannot send streams")
		return
	}
	s.carry(c, r)
}

// carry has c carry the stream that r asks for, until one of them ends.
func (s *session) carry(c *carrier, r *http.Request) {
	after := r.Header.Get(headerLast)
	t, ending := &s.outlet, s.endpoint.load.ending
	if after != "" {
		name, _, err := s.endpoint.sessions.events.Since(s.id, after)
		if err != nil {
			s.refuseEvents(c.w, err)
			return
		}
		if t = s.stream(name); t == nil {
			s.carryRest(c, after)
			return
		}
		if t != &s.outlet {
			ending = nil // its request is answered before the end
		}
	}
	if err := t.attach(c, after); err != nil {
		s.refuseEvents(c.w, err)
		return
	}
	gone := t.stay(c, r, ending)
	t.leave(c, gone)
}

// stay waits until c does not carry the stream any more, or need not. It reports whether the
// client is gone.
func (t *stream) stay(c *carrier, r *http.Request, ending <-chan struct{}) (gone bool) {
	for {
		select {
		case <-c.wake:
			if t.carried() != c || t.isOver() {
				return false
			}
		case <-r.Context().Done():
			return true
		case <-ending:
			return false
		}
	}
}

// carryRest sends what a client has missed of a stream that is over. What that is, is asked
// for when nothing can be added any more.
func (s *session) carryRest(c *carrier, after string) {
	_, events, err := s.endpoint.sessions.events.Since(s.id, after)
	if err != nil {
		s.refuseEvents(c.w, err)
		return
	}
	if len(events) == 0 {
		refuse(c.w, http.StatusBadRequest, "Last-Event-ID is the last event of its stream, which is over: nothing follows")
		return
	}
	c.replay(events, s.form.Polling)
	c.events.close()
}

// refuseEvents answers a client that cannot take its stream up again.
func (s *session) refuseEvents(w http.ResponseWriter, err error) {
	if errors.Is(err, ErrNoEvents) {
		refuse(w, http.StatusBadRequest, "Last-Event-ID names no event of this session, or what followed it is not kept any more: open the stream without it")
		return
	}
	s.endpoint.log.Error("events cannot be read", "error", err)
	refuse(w, http.StatusInternalServerError, "The stream cannot be taken up again")
}
