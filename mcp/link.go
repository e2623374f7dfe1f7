package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"isthmus.internal/jsonrpc"
)

// Link is a client's end of its connection to a server: it carries the messages of one
// era and knows nothing of what they mean. Transports make it, and give what the server
// sends of its own accord, requests and notifications, to the [jsonrpc.Handler] that it was
// opened with. All methods may be called from several goroutines at once.
type Link interface {
	// Call sends a request and waits for its answer, the result. An error of the server is
	// a [*jsonrpc.Error], a response that is none a [*jsonrpc.BrokenResponse], and
	// [jsonrpc.ErrEchoed] says that nothing but the request itself came back. Where ctx ends first the error is that of ctx, and the server is
	// told that the answer is not wanted any more, unless the cause of that end is
	// [jsonrpc.ErrPeerEnded]; Call does not wait for that. When the
	// link has ended the error matches [ErrLinkClosed] and says why; [ErrSessionEnded]
	// says that the server has forgotten the session, and has not looked at the request, and
	// [ErrAnswerLost] that the link goes on and the connection of the call does not.
	// What the transport itself was told in place of an answer is a [*Rejected]. A
	// [*RetryAfter] is around either that says when to come again.
	Call(ctx context.Context, out *Outgoing) (jsonrpc.Raw, error)

	// Notify sends a notification, and returns when it is sent or is sure to be.
	Notify(ctx context.Context, out *Outgoing) error

	// Done is closed when the link has ended: by Close, or because the server has gone.
	Done() <-chan struct{}

	// Err is nil until Done is closed, and then says why, matching [ErrLinkClosed].
	Err() error

	// Close ends the link, in the order that its transport has for that and within a
	// bounded time: calls that wait for answers fail. The error is about the ending, such as
	// a server that had to be killed. The second call does nothing.
	Close() error
}

// Outgoing is a request or a notification of a client on its way to a [Link].
type Outgoing struct {
	Method string

	// Params appends the params, one JSON object on one line, to dst. id is that of
	// the request, which the link has chosen, and is good until the function returns; zero
	// for a notification. nil: no params. It is called once, before Call or Notify returns.
	Params func(dst []byte, id jsonrpc.ID) []byte

	// Room is where the link may put the result, in place of what is there; nil for
	// nowhere. It is the caller's again when Call returns.
	Room *[]byte

	// Version is the revision in which the message is said; "" before one is agreed
	// on. Over HTTP it is told in a header.
	Version string

	// Marks are the arguments that the called tool wants to see repeated in headers
	// ([HeaderParam]). Links without headers ignore them.
	Marks []HeaderParam

	// Quiet: the server is not told when ctx ends, as it must not be of a handshake
	// (2025-11-25 basic/utilities/cancellation, Behavior Requirements).
	Quiet bool

	// Open: the request stays open by nature, so neither the time that it takes nor the
	// bytes that come with it are bounded.
	Open bool
}

// ErrLinkClosed is matched by the errors of calls on a link that has ended.
var ErrLinkClosed = errors.New("mcp: the connection to the server has ended")

// ErrAnswerLost is matched by the error of a call that was sent and whose connection was lost before
// its answer came, while the link goes on, as over HTTP: the next call may find the server again.
// Whether the request was carried out nobody knows. What has happened to the connection can be
// found in the error, too, such as [io.EOF] or a [*net.OpError].
var ErrAnswerLost = errors.New("mcp: the connection was lost before the answer came, and nobody knows whether the request was carried out")

// ErrSessionEnded is matched by the error of a call in a legacy session that the server
// knows no more. The request was not looked at, and a new handshake over the same link
// opens another session (2025-11-25 basic/transports, Session Management). Until its
// initialize is answered, other calls on the link go on in the session that has ended, and
// have this error, too.
var ErrSessionEnded = errors.New("mcp: the server has ended the session")

// SessionWatcher may be implemented by the handler that a link is opened with. A link that
// learns outside of a call that the server knows the session no more, such as from the
// answer to its GET, says so here, once for each session, and does not try again on its own.
type SessionWatcher interface{ SessionEnded() }

// Rejected is what a server's transport said in place of an answer, such as an HTTP status
// without a JSON-RPC error behind it.
type Rejected struct {
	// Status is the HTTP status; 0 where the transport has none.
	Status int
	// Reason says what came, for people: the status and the beginning of the body.
	Reason string
	// Challenge is the value of WWW-Authenticate; "" if there was none.
	Challenge string
}

// Error implements error.
func (r *Rejected) Error() string { return "mcp: the server has rejected the request: " + r.Reason }

// RetryAfter is around a [*Rejected] or a [*jsonrpc.Error] that says when to come again: over HTTP
// the header Retry-After beside 429 and 503 (RFC 9110, 10.2.3). The request was not carried out, and
// nobody sends it again but the caller.
type RetryAfter struct {
	// Wait is for how long, from when the answer has come; 0 is at once. No bound is set to what
	// a server asks for.
	Wait time.Duration
	// Err is what the server has said. It is what [errors.As] goes on with.
	Err error
}

// Error implements error.
func (r *RetryAfter) Error() string { return fmt.Sprintf("%v; try again after %v", r.Err, r.Wait) }

// Unwrap returns Err.
func (r *RetryAfter) Unwrap() error { return r.Err }
