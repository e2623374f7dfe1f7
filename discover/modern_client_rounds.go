package discover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Call implements [mcp.Exchange]. Where the server asks for input the request is sent again
// with the answers, under an id of its own, and so on until the result is complete
// (2026-07-28 basic/patterns/mrtr, Client Requirements).
func (x *modernClient) Call(ctx context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
	q := x.newRequest(r)
	if q.told != nil {
		defer q.told.end()
	}
	for rounds := 0; ; rounds++ {
		result, err := x.send(ctx, q)
		if err != nil {
			return nil, err
		}
		kind := resultType(result)
		if kind == complete || q.extended(kind) || q.isFor(kind) {
			return result, nil
		}
		if err := mayAsk(r, rounds, kind); err != nil {
			return nil, err
		}
		if err := q.meet(ctx, result); err != nil {
			return nil, fmt.Errorf("discover: %s: %w", r.Method, err)
		}
		r.Retried, q.out.Room = true, nil // whoever was asked may look at the question for longer
	}
}

// isFor reports whether a result that asks for input is for the client that the request is
// made for.
func (q *modernRequest) isFor(kind string) bool {
	return q.as != nil && kind == inputRequired && slices.Contains(asking, q.out.Method)
}

// The types of results (2026-07-28 basic/index, ResultType).
const (
	complete      = "complete"
	inputRequired = "input_required"
)

// saysComplete is how the results of most servers begin.
var saysComplete = []byte(`{"resultType":"complete"`)

// resultType is [mcp.ResultTypeOf], for most results without a look at all of it.
func resultType(result jsonrpc.Raw) string {
	if bytes.HasPrefix(result, saysComplete) {
		return complete
	}
	return mcp.ResultTypeOf(result)
}

// extended reports whether a result is of a type that an extension may have defined, which
// the caller has to know: the client that the request is made for has declared extensions
// (2026-07-28 basic/index, ResultType).
func (q *modernRequest) extended(kind string) bool {
	var by sayer = q.x.host
	if q.as != nil {
		by = q.as
	}
	return kind != "" && kind != inputRequired && len(by.Capabilities().Extensions) > 0
}

// asking are the requests that a server may answer by asking (2026-07-28
// basic/patterns/mrtr, Supported Requests).
var asking = []string{"tools/call", "prompts/get", "resources/read"}

// mayAsk says why a result that is not complete is not to be met. rounds counts the ones
// before.
func mayAsk(r *mcp.ClientRequest, rounds int, kind string) error {
	switch {
	case kind == "":
		return fmt.Errorf("discover: the server's result of %s is no object with a proper resultType", r.Method)
	case kind != inputRequired:
		return fmt.Errorf("discover: the server's result of %s has the resultType %q, which this client does not know", r.Method, jsonrpc.Clip([]byte(kind)))
	case !slices.Contains(asking, r.Method):
		return fmt.Errorf("discover: the server asks for input before it answers %s, which is not allowed", r.Method)
	case r.Rounds <= 0:
		return fmt.Errorf("discover: the server asks for input before it answers %s, and the client is not to be asked (MaxRounds)", r.Method)
	case rounds >= r.Rounds:
		return fmt.Errorf("discover: the server goes on to ask for input before it answers %s: it has done so %d times (MaxRounds)", r.Method, rounds)
	}
	return nil
}

// meet makes q the retry that the server asks for. The state goes back as the very bytes that
// came, and where none came none goes back.
func (q *modernRequest) meet(ctx context.Context, result jsonrpc.Raw) error {
	requests, state, err := readInputRequired(result)
	if err != nil {
		return err
	}
	if q.responses == nil && q.state == nil {
		// What the caller may have put there is not what this server has asked for.
		if q.params, err = without(q.params, "inputResponses", "requestState"); err != nil {
			return err
		}
	}
	q.responses, q.state = nil, bytes.Clone(state)
	if requests.Kind() == jsonrpc.KindAbsent {
		return nil
	}
	q.responses, err = q.answer(ctx, requests)
	return err
}

// readInputRequired finds the questions of a server, an object, and its state, a string; each
// may be nil, but not both (2026-07-28 basic/patterns/mrtr, Server Requirements).
func readInputRequired(result jsonrpc.Raw) (requests, state jsonrpc.Raw, err error) {
	o := jsonrpc.ReadObject(result)
	for o.Next() {
		switch string(o.Name()) {
		case "inputRequests":
			requests = o.Value()
		case "requestState":
			state = o.Value()
		}
	}
	switch {
	case o.Err() != nil:
		return nil, nil, o.Err()
	case requests == nil && state == nil:
		err = fmt.Errorf("the server asks for input, and has neither inputRequests nor requestState")
	case requests != nil && requests.Kind() != jsonrpc.KindObject:
		err = fmt.Errorf("the server's inputRequests is no object")
	case state != nil && state.Kind() != jsonrpc.KindString:
		err = fmt.Errorf("the server's requestState is no string")
	}
	return requests, state, err
}

// answer has the questions answered, one after the other in the order in which the server has
// written them, since a user can only be asked one thing at a time. It gives inputResponses:
// the results under the keys of the questions. A question that cannot be answered ends the
// request: there is no way to tell the server of it.
func (q *modernRequest) answer(ctx context.Context, requests jsonrpc.Raw) ([]byte, error) {
	if err := checkKeys(requests); err != nil {
		return nil, err
	}
	responses := []byte{'{'}
	o := jsonrpc.ReadObject(requests)
	for o.Next() {
		asked, err := mcp.Read[mcp.InputRequest](o.Value(), "inputRequests")
		if err != nil {
			return nil, fmt.Errorf("the server's question %q cannot be read: %w", jsonrpc.Clip(o.Name()), err)
		}
		result, err := q.x.host.Answer(ctx, asked.Method, asked.Params, q.words.form)
		if err != nil {
			return nil, fmt.Errorf("the question %q: %w", jsonrpc.Clip(o.Name()), &unanswered{err})
		}
		responses = jsonrpc.AppendMember(responses, string(o.Name()), result)
	}
	return append(responses, '}'), nil
}

// mostQuestions is how many questions one result may have: each may come before a user.
const mostQuestions = 128

// checkKeys says why questions cannot all be answered, before the first one is: there are too many,
// or several under one key.
func checkKeys(requests jsonrpc.Raw) error {
	n := 0
	o := jsonrpc.ReadObject(requests)
	for o.Next() {
		if n++; n > mostQuestions {
			return fmt.Errorf("the server asks more than %d things at once", mostQuestions)
		}
	}
	return o.Err() // of a key that stands twice
}

// unanswered is the error of a question that was not answered. What a legacy server would be
// told is not in it: callers take a [*jsonrpc.Error] for one that the server has sent.
type unanswered struct{ error }

// Is looks into the cause, such as [mcp.ErrDeclined].
func (u *unanswered) Is(target error) bool { return errors.Is(u.error, target) }

// As does so, too.
func (u *unanswered) As(target any) bool {
	if _, sent := target.(**jsonrpc.Error); sent {
		return false
	}
	return errors.As(u.error, target)
}

// without is an object without the members of these names; nil stays nil.
func without(object jsonrpc.Raw, names ...string) (jsonrpc.Raw, error) {
	if object == nil {
		return nil, nil
	}
	left := []byte{'{'}
	o := jsonrpc.ReadObject(object)
	for o.Next() {
		if name := string(o.Name()); !slices.Contains(names, name) {
			left = jsonrpc.AppendMember(left, name, o.Value())
		}
	}
	return append(left, '}'), o.Err()
}
