package mcp

import (
	"bytes"

	"isthmus.internal/jsonrpc"
)

// RequireInput ends the run of a handler that keeps its own account of what it has
// asked, rather than to ask as it goes along:
//
//	if answer := c.InputResponse("name"); answer != nil { … }
//	return nil, c.RequireInput(state, mcp.QuestionFor[Name]("name", "Who are you?"))
//
// The client is asked all of the questions, and the handler runs again with its
// answers in [Call.InputResponse], and with state in [Call.RequestState] (2026-07-28
// basic/patterns/mrtr). Without questions it runs again at once, or when the client
// sees fit. state may be nil; the client cannot read it, and brings it back unaltered.
//
// The error, which the handler returns, matches [ErrInputRequired], or says why the
// client cannot be asked.
func (c *Call) RequireInput(state []byte, questions ...Question) error {
	r, err := c.openRounds()
	if err != nil {
		return err
	}
	open, err := c.inquireAll(questions)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, in := range open {
		if err := r.noteLocked(in); err != nil {
			return err
		}
		if !r.isOpenLocked(in.Key) {
			r.open, r.input = append(r.open, in), append(r.input, questions[i])
		}
	}
	r.suspend, r.keep = true, bytes.Clone(state)
	return ErrInputRequired
}

// RequestState is what the handler has given to [Call.RequireInput] in the round
// before this one, nil in the first round.
func (c *Call) RequestState() []byte {
	r := c.knownRounds()
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.kept)
}

// InputResponse is the client's answer to the question with this key, as received: an
// ElicitResult, a CreateMessageResult or a ListRootsResult (2026-07-28 schema). It is
// nil when there is none. It fits what [Call.RequireInput] has asked in the round
// before; one that does not is nil, and the request is refused whatever the handler
// returns. An answer to what was not asked then is nil, too; where the client has sent no
// requestState, nothing is known of what was asked, and its answers are only known to be
// objects.
//
// It answers what was asked then, which may not be what the handler would ask now: keep in
// state what the question was about.
func (c *Call) InputResponse(key string) jsonrpc.Raw {
	r, err := c.openRounds()
	if err != nil {
		return nil
	}
	r.mu.Lock()
	answer, ok := r.responses[key]
	ok = ok && r.wasPosedLocked(key)
	in, where := r.required[key], r.where
	r.mu.Unlock()
	if !ok {
		return nil
	}
	if bad := checkResponse(in, answer); bad != nil {
		_ = r.refuse(key, where, bad) // it is kept, and made the reply
		return nil
	}
	return bytes.Clone(answer)
}

// checkResponse holds an answer against what was asked.
func checkResponse(in Inquiry, answer jsonrpc.Raw) badAnswer {
	switch in.Method {
	case "elicitation/create":
		_, _, bad := readElicitation(in.schema, answer)
		return bad
	case "sampling/createMessage":
		_, _, bad := readSample(answer)
		return bad
	case "roots/list":
		_, _, bad := readRoots(answer)
		return bad
	}
	if answer.Kind() != jsonrpc.KindObject {
		return must("be an object").bad()
	}
	return nil
}
