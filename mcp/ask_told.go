package mcp

import (
	"errors"

	"isthmus.internal/jsonrpc"
)

// tellAsked makes of an error that a question has ended with what the client is told,
// when the handler of a prompt or of a resource returns it as it is: there is no result
// that could tell of it, as a tool has one, and it is no fault of the server (2026-07-28
// client/elicitation, Error Handling). The code is that of a request which failed, as no
// revision has another one for it. What the handler has put around the error stays here.
// Other errors are left alone.
func (c *Call) tellAsked(err error) error {
	var protocol *jsonrpc.Error
	if err == nil || c.Method() == "tools/call" || errors.As(err, &protocol) {
		return err
	}
	var invalid *InvalidAnswer
	var refused *Refused
	var known error
	code := jsonrpc.InternalError
	switch {
	case errors.Is(err, ErrNotReady):
		known, code = ErrNotReady, jsonrpc.InvalidRequest // what the client can mend
	case errors.Is(err, ErrStateless):
		known, code = ErrStateless, jsonrpc.InvalidRequest
	case errors.Is(err, errGone):
		known = errGone
	case errors.Is(err, ErrDeclined):
		known = ErrDeclined
	case errors.Is(err, ErrCancelled):
		known = ErrCancelled
	case errors.Is(err, ErrNoAnswer):
		known = ErrNoAnswer
	case errors.As(err, &invalid):
		known = invalid
	case errors.As(err, &refused):
		known = refused
	default:
		return err
	}
	return &jsonrpc.Error{Code: code, Message: asSentence(known)}
}

// asSentence is the text of an error of questions, which begins with a small t, as a
// message of its own.
func asSentence(err error) string { return "T" + err.Error()[1:] }
