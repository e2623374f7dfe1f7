package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Code is the integer in a JSON-RPC error that programs act on. It is not an
// error by itself, so a bare code cannot be returned where an [Error] is due.
type Code int

// The codes of JSON-RPC 2.0, section 5.1, which every revision of MCP uses with
// the meanings given there.
const (
	// ParseError: the text is not JSON.
	ParseError Code = -32700
	// InvalidRequest: JSON, but not a JSON-RPC message that may stand here.
	InvalidRequest Code = -32600
	// MethodNotFound: nothing answers to the method.
	MethodNotFound Code = -32601
	// InvalidParams: the method is known, its params are not what it takes.
	InvalidParams Code = -32602
	// InternalError: the fault is not the caller's.
	InternalError Code = -32603
)

// Error is a JSON-RPC error object (JSON-RPC 2.0, section 5.1). A handler that
// returns one, wrapped or not, has it sent to the peer word for word, so Message
// and Data must hold nothing that the peer should not read. Every other error
// reaches the peer as [InternalError] with fixed words.
//
// Errors received from a peer have the same type: the client side returns them,
// and [errors.As] finds them.
type Error struct {
	// Code is never 0.
	Code Code
	// Message is one short sentence for people.
	Message string
	// Data is any JSON value, or nil for none.
	Data Raw
}

// Errorf makes an [Error] from a code and a formatted message, for the peer to
// read: format no Go error, type or path into it.
//
//go:noinline
func Errorf(code Code, format string, args ...any) *Error {
	// This stands in many places: inlined it is more code in each than the call.
	if len(args) == 0 {
		return &Error{Code: code, Message: format}
	}
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Error renders the code and the message for the caller's side, in one line: a peer may have chosen
// the message, so a space stands for each character of it that does not print.
func (e *Error) Error() string {
	message := strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return ' '
		}
		return r
	}, e.Message)
	return "jsonrpc: error " + strconv.Itoa(int(e.Code)) + ": " + message
}

// Is reports whether target is an [*Error] with the same code, so that
// errors.Is(err, &jsonrpc.Error{Code: jsonrpc.MethodNotFound}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t != nil && e != nil && t.Code == e.Code
}

// CodeOf returns the code that err reaches a peer with. It is total: an err that
// holds no [*Error] counts as [InternalError], and nil as 0.
func CodeOf(err error) Code {
	if err == nil {
		return 0
	}
	var e *Error
	if errors.As(err, &e) && e != nil && e.Code != 0 {
		return e.Code
	}
	return InternalError
}

// appendTo appends the error object.
func (e *Error) appendTo(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	dst = AppendInt(dst, int64(e.Code))
	dst = append(dst, `,"message":`...)
	dst = AppendString(dst, e.Message)
	if e.Data != nil {
		dst = append(dst, `,"data":`...)
		dst = append(dst, e.Data...)
	}
	return append(dst, '}')
}

// ReadError reads the error object of a response. It never returns nil: an object
// that is not as JSON-RPC 2.0, section 5.1, wants it becomes an [InternalError]
// that says so.
func ReadError(raw Raw) *Error {
	e := &Error{}
	o := ReadObject(raw)
	for o.Next() {
		switch string(o.Name()) {
		case "code":
			n, _ := o.Value().Int()
			e.Code = Code(n)
		case "message":
			e.Message, _ = o.Value().Text()
		case "data":
			e.Data = bytes.Clone(o.Value())
		}
	}
	if o.Err() != nil || e.Code == 0 {
		return Errorf(InternalError, "the peer sent an error without a proper code")
	}
	return e
}
