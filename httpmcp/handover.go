package httpmcp

import "net/http"

// carried is the connection that carries the stream, nil while there is none.
func (t *stream) carried() *carrier {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.carrier
}

// lose gives a connection up; the stream goes on without.
func (t *stream) lose(c *carrier) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.carrier == c {
		t.carrier = nil
	}
	c.poke()
}

// leave stands at the end of a response that carried the stream: nothing is written to it any
// more. gone says that its client is, and so is not worth waiting for.
func (t *stream) leave(c *carrier, gone bool) {
	if c.wake == nil {
		// Whoever takes the connection from a POST must be done with it.
		t.sending.Lock()
		defer t.sending.Unlock()
	}
	if c.events != nil {
		if gone {
			c.events.cut()
		}
		c.events.close()
	}
	// Behind the close, which waits for a write under way, so that whoever seizes the stream
	// meanwhile ends that.
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.carrier == c {
		t.carrier = nil
	}
}

// seize takes the stream from the connection that carries it, and returns with t.sending held.
// A write to that connection which is under way fails: it may be to a client that has long
// been gone. The connection is returned unless it is that of a POST which is all answered:
// nobody may use that any more.
func (t *stream) seize(forGood bool) (from *carrier) {
	t.mu.Lock()
	t.over = t.over || forGood
	c := t.carrier
	t.carrier = nil
	free := t.sending.TryLock()
	if c != nil {
		if c.events != nil {
			c.events.cut()
		}
		c.poke()
	}
	t.mu.Unlock()
	if !free {
		t.sending.Lock()
		if late := t.release(); late != nil { // it came while t.sending was waited for
			c.dismiss()
			c = late
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left && c != nil && c.wake == nil {
		return nil
	}
	return c
}

// release parts the stream from the connection that carries it, if there is one.
func (t *stream) release() *carrier {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.carrier
	t.carrier = nil
	if c != nil {
		c.events.cut()
		c.poke()
	}
	return c
}

// attach has c carry the stream from now on: behind the event with the id after, or when that is
// "" from what is sent next. An error says that the store does not have what is asked for, and
// then nothing has been written.
func (t *stream) attach(c *carrier, after string) error {
	t.seize(false).dismiss()
	defer t.sending.Unlock()
	var missed []Event
	if after != "" {
		var err error
		if _, missed, err = t.session.endpoint.sessions.events.Since(t.session.id, after); err != nil {
			return err
		}
	}
	// Before anything is written, so that whoever seizes the stream ends that, too.
	carried := t.take(c)
	switch {
	case after != "":
		c.replay(missed, t.session.form.Polling)
	case t.session.form.Polling && carried:
		t.prime(c, t.retry())
	default:
		_ = c.events.begin() // a client that is gone is noticed elsewhere
	}
	return nil
}

// take makes c the connection that carries the stream, unless that is over.
func (t *stream) take(c *carrier) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		c.poke()
		return false
	}
	t.carrier = c
	if t.arrival != nil {
		close(t.arrival)
		t.arrival = nil
	}
	return true
}

// await waits until a connection carries the stream. It reports false when the stream is over
// or done is closed before.
func (t *stream) await(done <-chan struct{}) bool {
	for {
		t.mu.Lock()
		if t.over || t.carrier != nil {
			defer t.mu.Unlock()
			return !t.over
		}
		if t.arrival == nil {
			t.arrival = make(chan struct{})
		}
		arrival := t.arrival
		t.mu.Unlock()
		select {
		case <-arrival:
		case <-done:
			return false
		}
	}
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
