package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
)

// Answer answers what the server asks of the client: elicitation/create,
// sampling/createMessage or roots/list, with the handler that the options have for it. params
// and the result are as the revision f has them; params are checked. In the legacy era
// the question came as a request, in the modern one in a result that asks for input: an
// exchange calls Answer for either, from as many goroutines as it likes. At most 16
// questions are answered at once; further ones are refused. params may be nil, and is not
// kept. It is for packages that make exchanges.
//
// The error is an [*Unanswered].
func (c *Client) Answer(ctx context.Context, method string, params jsonrpc.Raw, f *Form) (answer jsonrpc.Raw, err error) {
	ask := c.handlerOf(method, f)
	if ask == nil {
		told := jsonrpc.Errorf(jsonrpc.MethodNotFound, "Method not found: %s: the client has not declared it", jsonrpc.Clip([]byte(method)))
		return nil, &Unanswered{Method: method, Told: told}
	}
	if !c.asks.enter() {
		told := jsonrpc.Errorf(jsonrpc.InternalError, "Too many questions: the client answers %d at once, ask again later", mostAsks)
		return nil, &Unanswered{Method: method, Told: told}
	}
	defer c.asks.leave()
	defer func() {
		if v := recover(); v != nil {
			c.log.Error("a handler of the client panicked", "method", method, "panic", v, "stack", string(debug.Stack()))
			answer, err = nil, &Unanswered{method, errNotAnswered, fmt.Errorf("the handler panicked: %v", v)}
		}
	}()
	value, err := ask(ctx, params, f)
	if err == nil {
		answer, err = Append(nil, value, f)
	}
	if err != nil {
		return nil, c.refusal(ctx, method, err)
	}
	return answer, nil
}

// Arrive gives the context with which [Client.Answer] is called for a question that has come as a
// request: that of the exchange, or what the options make of it. It is called before anything is
// looked at that has come behind the question. It is for packages that make exchanges.
func (c *Client) Arrive(ctx context.Context) context.Context {
	if c.opts.Arrived == nil {
		return ctx
	}
	return c.opts.Arrived(ctx)
}

// asker answers one kind of question. An error that is no [*jsonrpc.Error] is not for the server.
type asker func(ctx context.Context, params jsonrpc.Raw, f *Form) (Value, error)

// handlerOf is what answers a method, nil when the client has not declared that it can.
func (c *Client) handlerOf(method string, f *Form) asker {
	switch {
	case method == "elicitation/create" && c.opts.Elicit != nil && f.Elicitation:
		return c.elicit
	case method == "sampling/createMessage" && c.opts.Sample != nil:
		return c.sample
	case method == "roots/list" && c.opts.Roots != nil:
		return c.listRoots
	}
	return nil
}

// mostAsks is how many questions are answered at once. Each may have a dialogue of the user's
// open, or a model at work (2026-07-28 client/sampling, Security Considerations).
const mostAsks = 16

// asks counts the questions that are being answered.
type asks struct {
	mu    sync.Mutex
	taken int       // that are open, mostAsks at the most
	last  time.Time // when one was answered last; zero for never
}

func (a *asks) enter() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.taken == mostAsks {
		return false
	}
	a.taken++
	return true
}

func (a *asks) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.taken--
	a.last = time.Now()
}

// quiet is for how long the server has had no question open: while it waits for the client
// its own time does not run. It is 0 while one is open, and very long where none ever was.
func (a *asks) quiet() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.taken > 0 {
		return 0
	}
	return time.Since(a.last)
}

// Unanswered is the error of [Client.Answer]: what the server asks was not answered. In the
// legacy era the server is told of that; in the modern one there is no way to tell it, and the
// request that has led to the question fails (2026-07-28 client/roots, Error Handling).
type Unanswered struct {
	// Method is what the server has asked for, such as "roots/list".
	Method string
	// Told is what the server may be told: -32601 for what the client has not declared,
	// -32602 for params that are not those of such a request (2025-11-25 client/elicitation,
	// Error Handling), -1 for a model that the user does not let be used (2025-11-25
	// client/sampling, Error Handling), else -32603. It says nothing about the client's
	// insides.
	Told *jsonrpc.Error
	// Cause is what the handler has said, nil where it was not asked.
	Cause error
}

// Error says why, to the owner of the client.
func (u *Unanswered) Error() string {
	why := u.Told.Message
	if u.Cause != nil {
		why = u.Cause.Error()
	}
	return "the server's " + jsonrpc.Clip([]byte(u.Method)) + " was not answered: " + why
}

// Unwrap gives what the server may be told, and the cause.
func (u *Unanswered) Unwrap() []error {
	if u.Cause == nil {
		return []error{u.Told}
	}
	return []error{u.Told, u.Cause}
}

// What the server is told of a question without an answer. It is not told why: that is
// about the client's insides, or about its user.
var (
	errNotAnswered = &jsonrpc.Error{Code: jsonrpc.InternalError, Message: "Internal error: the client could not answer"}
	errNoConsent   = &jsonrpc.Error{Code: jsonrpc.InternalError, Message: "The user does not want this to be answered"}
	// 2025-11-25 client/sampling, Error Handling.
	errNoSampling = &jsonrpc.Error{Code: -1, Message: "User rejected sampling request"}
)

// refusal is what becomes of the error of a handler. One that is a [*jsonrpc.Error] is
// meant for the server.
func (c *Client) refusal(ctx context.Context, method string, err error) error {
	u := &Unanswered{Method: method, Cause: err}
	switch {
	case errors.As(err, &u.Told) && u.Told != nil:
	case errors.Is(err, ErrDeclined), errors.Is(err, ErrCancelled):
		u.Told = errNoConsent
		if method == "sampling/createMessage" {
			u.Told = errNoSampling
		}
	default:
		u.Told = errNotAnswered
		if ctx.Err() == nil { // else nobody waits for it any more
			c.log.LogAttrs(ctx, slog.LevelError, "a question of the server was not answered", slog.String("method", method), slog.Any("error", err))
		}
	}
	return u
}
