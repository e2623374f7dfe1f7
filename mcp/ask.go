package mcp

import (
	"context"
	"errors"
	"fmt"

	"isthmus.internal/jsonrpc"
)

// What becomes of a question, beside an answer.
var (
	// ErrDeclined: the user has said no.
	ErrDeclined = errors.New("the user has declined")
	// ErrCancelled: the user has dismissed the question without a choice.
	ErrCancelled = errors.New("the user has cancelled")
	// ErrInputRequired: the answer comes with a retry of the request, in which the
	// handler runs again from its top. A handler returns it, wrapped or not; whatever
	// it returns, the client is asked.
	ErrInputRequired = errors.New("the client has been asked for input and has to retry the request")
	// ErrNoAnswer: the time of [AskOptions.TTL] is over.
	ErrNoAnswer = errors.New("the client has not answered in time")
	// ErrNotReady: a legacy client has not said yet that it is ready for requests
	// (2025-11-25 basic/lifecycle, Initialization).
	ErrNotReady = errors.New("the client has not sent notifications/initialized, so it cannot be asked yet")
	// ErrStateless: the client's legacy session keeps nothing from one request to the
	// next, so that any of several processes can serve it. Questions need a session
	// that is held in one process, or the modern era.
	ErrStateless = errors.New("the server keeps no state of this session between requests, so the client cannot be asked")

	errGone = errors.New("the client has gone, so it cannot be asked")
)

// InvalidAnswer is the error of a question whose answer is not what was asked for.
// Where the answer came with the request itself, the request is refused with -32602,
// whatever the handler returns; elsewhere the error is the handler's to deal with.
type InvalidAnswer struct {
	// Key is that of the question.
	Key string
	// Reason names the place in the answer, and what was expected there.
	Reason string

	told *jsonrpc.Error
}

// Error is one line.
func (e *InvalidAnswer) Error() string {
	return fmt.Sprintf("the client's answer to %q is not what was asked for: %s", e.Key, e.Reason)
}

// Unwrap gives the refusal of the request, if it has to be refused.
func (e *InvalidAnswer) Unwrap() error {
	if e.told == nil {
		return nil
	}
	return e.told
}

// Refused is the error of a question that the client has answered with an error.
type Refused struct {
	// Method is what the client was asked for, such as "roots/list".
	Method string
	// Code and Message are those of the client's error.
	Code    jsonrpc.Code
	Message string
}

// Error is one line.
func (e *Refused) Error() string {
	return fmt.Sprintf("the client refuses %s: %s (%d)", e.Method, jsonrpc.Clip([]byte(e.Message)), int(e.Code))
}

// Asker puts the questions of handlers to the client, in the way of an era. Each
// exchange brings its own ([Request]); handlers know nothing of it. Its methods may
// be called from several goroutines at once.
type Asker interface {
	// Resume is what earlier rounds of the request have left, nil when it is the first
	// one. The error is for the peer: the request is refused.
	Resume(s *Server, r *Request) (*Rounds, error)

	// Ask puts questions to the client and returns its answers in their order. Where
	// answers can only come with a retry the error is [ErrInputRequired].
	Ask(ctx context.Context, r *Request, questions []Inquiry) ([]Answer, error)

	// Suspend makes the reply that asks for a retry with the answers that are
	// missing. It is called where Ask gives ErrInputRequired.
	Suspend(s *Server, r *Request, rounds *Rounds) (Reply, error)
}

// Inquiry is a question as it goes to the client.
type Inquiry struct {
	// Key names the question within the request.
	Key string
	// Method is elicitation/create, sampling/createMessage or roots/list.
	Method string
	// Params is an object on one line, nil for none.
	Params jsonrpc.Raw

	schema jsonrpc.Raw // that the content of the answer must fit
	alike  jsonrpc.Raw // params without what is drawn anew each time; nil when nothing is
}

// Answer is what a client answers to an inquiry.
type Answer struct {
	// Result is as received; nil when there is a Refusal.
	Result jsonrpc.Raw
	// Refusal is the client's error.
	Refusal *jsonrpc.Error
}

// AskAll puts questions to the client in one round, and returns when all of them are
// answered: then each has its [Asked.Answer]. That the user has declined or cancelled
// is an answer. The errors are those of [Ask]; what was answered before counts.
//
// Each question has a key of its own, by which its answer is known when the handler
// runs again, so keys must come out the same each time, and so must what is asked: where
// what goes to the client has changed since it was answered, the answer does not count
// and the client is asked again. A question with the time or a random number in it would
// be asked until [AskOptions.Rounds] is reached. In one run, the same question under the
// same key has the same answer at once; another question under it is an error.
//
// Several goroutines of a handler may ask at once, each under keys of its own; what is
// still open when the handler returns is given up, and the client told.
func (c *Call) AskAll(ctx context.Context, questions ...Question) error {
	r, err := c.openRounds()
	if err != nil {
		return err
	}
	inquiries, err := c.inquireAll(questions)
	if err != nil {
		return err
	}
	var open []Inquiry
	var waiting []Question
	for i, q := range questions {
		in := inquiries[i]
		answer, known, err := r.claim(in)
		if err == nil && known {
			err = r.settle(q, in, answer)
		}
		if err != nil {
			r.release(open)
			return err
		}
		if !known {
			if answer.other {
				c.server.log.Info("what was answered is no longer what is asked: the client is asked again", "key", in.Key)
			}
			open, waiting = append(open, in), append(waiting, q)
		}
	}
	if len(open) == 0 {
		return nil
	}
	defer r.release(open)
	answers, err := c.putRound(ctx, r, open)
	if err != nil {
		if errors.Is(err, ErrInputRequired) {
			r.want(open)
		}
		return err
	}
	for i, a := range answers {
		err = errors.Join(err, r.accept(waiting[i], open[i], a))
	}
	return err
}

// inquireAll says what goes to the client for each question, if it can be asked. Of the errors for want of a
// capability it makes one.
func (c *Call) inquireAll(questions []Question) ([]Inquiry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.mayAsk || c.ended:
		return nil, errNoQuestions // and the message, which says what the client can do, may be another one by now
	case c.asked.Stateless && len(questions) > 0:
		return nil, ErrStateless
	}
	inquiries := make([]Inquiry, len(questions))
	var missing []*MissingCapability
	for i, q := range questions {
		in, err := q.inquire(c)
		var lacks *MissingCapability
		if errors.As(err, &lacks) {
			missing = append(missing, lacks)
			continue
		}
		if err == nil {
			err = checkKey(in.Key)
		}
		if err != nil {
			return nil, err
		}
		inquiries[i] = in
	}
	if missing != nil {
		return nil, c.missingAll(missing)
	}
	return inquiries, nil
}

// putRound asks the client, unless the request has asked too often already (2026-07-28
// client/sampling, Security Considerations). What several goroutines of a handler ask at
// the same time is one round.
func (c *Call) putRound(ctx context.Context, r *Rounds, open []Inquiry) ([]Answer, error) {
	most := c.server.opts.Ask.rounds()
	r.mu.Lock()
	begins := len(r.busy) <= len(open) // with no others
	over := begins && r.count >= most
	r.mu.Unlock()
	if over {
		return nil, tooManyRounds(most)
	}
	answers, err := c.putInTime(ctx, open)
	if err == nil && begins {
		r.mu.Lock()
		r.count++
		r.mu.Unlock()
	}
	return answers, err
}

// putInTime asks the client, and waits for no longer than a question is good for.
func (c *Call) putInTime(ctx context.Context, open []Inquiry) ([]Answer, error) {
	inTime, done, err := c.beginAsking(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	answers, err := c.asked.Asker.Ask(inTime, &c.asked, open)
	switch {
	case err == nil, errors.Is(err, ErrInputRequired):
		return answers, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(inTime.Err(), context.Canceled):
		return nil, errNoQuestions // any more: the handler has returned
	case inTime.Err() != nil:
		return nil, ErrNoAnswer
	case errors.Is(err, jsonrpc.ErrClosed):
		return nil, errGone
	}
	return nil, err
}

// askOne asks a single question.
func askOne[T any](ctx context.Context, c *Call, q *Asked[T]) (T, error) {
	if err := c.AskAll(ctx, q); err != nil {
		var none T
		return none, err
	}
	return q.Answer()
}

// longestKey is the length in bytes of the longest key.
const longestKey = 256

func checkKey(key string) error {
	if key == "" || len(key) > longestKey {
		return fmt.Errorf("mcp: the key %q of a question must have 1 to %d bytes", jsonrpc.Clip([]byte(key)), longestKey)
	}
	return nil
}
