package httpmcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"isthmus.internal/mcp"
)

// clientSession is one session as its client knows it: from initialize to the end, whichever side
// that comes from. A server that gives no id has one, too: then there is none to send.
type clientSession struct {
	link   *legacyLink
	to     *url.URL        // where messages go
	old    bool            // over the deprecated transport of 2024-11-05
	ctx    context.Context // ends with the session
	cancel context.CancelFunc

	// Under link.mu:
	id        string                // "" while there is none
	version   string                // "" until one is agreed on
	forgotten bool                  // the server knows it no more, or need not
	attended  bool                  // the stream for what belongs to no call has been asked for
	lost      error                 // over the transport of 2024-11-05: why its stream has ended
	asks      map[string]*serverAsk // what the server asks, by the key of the id
}

func (l *legacyLink) newSession() *clientSession {
	s := &clientSession{link: l, to: l.wire.url, asks: make(map[string]*serverAsk)}
	s.ctx, s.cancel = context.WithCancel(l.ctx)
	return s
}

// name takes the id from the response to initialize, if it has one (2025-11-25 basic/transports, Session
// Management, 1).
func (s *clientSession) name(h http.Header) error {
	id := h.Get(headerSession)
	for _, c := range []byte(id) {
		if c < '!' || c > '~' {
			return errors.New("httpmcp: the session id of the server cannot be sent: it must be visible ASCII characters")
		}
	}
	s.link.mu.Lock()
	defer s.link.mu.Unlock()
	s.id = id
	return nil
}

// header begins the header of a request in the session (2025-11-25 basic/transports, Session Management, 2,
// and Protocol Version Header).
func (s *clientSession) header() http.Header {
	h := s.link.wire.header()
	s.link.mu.Lock()
	defer s.link.mu.Unlock()
	if s.id != "" {
		h[headerSession] = []string{s.id}
	}
	if s.version != "" {
		h[headerVersion] = []string{s.version}
	}
	return h
}

// post sends a message.
func (s *clientSession) post(ctx context.Context, l *life, message []byte) (*reply, error) {
	traceMessage(s.link.log, "out", message)
	return s.link.wire.post(ctx, l, s.to, s.header(), message)
}

// say sends a message that has no answer. The server takes it in with 202, or with whatever
// else means success to it.
func (s *clientSession) say(ctx context.Context, l *life, message []byte) error {
	r, err := s.post(ctx, l, message)
	if err != nil {
		return err
	}
	defer r.close()
	if !r.isSuccess() {
		return s.refused(r, nil)
	}
	return nil
}

// refused is what a server says that has not taken a message. With 404 it says that it knows
// the session no more, so that nothing else is sent in it (2025-11-25 basic/transports, Session Management, 3
// and 4).
func (s *clientSession) refused(r *reply, c *legacyCall) error {
	if r.status() == http.StatusNotFound && s.forget() {
		return mcp.ErrSessionEnded
	}
	if c != nil && c.out.Method == "initialize" {
		return c.refusedHandshake(r)
	}
	return r.refused()
}

// forget takes in that the server knows the session no more. It is false where it has no id.
func (s *clientSession) forget() bool {
	s.link.mu.Lock()
	named := s.id != ""
	s.forgotten = s.forgotten || named
	s.link.mu.Unlock()
	if named {
		s.cancel()
	}
	return named
}

// attendTime bounds how long it is waited for the stream for what belongs to no call.
const attendTime = 500 * time.Millisecond

// attend opens the stream for what belongs to no call, once, and keeps it open until the session
// ends (2025-11-25 basic/transports, Listening for Messages from the Server). It waits for the
// beginning of the stream for a moment, so that what comes of the next call is not missed.
func (s *clientSession) attend(ctx context.Context) {
	s.link.mu.Lock()
	begun := s.attended || s.old
	s.attended = true
	s.link.mu.Unlock()
	if begun {
		return
	}
	ctx, stop := context.WithTimeout(ctx, attendTime)
	defer stop()
	if s.link.run(func() { s.listen(stop) }) {
		<-ctx.Done()
	}
}

// listen reads the stream for what belongs to no call. A server that has none says so with 405;
// one that answers with 404 may have forgotten the session, which the next message shows, or
// know no GET at all. Where the session had a stream before it is the former, and the exchange
// is told: it may wait for changes, and send nothing. opened is called when the first answer is
// there.
func (s *clientSession) listen(opened func()) {
	t := trail{least: firstRetry} // nobody waits for it
	streamed, away := false, false
	for {
		r, err := s.get(s.ctx, t.last)
		opened()
		var never *noStreamError
		if away && (err == nil || errors.As(err, &never)) {
			away = false
			s.link.log.Info("the server is there again")
		}
		switch {
		case err == nil:
			streamed = true
			s.hear(r, &t)
		case s.ctx.Err() != nil:
			return
		case errors.As(err, &never) && never.status == http.StatusBadRequest && t.last != "":
			t.last = "" // the server has not kept what comes next
			t.failures++
		case errors.As(err, &never):
			s.link.log.Debug("no stream for what belongs to no call", "reason", never.Error())
			if w, ok := s.link.h.(mcp.SessionWatcher); ok && streamed && never.status == http.StatusNotFound {
				w.SessionEnded()
			}
			return
		case streamed && !away && isOutage(err):
			away = true // and is said to be once, however long that takes
			s.link.log.Warn("the server cannot be reached, and is tried again", "error", err)
			t.failures++
		default:
			s.link.log.Debug("stream for what belongs to no call is tried again", "error", err)
			t.failures++
		}
		if t.wait(s.ctx, s.link.life) != nil {
			return
		}
	}
}

// isOutage reports whether an error says that there is no server, or none behind what has answered.
func isOutage(err error) bool {
	var rejected *mcp.Rejected
	return !errors.As(err, &rejected) || rejected.Status >= 500
}

// hear takes in what comes on a stream that belongs to no call.
func (s *clientSession) hear(r *reply, t *trail) {
	defer r.close()
	events := r.events(true)
	t.begin(events)
	_, err := r.follow(s.intake(nil), events)
	t.note(events)
	s.link.log.Debug("stream for what belongs to no call has ended", "reason", err)
}

// partingTime bounds each of the last messages to a server.
const partingTime = 2 * time.Second

// delete ends the session, which the server may not want (2025-11-25 basic/transports, Session Management, 5).
func (s *clientSession) delete() error {
	if !s.end() {
		return nil
	}
	return s.sayDelete()
}

// end ends the session on this side, and reports whether the server may want to know.
func (s *clientSession) end() bool {
	s.link.mu.Lock()
	named := s.id != "" && !s.forgotten
	s.forgotten = true
	s.link.mu.Unlock()
	s.cancel()
	return named
}

// sayDelete tells the server that the session has ended.
func (s *clientSession) sayDelete() error {
	l := s.link
	ctx, stop := context.WithTimeout(context.Background(), partingTime)
	defer stop()
	r, err := l.wire.send(ctx, l.parting, http.MethodDelete, s.to, s.header(), nil)
	if err == nil {
		defer r.close()
		if r.isSuccess() || r.status() == http.StatusNotFound || r.status() == http.StatusMethodNotAllowed {
			return nil
		}
		err = r.refused()
	}
	return fmt.Errorf("httpmcp: the server has not ended the session, and keeps it until it is too old: %w", err)
}

// leave ends a session that another one takes the place of, or that has not come about.
func (s *clientSession) leave() {
	if !s.end() {
		return
	}
	s.link.parting.run(func() {
		if err := s.sayDelete(); err != nil {
			s.link.log.Debug("session left behind", "error", err)
		}
	})
}
