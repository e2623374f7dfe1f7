package httpmcp

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// MemoryOptions bound what [NewMemoryEvents] keeps, in bytes, with what the store needs
// beside the data counted in. A nil pointer, and every field that is zero or less, mean the
// default that the field's comment gives.
type MemoryOptions struct {
	// MaxStream bounds the events of one stream. A single larger one is not kept: the
	// stream can be resumed behind it, but not before it. Default: 4 MiB.
	MaxStream int

	// MaxSession bounds the events of one session. Default: 8 MiB.
	MaxSession int

	// MaxTotal bounds all of them. Default: 64 MiB.
	MaxTotal int
}

func (o *MemoryOptions) maxStream() int {
	if o == nil || o.MaxStream <= 0 {
		return 4 << 20
	}
	return o.MaxStream
}

func (o *MemoryOptions) maxSession() int {
	if o == nil || o.MaxSession <= 0 {
		return 8 << 20
	}
	return o.MaxSession
}

func (o *MemoryOptions) maxTotal() int {
	if o == nil || o.MaxTotal <= 0 {
		return 64 << 20
	}
	return o.MaxTotal
}

// NewMemoryEvents makes an [EventStore] in the memory of the process. When a bound is
// reached the oldest events go first: of the stream, of the session or of all. The place
// of a stream's last event is remembered longer than its data, so that a quiet stream
// can be resumed although others in its session were busy. A nil o means all defaults.
func NewMemoryEvents(o *MemoryOptions) EventStore {
	return &memoryEvents{opts: o, sessions: make(map[string]*eventSession), all: eventQueue{in: inAll}}
}

// memoryEvents keeps events in three kinds of queues at once, each oldest first: one of all,
// one of each session, one of each stream.
type memoryEvents struct {
	opts *MemoryOptions

	mu       sync.Mutex
	sessions map[string]*eventSession
	all      eventQueue
	highest  uint64 // of the numbers that events got in any session
}

type eventSession struct {
	id      string
	streams map[string]*eventStream
	last    uint64 // number of the newest event
	queue   eventQueue
}

// eventStream has one event at least; without any it is forgotten.
type eventStream struct {
	name    string
	session *eventSession
	queue   eventQueue
}

// memoryEvent is one event. A hollow one has lost its data and only marks its place.
type memoryEvent struct {
	number uint64
	data   []byte
	hollow bool
	stream *eventStream
	links  [3]eventLinks
}

type eventLinks struct{ older, newer *memoryEvent }

// What an event and a stream cost beside their data and names, in bytes.
const (
	eventCost  = 160
	streamCost = 400
)

func (e *memoryEvent) cost() int { return eventCost + len(e.data) }

func (t *eventStream) cost() int { return streamCost + len(t.name) + len(t.session.id) }

// Append implements [EventStore]. The id is the stream's name and a number that grows in
// the session.
func (m *memoryEvents) Append(session, stream string, data []byte) (string, error) {
	if !isVisibleName(session) || !isVisibleName(stream) || strings.Contains(stream, ".") {
		return "", fmt.Errorf("httpmcp: event of session %q, stream %q: these names must be visible ASCII characters, a stream's without a dot", session, stream)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.stream(session, stream)
	t.session.last++
	m.highest = max(m.highest, t.session.last)
	e := &memoryEvent{number: t.session.last, stream: t}
	if t.cost()+eventCost+len(data) > m.smallestBound() {
		e.hollow = true
	} else {
		e.data = bytes.Clone(data)
	}
	m.keep(e)
	m.makeRoom(t)
	return eventID(stream, e.number), nil
}

func (m *memoryEvents) smallestBound() int {
	return min(m.opts.maxStream(), m.opts.maxSession(), m.opts.maxTotal())
}

func eventID(stream string, number uint64) string {
	return stream + "." + strconv.FormatUint(number, 10)
}

// stream finds or makes a stream. A session that is made starts behind every number that has
// been given, so that no id comes twice in one that was forgotten meanwhile.
func (m *memoryEvents) stream(session, stream string) *eventStream {
	s := m.sessions[session]
	if s == nil {
		s = &eventSession{id: session, streams: make(map[string]*eventStream), last: m.highest, queue: eventQueue{in: inSession}}
		m.sessions[session] = s
	}
	t := s.streams[stream]
	if t == nil {
		t = &eventStream{name: stream, session: s, queue: eventQueue{in: inStream}}
		s.streams[stream] = t
		t.weigh(m, t.cost())
	}
	return t
}

// weigh adds to what the queues hold that the stream is in.
func (t *eventStream) weigh(m *memoryEvents, cost int) {
	t.queue.bytes += cost
	t.session.queue.bytes += cost
	m.all.bytes += cost
}

// keep puts an event at the end of its queues.
func (m *memoryEvents) keep(e *memoryEvent) {
	e.stream.queue.push(e)
	e.stream.session.queue.push(e)
	m.all.push(e)
	e.stream.weigh(m, e.cost())
}

// makeRoom lets go of the oldest events until the bounds hold. An event that is alone in a
// queue may stay: hollow it weighs next to nothing.
func (m *memoryEvents) makeRoom(t *eventStream) {
	for t.queue.bytes > m.opts.maxStream() && t.queue.oldest != t.queue.newest {
		m.release(t)
	}
	for s := t.session; s.queue.bytes > m.opts.maxSession() && s.queue.oldest != s.queue.newest; {
		m.release(s.queue.oldest.stream)
	}
	for m.all.bytes > m.opts.maxTotal() && m.all.oldest != m.all.newest {
		m.release(m.all.oldest.stream)
	}
}

// release lets go of the oldest event of a stream. Of the last one it takes the data first,
// and that gets a place at the end of the queues again.
func (m *memoryEvents) release(t *eventStream) {
	e := t.queue.oldest
	last := e == t.queue.newest
	m.remove(e)
	switch {
	case last && !e.hollow:
		e.data, e.hollow = nil, true
		m.keep(e)
	case last:
		m.forget(t)
	}
}

func (m *memoryEvents) remove(e *memoryEvent) {
	e.stream.queue.remove(e)
	e.stream.session.queue.remove(e)
	m.all.remove(e)
	e.stream.weigh(m, -e.cost())
}

// forget drops a stream without events, and its session with the last of them.
func (m *memoryEvents) forget(t *eventStream) {
	t.weigh(m, -t.cost())
	delete(t.session.streams, t.name)
	if len(t.session.streams) == 0 {
		delete(m.sessions, t.session.id)
	}
}

// Since implements [EventStore].
func (m *memoryEvents) Since(session, id string) (stream string, events []Event, err error) {
	dot := strings.LastIndexByte(id, '.')
	if dot < 0 {
		return "", nil, ErrNoEvents
	}
	stream = id[:dot]
	number, err := strconv.ParseUint(id[dot+1:], 10, 64)
	if err != nil || eventID(stream, number) != id {
		return "", nil, ErrNoEvents
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[session]
	if s == nil || s.streams[stream] == nil {
		return "", nil, ErrNoEvents
	}
	e := s.streams[stream].queue.newest
	missed := 0
	for ; e != nil && e.number > number; e = e.links[inStream].older {
		if e.hollow {
			return "", nil, ErrNoEvents
		}
		missed++
	}
	if e == nil || e.number != number {
		return "", nil, ErrNoEvents
	}
	events = make([]Event, 0, missed)
	for e = e.links[inStream].newer; e != nil; e = e.links[inStream].newer {
		events = append(events, Event{ID: eventID(stream, e.number), Data: e.data})
	}
	return stream, events, nil
}

// Drop implements [EventStore].
func (m *memoryEvents) Drop(session, stream string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[session]
	if s == nil {
		return
	}
	if stream == "" {
		for _, t := range s.streams {
			m.empty(t)
		}
	} else if t := s.streams[stream]; t != nil {
		m.empty(t)
	}
}

// empty lets go of all that a stream has.
func (m *memoryEvents) empty(t *eventStream) {
	for t.queue.oldest != nil {
		m.remove(t.queue.oldest)
	}
	m.forget(t)
}

// isVisibleName reports whether text is made of visible ASCII characters, and is not empty.
func isVisibleName(text string) bool {
	for i := range len(text) {
		if text[i] < '!' || text[i] > '~' {
			return false
		}
	}
	return text != ""
}

// Which of an event's links a queue uses.
const (
	inAll = iota
	inSession
	inStream
)

// eventQueue is a list of events, oldest first.
type eventQueue struct {
	in             int
	oldest, newest *memoryEvent
	bytes          int
}

func (q *eventQueue) push(e *memoryEvent) {
	e.links[q.in] = eventLinks{older: q.newest}
	if q.newest != nil {
		q.newest.links[q.in].newer = e
	} else {
		q.oldest = e
	}
	q.newest = e
}

func (q *eventQueue) remove(e *memoryEvent) {
	at := e.links[q.in]
	if at.older != nil {
		at.older.links[q.in].newer = at.newer
	} else {
		q.oldest = at.newer
	}
	if at.newer != nil {
		at.newer.links[q.in].older = at.older
	} else {
		q.newest = at.older
	}
	e.links[q.in] = eventLinks{}
}
