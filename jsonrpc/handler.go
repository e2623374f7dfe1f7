package jsonrpc

import (
	"context"
	"log/slog"
)

// Handler answers what arrives on a connection. All methods may be called from
// several goroutines at once.
//
// The spans of a message, and the peer it came with, are good until the method
// returns; a handler that keeps bytes longer copies them.
type Handler interface {
	// Request answers m: it appends the result, one JSON value on one line, to
	// dst and returns the extended slice, or returns an error. An [*Error] is
	// sent as it is, any other error as [InternalError] with fixed words (see
	// [Invoke]). ctx ends when the peer cancels the request or the connection
	// closes; what is returned after a cancel is dropped.
	Request(ctx context.Context, m *Message, p Peer, dst []byte) ([]byte, error)

	// Notification takes m in. Nothing is ever sent back for it, so faults are
	// the handler's to log.
	Notification(ctx context.Context, m *Message, p Peer)

	// AllowBatch reports whether an array of messages may be taken at this
	// moment: nil if so, and otherwise what the peer is told.
	AllowBatch() *Error

	// Label names m in the debug log. It is called only when that log is on.
	Label(m *Message) slog.Attr
}

// Answerer may be implemented by the [Handler] on the side of a client. While Answers
// reports false nothing is sent for a request of the peer that does not reach the handler
// either, such as one that is not well formed.
type Answerer interface{ Answers() bool }

// Arriver may be implemented by the [Handler] on the side of a client. Arrive is called with the
// context of each request that Request is to answer, before anything behind it is looked at, such as
// the answer to a call: so it must be quick. Request gets the context that it returns, which is ctx or
// made of that. A request may be refused all the same, and then does not reach Request.
type Arriver interface {
	Arrive(ctx context.Context) context.Context
}

// Arrive is the context that a request has for h, which need not be an [Arriver]. It serves every
// transport.
func Arrive(ctx context.Context, h Handler) context.Context {
	if a, ok := h.(Arriver); ok {
		return a.Arrive(ctx)
	}
	return ctx
}

// Peer is the other end of a connection, as the handler of one message sees it.
// What is sent through it belongs to that message: a transport with a stream per
// request sends it on that stream.
type Peer interface {
	// Notify sends a notification. params is a JSON object on one line, or nil.
	// It returns when the message is written or is sure to be taken along by
	// the goroutine that is writing, in a long-lived request when it is written; the
	// error says that the connection is gone.
	Notify(method string, params []byte) error

	// Call sends a request and waits for its answer. params is a JSON object on
	// one line, or nil. An error from the peer is an [*Error], and so is what comes of
	// a response that is none; ctx ending, or the connection closing, ends the wait
	// with another one. When it is ctx, the peer is told ([Options.Abandoned]). It may
	// be called from several goroutines at once.
	Call(ctx context.Context, method string, params []byte) (Raw, error)

	// Cancel ends the context of the request with this id that the peer has in
	// flight. Its answer is then never sent. An id that is not in flight, or
	// whose request has been answered, is ignored.
	Cancel(id ID)

	// Ending is closed when nothing more is taken from the peer, or this side is
	// shutting down. A handler that waits for something else than its own work, as
	// that of a long-lived request does, then answers at once; others go on.
	Ending() <-chan struct{}
}

// Unframed is what a [Source] may return about a message that it could not frame, so that
// a client still finds out which of its calls that message would have answered.
type Unframed struct {
	Told  *Error
	Begin []byte // of the message: so much of it as is at hand
}

// Error implements error.
func (u *Unframed) Error() string { return u.Told.Error() }

// Unwrap returns what the peer is told.
func (u *Unframed) Unwrap() error { return u.Told }

// Source yields the messages of a stream, one by one, without their framing.
// One goroutine at a time uses it, not always the same one; only Close may be
// called beside it.
type Source interface {
	// Read returns the next message. The bytes stay good until the next Read,
	// or for ever once Detach was called before it. io.EOF says that the stream
	// has ended. An error that is an [*Error] is about one message that could
	// not be framed: it is answered with that error, and reading goes on.
	Read() ([]byte, error)

	// Buffered reports whether a whole message is at hand, so that Read would
	// not wait.
	Buffered() bool

	// Detach leaves the message that Read last returned to its user for good:
	// the source moves on to another buffer and takes its unread bytes along.
	Detach()

	// Close makes a Read that waits return soon. An error says that the system
	// has no way to do so; the connection then does not wait for that Read.
	Close() error
}
