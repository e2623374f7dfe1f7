package httpmcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// refusedHandshakeError says that initialize was refused in a way that a server of 2024-11-05 may have.
type refusedHandshakeError struct{ reason error }

func (e *refusedHandshakeError) Error() string { return e.reason.Error() }
func (e *refusedHandshakeError) Unwrap() error { return e.reason }

// refusedHandshake is what a server says that has refused initialize. Of three statuses, and no
// error that answers initialize itself, it may be one of 2024-11-05 (2025-11-25
// basic/transports, Backwards Compatibility).
func (c *legacyCall) refusedHandshake(r *reply) error {
	body, err := r.refusedBody()
	if err != nil {
		return err
	}
	err = r.refusedWith(body)
	switch r.status() {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		if !c.isAnsweredBy(body) {
			return &refusedHandshakeError{err}
		}
	}
	return err
}

// isAnsweredBy reports whether a body is an error with the id of the call.
func (c *legacyCall) isAnsweredBy(body []byte) bool {
	var m jsonrpc.Message
	return ours.Scan(body, &m) == nil && m.Kind == jsonrpc.Response && m.ID.Key() == c.id.Key()
}

// tryOld begins a session over the transport of 2024-11-05, if the server has that. Otherwise the
// error is what it has said before.
func (l *legacyLink) tryOld(ctx context.Context, out *mcp.Outgoing, refusal *refusedHandshakeError) (jsonrpc.Raw, error) {
	result, err := l.handshakeOld(ctx, out)
	if never := (*noOldServerError)(nil); errors.As(err, &never) {
		return nil, fmt.Errorf("%w; nor does it speak the transport of 2024-11-05: %v", refusal.reason, never.reason)
	}
	return result, err
}

// noOldServerError says that there is no server of 2024-11-05.
type noOldServerError struct{ reason error }

func (e *noOldServerError) Error() string {
	return "httpmcp: no stream of the transport of 2024-11-05: " + e.reason.Error()
}
func (e *noOldServerError) Unwrap() error { return e.reason }

// handshakeOld begins a session over the transport of 2024-11-05. It lasts as long as its stream,
// and the link with it.
func (l *legacyLink) handshakeOld(ctx context.Context, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	s := l.newSession()
	s.old = true
	err := s.open(ctx)
	if err == nil {
		var result jsonrpc.Raw
		if result, err = l.call(ctx, s, out); err == nil {
			l.adopt(s)
			return result, nil
		}
	}
	s.leave()
	return nil, err
}

// openTime bounds how long a server may take to name the URL for messages.
const openTime = 10 * time.Second

// open opens the stream, and waits until the server has said where messages go.
func (s *clientSession) open(ctx context.Context) error {
	l := s.link
	opened := make(chan error, 1)
	if !l.run(func() { s.serve(opened) }) {
		return l.Err()
	}
	timer := time.NewTimer(openTime)
	defer timer.Stop()
	select {
	case err := <-opened:
		return err
	case <-timer.C:
		return &noOldServerError{fmt.Errorf("a GET opens a stream, on which no endpoint event has come for %s", openTime)}
	case <-ctx.Done():
	case <-l.Done():
	}
	return l.whyNot(ctx)
}

// serve reads the stream of a session over the transport of 2024-11-05, from its first event on, which
// says where messages go (2024-11-05 basic/transports, HTTP with SSE). There is nothing to come back to
// when it ends, so the link ends with it.
func (s *clientSession) serve(opened chan<- error) {
	r, err := s.get(s.ctx, "")
	if err != nil {
		opened <- &noOldServerError{err}
		return
	}
	defer r.close()
	events := r.events(true)
	if err = s.readEndpoint(r, events); err != nil {
		opened <- err
		return
	}
	opened <- nil
	_, err = r.follow(s.intake(nil), events)
	if err == io.EOF {
		err = errors.New("the server has ended its stream")
	}
	s.lose(err)
}

// lose ends a session whose stream has ended, and with it the link unless the session has not come about
// or another one has taken its place.
func (s *clientSession) lose(why error) {
	l := s.link
	if s.ctx.Err() != nil {
		return
	}
	l.mu.Lock()
	s.lost = fmt.Errorf("%w: httpmcp: %s: %w", mcp.ErrLinkClosed, l.wire.shown, why)
	if l.session == s {
		l.fail(s.lost)
	}
	l.mu.Unlock()
	s.cancel()
}

// mostBefore is how many events may come before the endpoint event, which should be the first.
const mostBefore = 16

// readEndpoint reads the event that says where messages go.
func (s *clientSession) readEndpoint(r *reply, events *eventReader) error {
	for range mostBefore {
		e, err := events.next()
		switch {
		case err != nil:
			return &noOldServerError{fmt.Errorf("the stream has ended before its endpoint event: %w", err)}
		case e.name == "endpoint":
			s.to, err = s.endpoint(r.response.Request.URL, string(e.data))
			return err
		case e.name == "message":
			return &noOldServerError{errors.New("a message has come before the endpoint event")}
		}
	}
	return &noOldServerError{errors.New("the stream begins with other events than the endpoint event")}
}

// endpoint is the URL for messages: a reference to be resolved against the URL of the stream. What is
// sent there may hold secrets, so it must be of the origin that the user has named.
func (s *clientSession) endpoint(stream *url.URL, named string) (*url.URL, error) {
	w := s.link.wire
	to, err := stream.Parse(w.opts.messageURL(named))
	if err != nil {
		return nil, fmt.Errorf("httpmcp: %s: the endpoint event names no URL: %q", w.shown, clip(named))
	}
	if !sameOrigin(to, w.url) {
		return nil, fmt.Errorf("httpmcp: %s: the endpoint event sends messages to another origin, %s: nothing is sent there; "+
			"if it is a gateway's fault, DialOptions.MessageURL can put it right", w.shown, showURL(to))
	}
	to.User, to.Fragment, to.RawFragment = w.url.User, "", ""
	return to, nil
}

// whyLost is why nothing comes any more.
func (s *clientSession) whyLost() error {
	if err := s.link.Err(); err != nil {
		return err
	}
	s.link.mu.Lock()
	defer s.link.mu.Unlock()
	if s.lost != nil {
		return s.lost
	}
	return errors.New("another session has taken its place")
}

// runOld sends the request and waits until ctx ends: the answer comes on the stream of the session,
// which puts it in c.elsewhere and ends ctx. That may be before the POST is accepted, which is
// then still waited for, so that its connection can be used again.
func (c *legacyCall) runOld(ctx context.Context, message []byte) error {
	s, l := c.session, c.session.link
	sending, stop := context.WithCancel(s.ctx)
	said := make(chan error, 1)
	if !l.run(func() {
		defer stop()
		said <- s.say(sending, l.life, message)
	}) {
		stop()
		return l.Err()
	}
	for {
		select {
		case err := <-said:
			if err != nil {
				return err
			}
			said = nil
		case <-ctx.Done():
			if len(c.elsewhere) == 0 { // given up
				stop()
			} else {
				time.AfterFunc(answerTime, stop)
			}
			return ctx.Err()
		case <-s.ctx.Done():
			return c.lost(s.whyLost())
		}
	}
}
