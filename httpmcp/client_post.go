package httpmcp

import (
	"context"
	"io"
	"log/slog"
	"net/http"

	"isthmus.internal/jsonrpc"
)

// reply is the response to a request of ours. Whoever has it closes it.
type reply struct {
	*http.Response
	wire   *wire
	life   *life
	caller context.Context // ends the reply for as long as there is no answer
	ctx    context.Context
	cancel context.CancelFunc
	stops  [2]func() bool
}

// intake is how what comes for a request is taken in.
type intake struct {
	method string     // of the request, for errors
	id     jsonrpc.ID // of the request; zero for a stream that answers none
	open   bool       // nothing bounds the stream as a whole
	// batches: several messages may come as one array (2025-03-26).
	batches bool
	// hear is given each request and notification, in order, and each message is good until
	// it returns.
	hear func(m *jsonrpc.Message)
	log  *slog.Logger

	scan jsonrpc.Scanner
	msg  jsonrpc.Message
}

// isEvents reports whether the response is a stream of events.
func (r *reply) isEvents() bool { return false }

// events reads the response as a stream of events.
func (r *reply) events(open bool) *eventReader { return newEventReader(r.Body, 0) }

// answer reads the response to its end, or to the answer: the result, or an error that is a
// [*jsonrpc.Error] of the server, a [*mcp.Rejected] for a response that is no answer, the
// error of ctx, or what has gone wrong on the way. io.ErrUnexpectedEOF is matched when the stream
// ends without an answer.
func (r *reply) answer(in *intake) (jsonrpc.Raw, error) { return nil, io.ErrUnexpectedEOF }

// follow reads events until the answer has come. io.EOF says that the stream has ended before.
// Where it stood is in events.
func (r *reply) follow(in *intake, events *eventReader) (jsonrpc.Raw, error) {
	return nil, io.EOF
}

// accepted is for what needs no answer: nil for a status of success, or else as
// [reply.refused] has it.
func (r *reply) accepted() error { return nil }

// refused is what a response says that is no answer: the [*jsonrpc.Error] in its body, whatever the
// status is, or a [*mcp.Rejected].
func (r *reply) refused() error { return nil }

// close ends the response, also where it has not been read to its end.
func (r *reply) close() {}
