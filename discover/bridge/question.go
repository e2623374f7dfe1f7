package bridge

import (
	"context"
	"errors"
	"fmt"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// question is what the server asks, in a form in which it can be put to a client as often as
// that comes back.
type question struct {
	form   *mcp.ElicitForm
	page   *mcp.ElicitURL
	sample *mcp.SampleRequest // all three nil: the roots

	key  string
	done chan struct{} // closed when it is answered
	give mcp.Value
	err  error
}

// put is a question in one run of a handler, and how its answer is found then.
type put struct {
	mcp.Question
	answer func() (mcp.Value, error)
}

// question makes the question anew, under a key. The error says why a client cannot be shown
// it.
func (q *question) question(key string) (one put, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = jsonrpc.Errorf(jsonrpc.InvalidParams, "The question cannot be put to the client: %v", v)
		}
	}()
	switch {
	case q.form != nil && q.form.Message == "":
		return put{}, jsonrpc.Errorf(jsonrpc.InvalidParams, "The question cannot be put to the client: it has no message that says what is asked for")
	case q.form != nil:
		asked := mcp.FormQuestion(key, q.form)
		return put{asked, func() (mcp.Value, error) { return elicited(asked.Answer()) }}, nil
	case q.page != nil:
		if err := q.page.Check(); err != nil {
			return put{}, jsonrpc.Errorf(jsonrpc.InvalidParams, "The question cannot be put to the client: %v", err)
		}
		asked := mcp.URLQuestion(key, q.page)
		return put{asked, func() (mcp.Value, error) {
			_, err := asked.Answer()
			return elicited(nil, err)
		}}, nil
	case q.sample != nil:
		asked := mcp.SampleQuestion(key, q.sample)
		return put{asked, func() (mcp.Value, error) { return asked.Answer() }}, nil
	}
	asked := mcp.RootsQuestion(key)
	return put{asked, func() (mcp.Value, error) {
		roots, err := asked.Answer()
		return &mcp.RootsResult{Roots: roots}, err
	}}, nil
}

// elicited is what the user has done with a form or a page.
func elicited(content jsonrpc.Raw, err error) (mcp.Value, error) {
	switch {
	case errors.Is(err, mcp.ErrDeclined):
		return &mcp.ElicitResult{Action: "decline"}, nil
	case errors.Is(err, mcp.ErrCancelled):
		return &mcp.ElicitResult{Action: "cancel"}, nil
	case err != nil:
		return nil, err
	}
	return &mcp.ElicitResult{Action: "accept", Content: content}, nil
}

// readQuestion reads what a modern server asks.
func readQuestion(r mcp.InputRequest) (*question, error) {
	switch r.Method {
	case "elicitation/create":
		if page, err := mcp.Read[mcp.ElicitURL](r.Params, "params"); err == nil {
			return &question{page: &page}, nil
		}
		form, err := mcp.Read[mcp.ElicitForm](r.Params, "params")
		return &question{form: &form}, err
	case "sampling/createMessage":
		sample, err := mcp.Read[mcp.SampleRequest](r.Params, "params")
		return &question{sample: &sample}, err
	case "roots/list":
		return &question{}, nil
	}
	return nil, fmt.Errorf("bridge: the server asks for %s, which there is not", jsonrpc.Clip([]byte(r.Method)))
}

// elicit, sample and roots answer what a legacy server asks on its line.
func (l *line) elicit(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	v, err := l.ask(ctx, &question{form: r.Form, page: r.Page})
	result, _ := v.(*mcp.ElicitResult)
	return result, err
}

func (l *line) sample(ctx context.Context, r *mcp.SampleRequest) (*mcp.SampleResult, error) {
	v, err := l.ask(ctx, &question{sample: r})
	result, _ := v.(*mcp.SampleResult)
	return result, err
}

func (l *line) roots(ctx context.Context) ([]mcp.Root, error) {
	v, err := l.ask(ctx, &question{})
	if err != nil {
		return nil, err
	}
	return v.(*mcp.RootsResult).Roots, nil
}

var errNobody = jsonrpc.Errorf(jsonrpc.InvalidRequest, "No request of the client is under way that this could be asked for")

// arrivedKey is the key of the call that was the newest when a question came, in its context.
type arrivedKey struct{}

// arrived notes, as soon as a question of the server has come, which call it is about. When it is put
// that may have been answered, and the line lent to another client.
func (l *line) arrived(ctx context.Context) context.Context {
	return context.WithValue(ctx, arrivedKey{}, l.newest(aQuestion))
}

// about is the call that a question is put for; nil for none.
func (l *line) about(ctx context.Context) *call {
	if !l.several {
		return l.newest(aQuestion)
	}
	of, _ := ctx.Value(arrivedKey{}).(*call)
	if of == nil || of.isOver() {
		return nil
	}
	return of
}

// ask has the client answer whose request is under way. Of several requests of a client any may
// be the one; when it is answered before the question is, another one takes the question over,
// unless that may be another client's.
func (l *line) ask(ctx context.Context, q *question) (mcp.Value, error) {
	for {
		of := l.about(ctx)
		if of == nil {
			return nil, errNobody
		}
		v, err := of.ask(ctx, q)
		if err == nil || ctx.Err() != nil || !of.isOver() {
			return v, forServer(err)
		}
	}
}

// ask has the client answer.
func (of *call) ask(ctx context.Context, q *question) (mcp.Value, error) {
	if of.parked != nil {
		return of.parked.ask(ctx, q)
	}
	of.mu.Lock()
	c := of.c
	of.asked++
	key := fmt.Sprintf("ask-%d", of.asked)
	of.mu.Unlock()
	one, err := q.question(key)
	if err == nil {
		err = c.AskAll(ctx, one)
	}
	if err != nil {
		return nil, err
	}
	return one.answer()
}

// forServer is an error of a question as the server is told of it.
func forServer(err error) error {
	if err == nil {
		return nil
	}
	var refused *mcp.Refused
	var lacks *mcp.MissingCapability
	switch {
	case errors.As(err, &refused):
		return &jsonrpc.Error{Code: refused.Code, Message: refused.Message}
	case errors.As(err, &lacks):
		return jsonrpc.Errorf(jsonrpc.InvalidParams, "%s", lacks.Error())
	}
	return err
}
