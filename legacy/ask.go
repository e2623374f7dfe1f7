package legacy

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Ask implements [mcp.Asker]: each question is a request to the client, all of them at
// once, and the handler waits (2025-11-25 client/elicitation, client/sampling,
// client/roots, and their likes before).
func (o *opened) Ask(ctx context.Context, r *mcp.Request, questions []mcp.Inquiry) ([]mcp.Answer, error) {
	if !o.ready.Load() {
		// 2025-11-25 basic/lifecycle, Initialization: but for pings and log messages
		// the client is sent no requests before.
		return nil, mcp.ErrNotReady
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
