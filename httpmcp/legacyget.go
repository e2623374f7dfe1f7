package httpmcp

import (
	"errors"
	"net/http"
)

// legacyGet has a stream of a session carried to the client: that of what belongs to no request,
// or the one that the client wants to take up again (2025-11-25 basic/transports, Listening
// for Messages from the Server, and Resumability and Redelivery).
func (e *Endpoint) legacyGet(w http.ResponseWriter, r *http.Request) {
	s := e.joinKept(w, r, noOutlet)
	if s == nil {
		return
	}
	defer s.leave()
	if !readAccept(r.Header).events {
		refuse(w, http.StatusNotAcceptable, "Accept must list text/event-stream: a GET opens a stream")
		return
	}
	place := &place{}
	place.weigh(r, nil)
	if status, why := e.load.enter(place, asStream, e.opts); status != 0 {
		refuse(w, status, why)
		return
	}
	defer e.load.leave(place)
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
