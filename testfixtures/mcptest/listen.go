package mcptest

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Filter names the changes that a client wants to hear of.
type Filter struct {
	Tools, Prompts, Resources bool     // the lists
	URIs                      []string // resources
}

// json is the filter as the modern revision has it (2026-07-28
// basic/patterns/subscriptions, Notification Filter).
func (f Filter) json() string {
	var members []string
	for _, kind := range []struct {
		name   string
		wanted bool
	}{{"toolsListChanged", f.Tools}, {"promptsListChanged", f.Prompts}, {"resourcesListChanged", f.Resources}} {
		if kind.wanted {
			members = append(members, member(kind.name, "true"))
		}
	}
	if len(f.URIs) > 0 {
		var uris []string
		for _, uri := range f.URIs {
			uris = append(uris, quote(uri))
		}
		members = append(members, member("resourceSubscriptions", "["+strings.Join(uris, ",")+"]"))
	}
	return object(members...)
}

// readFilter is the filter that json stands for.
func readFilter(json jsonrpc.Raw) Filter {
	f := Filter{}
	f.Tools, _ = At(json, "toolsListChanged").Bool()
	f.Prompts, _ = At(json, "promptsListChanged").Bool()
	f.Resources, _ = At(json, "resourcesListChanged").Bool()
	for _, uri := range Elements(At(json, "resourceSubscriptions")) {
		f.URIs = append(f.URIs, text(uri))
	}
	return f
}

// takes reports whether the filter has the kind of a notification.
func (f Filter) takes(n Note) bool {
	switch n.Method {
	case "notifications/tools/list_changed":
		return f.Tools
	case "notifications/prompts/list_changed":
		return f.Prompts
	case "notifications/resources/list_changed":
		return f.Resources
	case "notifications/resources/updated":
		return slices.Contains(f.URIs, text(n.At("uri")))
	}
	return false
}

// within reports whether the filter has nothing that g has not.
func (f Filter) within(g Filter) bool {
	for _, uri := range f.URIs {
		if !slices.Contains(g.URIs, uri) {
			return false
		}
	}
	return (g.Tools || !f.Tools) && (g.Prompts || !f.Prompts) && (g.Resources || !f.Resources)
}

// Stream is what a client hears of changes: in the modern revision one of
// subscriptions/listen, in the legacy ones what the session gets of the same kinds.
type Stream struct {
	c       *Client
	id      string
	asked   Filter
	pending *Pending // the request of the stream, where it has one

	byID bool // what belongs to the stream carries its id

	// Guarded by the lock of the client.
	acknowledged bool
	granted      Filter
	taken        int   // of notes
	closedAfter  int64 // requests were sent when it was closed; 0 while it is open
	notes        []Note
	more         chan struct{} // holds one when there is something new
}

// Listen opens a stream and waits until it is acknowledged.
func (c *Client) Listen(f Filter) *Stream {
	c.t.Helper()
	c.mu.Lock()
	c.lastID++
	id := strconv.FormatInt(c.lastID, 10)
	c.mu.Unlock()
	return c.ListenAs(id, f)
}

// ListenAs is [Client.Listen] with an id of the test's choice, a JSON string or integer.
func (c *Client) ListenAs(id string, f Filter) *Stream {
	c.t.Helper()
	s := &Stream{c: c, id: id, asked: f, byID: c.speak.names(), more: make(chan struct{}, 1)}
	c.mu.Lock()
	c.streams = append(c.streams, s)
	c.mu.Unlock()
	c.speak.listen(s)
	return s
}

// Granted is the filter that the server has acknowledged.
func (s *Stream) Granted() Filter {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	return s.granted
}

// Take returns the notifications since the last Take or Next, and does not wait.
func (s *Stream) Take() []Note {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	fresh := s.notes[s.taken:]
	s.taken = len(s.notes)
	return slices.Clone(fresh)
}

// Next waits for one notification.
func (s *Stream) Next() Note {
	s.c.t.Helper()
	for {
		s.c.mu.Lock()
		if s.taken < len(s.notes) {
			n := s.notes[s.taken]
			s.taken++
			s.c.mu.Unlock()
			return n
		}
		s.c.mu.Unlock()
		s.wait("a notification")
	}
}

// Ended is the answer to the request of the stream, with which the server ends it; nil
// as long as it has not, and in the legacy revisions, where it cannot.
func (s *Stream) Ended() *Response {
	if s.pending == nil || !s.pending.Answered() {
		return nil
	}
	return s.pending.Wait()
}

// Close ends the stream. What comes for it later fails the test.
func (s *Stream) Close() {
	s.c.t.Helper()
	s.c.speak.close(s)
}

func (s *Stream) wait(what string) {
	s.c.t.Helper()
	t := time.NewTimer(s.c.o.Patience)
	defer t.Stop()
	select {
	case <-s.more:
	case <-t.C:
		s.c.Cut()
		s.c.t.Fatalf("%s: waited %v in vain for %s on the stream %s of %+v", s.c.name(), s.c.o.Patience, what, s.id, s.asked)
	}
}

func (s *Stream) awaitAcknowledged() {
	s.c.t.Helper()
	for {
		s.c.mu.Lock()
		done := s.acknowledged
		s.c.mu.Unlock()
		if done {
			return
		}
		if s.pending.Answered() {
			s.c.t.Fatalf("%s: subscriptions/listen %s was answered with %s before it was acknowledged", s.c.name(), s.asked.json(), s.pending.Wait())
		}
		s.wait("the acknowledgment")
	}
}

// acknowledge notes what the server grants.
func (s *Stream) acknowledge(granted Filter) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	s.acknowledged, s.granted = true, granted
}

// drop ends a stream. What was on its way may still come: until the answer to a request
// that was sent later is there.
func (c *Client) drop(s *Stream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.closedAfter = max(c.sent, 1)
}

// forgetLocked takes those streams away for which nothing can be on its way any more, as
// the answer to a request has come that was sent as the n-th.
func (c *Client) forgetLocked(n int64) {
	c.streams = slices.DeleteFunc(c.streams, func(s *Stream) bool { return s.closedAfter > 0 && n > s.closedAfter })
}

// streamsForLocked returns the streams that a notification is for, and why it is for
// none when it should be for one.
func (c *Client) streamsForLocked(n Note) (some []*Stream, fault string) {
	id := n.At("_meta", mcp.MetaSubscriptionID)
	for _, s := range c.streams {
		switch {
		case id == nil && !s.byID && s.granted.takes(n):
			some = append(some, s)
		case id != nil && s.byID && keyOf(s.id) == keyOf(string(id)):
			return []*Stream{s}, s.takeLocked(n)
		}
	}
	return some, ""
}

// takeLocked says what is wrong with a notification on the stream.
func (s *Stream) takeLocked(n Note) (fault string) {
	switch first := n.Method == "notifications/subscriptions/acknowledged"; {
	case first && s.acknowledged:
		return "the stream was acknowledged already"
	case first:
		s.acknowledged, s.granted = true, readFilter(n.At("notifications"))
		if !s.granted.within(s.asked) {
			return "more is acknowledged than was asked for"
		}
	case n.Method == "notifications/cancelled":
	case !s.acknowledged:
		return "the first message of a stream must be its acknowledgment"
	case !s.granted.takes(n):
		return "the stream was not acknowledged for this"
	}
	return ""
}

// keepLocked adds a notification, but for the acknowledgment, and wakes who waits.
func (s *Stream) keepLocked(n Note) {
	if n.Method != "notifications/subscriptions/acknowledged" {
		s.notes = append(s.notes, n)
	}
	s.wake()
}

// wake has whoever waits for the stream look again.
func (s *Stream) wake() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}
