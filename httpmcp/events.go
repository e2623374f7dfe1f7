package httpmcp

import "errors"

// Event is one message that a client may have missed.
type Event struct {
	// ID is what [EventStore.Append] gave for it.
	ID string
	// Data is the message, JSON on one line. It is empty for an event that was only
	// sent to tell the client an id. It must not be changed.
	Data []byte
}

// EventStore keeps the events of legacy sessions, so that a client whose connection broke
// can resume a stream behind the last event that it got (2025-11-25 basic/transports,
// Resumability and Redelivery). The store that [NewMemoryEvents] makes is the default;
// another one may keep them where all replicas find them.
//
// session and stream are names of the handler's making: visible ASCII characters (0x21 to
// 0x7E), a stream's without a dot. A stream's name is used once in a session. All methods may be called from
// several goroutines at once, and each is called while a client waits, so they should be
// quick.
type EventStore interface {
	// Append keeps one event, whose data is the caller's again afterwards, and gives it an
	// id: of visible ASCII characters, different from every other one in the session, from which
	// the stream can be told. An error means that this event has no id, and that the
	// stream cannot be resumed at it.
	Append(session, stream string, data []byte) (id string, err error)

	// Since returns the stream that the event with this id belongs to, and what was appended to
	// that stream behind it, oldest first. The error is [ErrNoEvents] when there is no such
	// event, or any more, or when one behind it is lost: a stream is resumed whole or not
	// at all.
	Since(session, id string) (stream string, events []Event, err error)

	// Drop forgets a stream, or with stream "" the whole session. To drop what is not there
	// is no fault.
	Drop(session, stream string)
}

// ErrNoEvents is returned by [EventStore.Since] when a stream cannot be resumed behind the
// event that was named.
var ErrNoEvents = errors.New("httpmcp: the event is not known, or what came behind it is not kept any more")
