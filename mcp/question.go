package mcp

import (
	"errors"

	"isthmus.internal/jsonrpc"
)

// Question is something that a handler asks its client: an [*Asked], made by
// [QuestionFor], [FormQuestion], [URLQuestion], [SampleQuestion] or [RootsQuestion]
// and put by [Call.AskAll] or [Call.RequireInput].
type Question interface {
	// inquire says what goes to the client of c, or why it cannot be asked.
	inquire(c *Call) (Inquiry, error)
	// take reads the answer and keeps it. A bad one is not kept.
	take(answer jsonrpc.Raw) badAnswer
	// refused says what becomes of the question when the client answers with an error:
	// nil when that is as good as an answer.
	refused(in Inquiry, e *jsonrpc.Error) error
}

// badAnswer says why an answer is not what was asked for, when the answer is known as
// where; nil for a good one.
type badAnswer func(where string) string

// Asked is a question whose answer is a T. It belongs to one run of a handler.
type Asked[T any] struct {
	ask  func(c *Call) (Inquiry, error)
	read func(answer jsonrpc.Raw) (T, error, badAnswer)
	// declined tells which errors of the client mean that the user has declined.
	declined func(e *jsonrpc.Error) bool

	answered bool
	value    T
	err      error
}

// Answer is what the client has answered. It is an error that [ErrDeclined] or
// [ErrCancelled] matches when the user did so, and another one before the question is
// answered.
func (q *Asked[T]) Answer() (T, error) {
	if !q.answered {
		return q.value, errors.New("mcp: the question has not been answered: AskAll has not returned nil")
	}
	return q.value, q.err
}

func (q *Asked[T]) inquire(c *Call) (Inquiry, error) { return q.ask(c) }

func (q *Asked[T]) take(answer jsonrpc.Raw) badAnswer {
	value, err, bad := q.read(answer)
	if bad == nil {
		q.answered, q.value, q.err = true, value, err
	}
	return bad
}

func (q *Asked[T]) refused(in Inquiry, e *jsonrpc.Error) error {
	if q.declined == nil || !q.declined(e) {
		return refusedBy(in, e)
	}
	q.answered, q.err = true, ErrDeclined
	return nil
}

// refusedBy is apart from the types of answers.
//
//go:noinline
func refusedBy(in Inquiry, e *jsonrpc.Error) error {
	return &Refused{Method: in.Method, Code: e.Code, Message: e.Message}
}

// bad is a fault at a place inside an answer, such as ".role".
// Inlined, it would be a closure more in each place.
//
//go:noinline
func (m *Malformed) bad() badAnswer {
	if m == nil {
		return nil
	}
	return func(where string) string { return where + m.Where + " " + m.Want }
}
