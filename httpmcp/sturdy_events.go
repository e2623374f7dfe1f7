package httpmcp

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// sturdyEvents is a store whose panics are errors. Events are also kept on goroutines of our
// own, where a panic would end the process, and in the middle of a response.
type sturdyEvents struct {
	store EventStore
	log   *slog.Logger
}

var _ EventStore = sturdyEvents{}

// Append implements [EventStore]. A store whose id cannot stand in an event has given none.
func (s sturdyEvents) Append(session, stream string, data []byte) (id string, err error) {
	defer s.recover(&err)
	if id, err = s.store.Append(session, stream, data); err != nil {
		return "", err
	}
	if !isVisibleName(id) {
		return "", fmt.Errorf("httpmcp: the event store gave the id %q: an id consists of visible ASCII characters", clip(id))
	}
	return id, nil
}

// Since implements [EventStore].
func (s sturdyEvents) Since(session, id string) (stream string, events []Event, err error) {
	defer s.recover(&err)
	return s.store.Since(session, id)
}

// Drop implements [EventStore].
func (s sturdyEvents) Drop(session, stream string) {
	var err error
	defer s.recover(&err)
	s.store.Drop(session, stream)
}

func (s sturdyEvents) recover(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("httpmcp: the event store panicked: %v", v)
		s.log.Error("the event store panicked", "panic", v, "stack", string(debug.Stack()))
	}
}
