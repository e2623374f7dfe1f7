package legacy

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Ask implements [mcp.Asker]: each question is a request to the client, all of them at
// once, and the handler waits (2025-11-25 client/elicitation, client/sampling,
// client/roots, and their likes before).
func (o *opened) Ask(ctx context.Context, r *mcp.Request, questions []mcp.Inquiry) ([]mcp.Answer, error) {
	if err := o.awaitReady(ctx); err != nil {
		return nil, err
	}
	answers, errs := make([]mcp.Answer, len(questions)), make([]error, len(questions))
	put := func(i int) { answers[i], errs[i] = call(ctx, r.Peer, questions[i]) }
	var others sync.WaitGroup
	for i := range questions[min(1, len(questions)):] {
		others.Go(func() { put(i + 1) })
	}
	if len(questions) > 0 {
		put(0)
	}
	others.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// readyTime is how long a question waits for notifications/initialized, which may come beside the
// request that the question is about: over HTTP nothing orders the two, and on a stream a busy machine
// may look at the request before it is done with the notification.
const readyTime = time.Second

// awaitReady waits until the client may be asked: but for pings and log messages it is sent no requests
// before (2025-11-25 basic/lifecycle, Initialization).
func (o *opened) awaitReady(ctx context.Context) error {
	select {
	case <-o.ready:
		return nil
	default:
	}
	late := time.NewTimer(readyTime)
	defer late.Stop()
	select {
	case <-o.ready:
		return nil
	case <-late.C:
		return mcp.ErrNotReady
	case <-ctx.Done():
		return ctx.Err()
	}
}

// call puts one question.
func call(ctx context.Context, p jsonrpc.Peer, q mcp.Inquiry) (mcp.Answer, error) {
	result, err := p.Call(ctx, q.Method, q.Params)
	var refusal *jsonrpc.Error
	switch {
	case errors.As(err, &refusal):
		return mcp.Answer{Refusal: refusal}, nil
	case err != nil:
		return mcp.Answer{}, err
	}
	return mcp.Answer{Result: result}, nil
}

// Resume implements [mcp.Asker]: a request has one round trip.
func (o *opened) Resume(*mcp.Server, *mcp.Request) (*mcp.Rounds, error) { return nil, nil }

// Suspend implements [mcp.Asker]. Ask has the answers, so nothing is suspended.
func (o *opened) Suspend(*mcp.Server, *mcp.Request, *mcp.Rounds) (mcp.Reply, error) {
	return mcp.Reply{}, errors.New("legacy: a request cannot be suspended")
}

// Abandoned is the notification that tells a client that the server no longer waits
// for the answer to its request (2025-11-25 basic/utilities/cancellation, and its
// likes before).
//
//go:noinline
func Abandoned(id jsonrpc.ID) (method string, params []byte) {
	params = append([]byte(`{"requestId":`), id.Raw()...)
	return "notifications/cancelled", append(params, `,"reason":"The answer is no longer needed"}`...)
}

// Cancelled reads the notification by which a peer tells that it no longer waits for the
// answer to its request, in either era, and logs it. ok is false for one that makes no
// sense, which is passed over (2026-07-28 basic/patterns/cancellation and 2025-11-25
// basic/utilities/cancellation, Error Handling).
func Cancelled(m *jsonrpc.Message, log *slog.Logger) (id jsonrpc.ID, ok bool) {
	if id, ok = jsonrpc.ParseID(m.Param("requestId")); !ok {
		log.Debug("cancellation without a usable requestId")
		return id, false
	}
	reason, _ := m.Param("reason").Text()
	log.Debug("cancellation", "id", id.String(), "reason", reason)
	return id, true
}

var _ mcp.Asker = (*opened)(nil)
