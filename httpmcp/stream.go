package httpmcp

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// stream is what a legacy session sends on one stream of events: the answer to a POST with
// what precedes it, or what belongs to no request. It outlives the connection that carries
// it: what is sent while there is none waits in the event store (2025-11-25
// basic/transports, Resumability and Redelivery). Here is what is sent on it; handover.go has how it
// passes from one connection to the next.
type stream struct {
	session *session
	plain   bool // the client takes no events

	// sending is held while an event gets its id and is written, so that events leave
	// in order, and one that is under way is not left behind. The store and the log are called
	// under it for the same reason: what they are told has the order of the wire.
	sending sync.Mutex

	mu      sync.Mutex
	name    string        // in the event store; "" before it begins
	carrier *carrier      // nil while no connection carries it
	arrival chan struct{} // closed when one comes; nil while nobody waits for that
	over    bool          // nothing more is sent
	left    bool          // all of a POST is answered: its goroutine may have returned
}

// errNoStream says that nothing can be sent before the answer.
var errNoStream = errors.New("httpmcp: the client takes no stream of events, or has left before there was one: it cannot be asked")

// send sends a message on the stream, which begins with it where it has not. unless, if there
// is one, says at the last moment that it is not to be sent any more.
func (t *stream) send(message []byte, unless *atomic.Bool) error {
	t.sending.Lock()
	defer t.sending.Unlock()
	if unless != nil && unless.Load() {
		return nil
	}
	if !t.begin(t.retry()) {
		return errNoStream
	}
	t.put(message)
	return nil
}

// open begins the stream before there is a message for it.
func (t *stream) open() {
	t.sending.Lock()
	defer t.sending.Unlock()
	if t.begin(t.retry()) {
		if c := t.carried(); c != nil && c.events.begin() != nil {
			t.lose(c)
		}
	}
}

// detach has the connection let go, and the client come back after retry.
func (t *stream) detach(retry time.Duration) bool {
	if retry <= 0 {
		retry = t.retry()
	}
	t.sending.Lock()
	defer t.sending.Unlock()
	c := t.carried()
	if c == nil || !t.session.polls() || !canLetGo(c.w) {
		return false
	}
	began, fresh := t.makeEvents()
	if !began {
		return false
	}
	if fresh != nil {
		// So that the client sends nothing more on the connection, which is to be closed.
		// Only now is the response ours: before, it may be told that the session has ended.
		c.w.Header().Set("Connection", "close")
	}
	t.prime(c, retry)
	c.events.close()
	t.lose(c)
	if c.wake != nil {
		return true // the one who serves the GET ends its response, perhaps at this moment
	}
	// Where the client was not told that the connection is to be closed, the end of the body
	// would have it send its next request there.
	return c.letGo(fresh != nil) == nil
}

func (t *stream) retry() time.Duration { return t.session.endpoint.opts.retry() }

// begin makes an answer a stream, if it can be one, and reports whether it is. In the
// revisions that have that, it tells the client at once an id at which the stream can be taken
// up again, and how long to wait before that. t.sending is held.
func (t *stream) begin(retry time.Duration) bool {
	began, c := t.makeEvents()
	if c != nil && t.session.polls() {
		t.prime(c, retry)
	}
	return began
}

// makeEvents is begin without writing. c is not nil when the stream has begun with it.
func (t *stream) makeEvents() (began bool, c *carrier) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over:
		return false, nil
	case t.name != "":
		return true, nil
	case t.carrier == nil || t.plain:
		return false, nil
	case !canFlush(t.carrier.w):
		t.plain = true
		return false, nil
	}
	t.name = t.session.addStream(t)
	if t.name == "" {
		return false, nil
	}
	t.carrier.events = newEventWriter(t.carrier.w, t.session.endpoint.opts)
	return true, t.carrier
}

// prime sends an event with an id and without data. t.sending is held.
func (t *stream) prime(c *carrier, retry time.Duration) {
	if c.events.prime(t.keep(nil), retry) != nil {
		t.lose(c)
	}
}

// put keeps an event, and writes it if there is something to write to. t.sending is held.
func (t *stream) put(message []byte) {
	t.session.endpoint.traceLegacy("out", message)
	id := t.keep(message)
	if c := t.carried(); c != nil && c.events.event(id, message) != nil {
		t.lose(c)
	}
}

// polls reports whether streams tell of themselves that they can be taken up again.
func (s *session) polls() bool { return s.form.Polling && !s.passing }

// keep puts an event into the store and returns its id, "" when the store fails: it can then
// not be taken up again at that event, and goes on.
func (t *stream) keep(message []byte) string {
	if t.session.passing {
		return "" // its client does not come back
	}
	e := t.session.endpoint
	id, err := e.sessions.events.Append(t.session.id, t.name, message)
	if err != nil {
		e.log.Error("an event was not kept", "error", err)
		return ""
	}
	return id
}

func (t *stream) hasBegun() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.name != ""
}

// end ends the stream; nothing of it is kept from then on.
func (t *stream) end() {
	c := t.seize(true)
	defer t.sending.Unlock()
	c.dismiss()
}

// finish sends the last messages, if the stream has begun, and ends it. It reports whether it
// had.
func (t *stream) finish(last [][]byte) bool {
	t.sending.Lock()
	if t.hasBegun() && !t.isOver() {
		for _, message := range last {
			if len(message) > 0 { // its request was not cancelled
				t.put(message)
			}
		}
	}
	t.mu.Lock()
	t.over, t.left = true, true
	name, c := t.name, t.carrier
	if c != nil && c.wake == nil {
		t.carrier = nil
	}
	t.mu.Unlock()
	t.sending.Unlock()
	if name == "" {
		return false
	}
	t.session.removeStream(name)
	if c != nil {
		c.poke()
	}
	return true
}

func (t *stream) isOver() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over
}
