package httpmcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// trail is how far a stream has been read, and what is known of how to take it up again (2025-11-25
// basic/transports, Resumability and Redelivery).
type trail struct {
	last     string        // the id of the last event, "" where there was none
	retry    time.Duration // how long the server wants it to wait
	told     bool          // the server has said how long
	least    time.Duration // how long to wait at least, whatever the server wants
	failures int           // in a row: attempts that have brought nothing
	since    time.Time     // when the stream was opened the last time
}

const (
	// firstRetry is how long to wait where the server has said nothing of it.
	firstRetry = time.Second
	// shortestRetry is how long to wait at least, whatever the server says: one that says 0
	// and closes each stream at once would be asked without a pause.
	shortestRetry = 100 * time.Millisecond
	// longestBackoff bounds what is waited beyond what the server says, but for chance.
	longestBackoff = 30 * time.Second
	// mostTries is how often in a row it is tried to take the stream of a call up again
	// without anything coming of it.
	mostTries = 5
	// lasting is how long a stream is open that was no failure although nothing has come on
	// it: idle connections are closed on the way.
	lasting = 10 * time.Second
)

// pause is how long to wait before the next attempt: what the server says, which is the least
// (2025-11-25 basic/transports, Sending Messages to the Server, 6), and more with each failure.
func (t *trail) pause() time.Duration {
	least := firstRetry
	if t.told {
		least = max(t.retry, shortestRetry, t.least)
	}
	if t.failures == 0 {
		return least
	}
	more := min(firstRetry<<min(t.failures, 10)/2, longestBackoff)
	more += rand.N(more/4 + 1) // so that not all clients of a server come back at once
	return max(least, more)
}

// wait waits before the next attempt. The error says that nobody waits for it any more.
func (t *trail) wait(ctx context.Context, l *life) error {
	timer := time.NewTimer(t.pause())
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-l.Done():
	}
	return l.whyNot(ctx)
}

// begin has events go on where the stream has broken off: an event without an id leaves the
// last one in force.
func (t *trail) begin(events *eventReader) {
	events.id, events.nextID = t.last, []byte(t.last)
	t.since = time.Now()
}

// note takes in how far events have come.
func (t *trail) note(events *eventReader) {
	if events.retries {
		t.retry, t.told = events.retry, true
	}
	if events.given > 0 || events.id != t.last || time.Since(t.since) >= lasting {
		t.failures = 0
	} else {
		t.failures++
	}
	t.last = events.id
}

// follow reads the stream of a call to the answer. Where it breaks off before it is taken up again,
// as often as it moves on: the server may close it to have the client ask again later.
func (c *legacyCall) follow(ctx context.Context, r *reply) (jsonrpc.Raw, error) {
	var t trail
	for {
		events := r.events(c.out.Open)
		t.begin(events)
		result, err := r.follow(c.in, events)
		r.close()
		if !isBroken(err) || c.session.link.whyNot(ctx) != nil {
			return result, err
		}
		if err == io.EOF && c.in.echoed {
			return nil, jsonrpc.ErrEchoed
		}
		t.note(events)
		if r, err = c.takeUp(ctx, &t, err); err != nil {
			return nil, err
		}
	}
}

// takeUp opens the stream of the call again. broken is why it is not open.
func (c *legacyCall) takeUp(ctx context.Context, t *trail, broken error) (*reply, error) {
	s := c.session
	if broken == io.EOF {
		broken = fmt.Errorf("the stream has ended before it: %w", io.ErrUnexpectedEOF)
	}
	if t.last == "" {
		return nil, lost(c.out.Method, fmt.Errorf("%w, and there were no event ids to take it up by", broken))
	}
	for t.failures < mostTries {
		if err := t.wait(ctx, s.link.life); err != nil {
			return nil, err
		}
		r, err := s.get(ctx, t.last)
		switch {
		case err == nil:
			return r, nil
		case errors.As(err, new(*noStreamError)):
			return nil, c.lost(fmt.Errorf("the stream cannot be taken up again: %w", err))
		}
		broken = err
		t.failures++
	}
	return nil, c.lost(fmt.Errorf("the stream cannot be taken up again, after %d attempts: %w", mostTries, broken))
}

// lost is the error of a call whose answer will not come.
func (c *legacyCall) lost(reason error) error {
	if errors.Is(reason, mcp.ErrLinkClosed) {
		return lost(c.out.Method, reason)
	}
	// What the server says to another request is no answer to this one.
	return fmt.Errorf("%w: %s: %v", mcp.ErrAnswerLost, c.out.Method, reason)
}

// noStreamError says that a stream cannot be had, and that to try again does not help.
type noStreamError struct {
	status int
	reason error
}

func (e *noStreamError) Error() string { return e.reason.Error() }
func (e *noStreamError) Unwrap() error { return e.reason }

// get opens a stream of the session: the one that the event last belongs to, or the one for what
// belongs to no call.
func (s *clientSession) get(ctx context.Context, last string) (*reply, error) {
	l := s.link
	h := s.header()
	h["Accept"] = []string{eventsType}
	if last != "" {
		h[headerLast] = []string{last}
	}
	r, err := l.wire.send(ctx, l.life, http.MethodGet, l.wire.url, h, nil)
	if err != nil {
		return nil, err
	}
	if r.isEvents() {
		return r, nil
	}
	defer r.close()
	if err = r.refused(); !isPassing(r.status()) {
		err = &noStreamError{r.status(), err}
	}
	return nil, err
}

// isPassing reports whether a status is of a fault that may pass. 409 is one: servers that allow one
// stream at a time may not have seen yet that the last one has broken off.
func isPassing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500 && status != http.StatusNotImplemented
}
