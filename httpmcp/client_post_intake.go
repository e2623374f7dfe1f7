package httpmcp

import (
	"bytes"
	"context"
	"log/slog"

	"isthmus.internal/jsonrpc"
)

// intake takes in what comes in the response to one request, and keeps the answer.
type intake struct {
	method string     // of the request, for errors and the log
	id     jsonrpc.ID // of the request; zero for a stream that answers none
	sent   []byte     // the request; nil for a stream that answers none
	open   bool       // the stream stays open by nature: nothing bounds it as a whole
	// batches: several messages may come as one array (2025-03-26 basic/index, Batching).
	batches bool
	// hear is given each request and notification, in order. The message is good until it
	// returns.
	hear func(*jsonrpc.Message)
	// refuse is given each request that is one beyond doubt and has faults. nil: it is passed over.
	refuse func(m *jsonrpc.Message, fault *jsonrpc.Error)
	// stray is given each response that is none to the request, and why it cannot be read if
	// so; it is false when nobody waits for that. nil: nobody does.
	stray func(m *jsonrpc.Message, fault *jsonrpc.Error) bool
	log   *slog.Logger

	msg    jsonrpc.Message
	result jsonrpc.Raw // aliases the text that it came in
	failed error       // in place of a result
	echoed bool        // the request has come back
}

// ours scans what servers send.
var ours = jsonrpc.Scanner{Inner: []string{"_meta"}}

// take takes in one text, which is a message or a batch, and reports whether the answer was in
// it.
func (in *intake) take(text []byte) (answered bool) {
	if !in.batches || !jsonrpc.IsArray(text) {
		return in.one(text)
	}
	elements, fault := ours.Split(text)
	if fault != nil {
		in.log.Warn("batch that cannot be read", "method", in.method, "reason", fault.Message)
	}
	for _, element := range elements {
		answered = in.one(element) || answered
	}
	return answered
}

func (in *intake) one(text []byte) (answered bool) {
	traceMessage(in.log, "in", text)
	m := &in.msg
	fault := ours.Scan(text, m)
	if m.Kind == jsonrpc.Response && in.isAnswer(fault) {
		in.settle(m, fault)
		return true
	}
	switch {
	case fault == nil && m.Kind == jsonrpc.Request && m.Params != nil && bytes.Equal(text, in.sent):
		in.echoed = true
	case m.Kind == jsonrpc.Response && in.stray != nil && in.stray(m, fault):
	case fault != nil:
		in.log.Warn("message that cannot be read", "method", in.method, "reason", fault.Message, "message", jsonrpc.Clip(text))
		if in.refuse != nil && len(m.Method) > 0 && !m.ID.IsZero() {
			in.refuse(m, fault)
		}
	case m.Kind == jsonrpc.Response:
		in.log.Warn("response that nobody waits for", "method", in.method, "id", m.ID.String())
	default:
		in.hear(m)
	}
	return false
}

// settle takes m as the answer.
func (in *intake) settle(m *jsonrpc.Message, fault *jsonrpc.Error) {
	switch {
	case fault != nil: // no other will come
		in.failed = &jsonrpc.BrokenResponse{Reason: fault.Message}
	case m.Error != nil:
		in.failed = jsonrpc.ReadError(m.Error)
	default:
		in.result = m.Result
	}
}

// isAnswer reports whether a response is to the request: it has its id, or is an error
// without one, of a server that could not read it. Another answer has come if there is
// one already.
func (in *intake) isAnswer(fault *jsonrpc.Error) bool {
	m := &in.msg
	switch {
	case in.id.IsZero() || in.result != nil || in.failed != nil:
		return false
	case m.ID.IsZero():
		return fault == nil
	}
	return m.ID.Key() == in.id.Key()
}

// answer is what take has found.
func (in *intake) answer() (jsonrpc.Raw, error) {
	return in.result, in.failed
}

// own copies the result, so that the text that it came in can be used again.
func (in *intake) own() { in.result = bytes.Clone(in.result) }

// traceMessage logs a message at debug level, as other transports do. dir is "in" or "out".
func traceMessage(log *slog.Logger, dir string, message []byte) {
	if ctx := context.Background(); log.Enabled(ctx, slog.LevelDebug) {
		log.LogAttrs(ctx, slog.LevelDebug, "message", slog.String("direction", dir), slog.String("message", string(message)))
	}
}
