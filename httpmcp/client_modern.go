package httpmcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// modernLink is a client's link of the modern era: every message is a POST of its own, and what
// comes for a request comes in its response (2026-07-28 basic/transports/streamable-http).
// A call runs on the goroutine that makes it, so the link has none of its own but those that see
// streams to their end. There is no session and nothing is taken up again: a response that breaks
// is an error of its call.
type modernLink struct {
	*life
	wire *wire
	h    jsonrpc.Handler
	log  *slog.Logger
	last atomic.Int64 // the id of the last request
}

var _ mcp.Link = (*modernLink)(nil)

func newModernLink(w *wire, h jsonrpc.Handler, log *slog.Logger) *modernLink {
	w.link()
	return &modernLink{life: newLife(), wire: w, h: h, log: log.With(slog.String("era", discover.ModernEra.String()))}
}

// Call implements [mcp.Link]. The end of ctx closes the response, which is how the server is told
// (2026-07-28 basic/transports/streamable-http, Cancellation): also of a request that is Quiet,
// since nothing else ends it.
func (l *modernLink) Call(ctx context.Context, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	id := jsonrpc.IntID(l.last.Add(1))
	message := messageOf(out, id)
	r, err := l.post(ctx, out, message)
	if err != nil {
		return nil, unsent(out.Method, err)
	}
	defer r.close()
	result, err := r.answer(&intake{method: out.Method, id: id, sent: message, open: out.Open, log: l.log,
		hear: func(m *jsonrpc.Message) { l.hear(ctx, m) }})
	if isBroken(err) && l.whyNot(ctx) == nil {
		err = lost(out.Method, err)
	}
	return result, err
}

// Notify implements [mcp.Link]. The revision has no notification to send over HTTP; extensions may.
func (l *modernLink) Notify(ctx context.Context, out *mcp.Outgoing) error {
	r, err := l.post(ctx, out, messageOf(out, jsonrpc.ID{}))
	if err != nil {
		return err
	}
	defer r.close()
	return r.accepted()
}

// messageOf is out as it is sent. id is zero for a notification.
func messageOf(out *mcp.Outgoing, id jsonrpc.ID) []byte {
	var params []byte
	if out.Params != nil {
		params = out.Params(nil, id)
	}
	return jsonrpc.AppendMessage(nil, id, out.Method, params)
}

// post sends a message with the headers that repeat what is in it.
func (l *modernLink) post(ctx context.Context, out *mcp.Outgoing, message []byte) (*reply, error) {
	h := l.wire.header()
	if err := setMirrors(h, message, out); err != nil {
		return nil, fmt.Errorf("httpmcp: %s cannot be sent: %w", out.Method, err)
	}
	traceMessage(l.log, "out", message)
	return l.wire.post(ctx, l.life, l.wire.url, h, message)
}

// hear hands over what has come before the answer. Requests do not (2026-07-28
// basic/transports/streamable-http, Receiving Messages).
func (l *modernLink) hear(ctx context.Context, m *jsonrpc.Message) {
	if m.Kind == jsonrpc.Request {
		l.log.Warn("the server sends requests, which it must not in the modern era: not answered", "method", jsonrpc.Clip(m.Method))
		return
	}
	jsonrpc.Notice(ctx, l.h, m, modernServer{l}, l.log)
}

// Close implements [mcp.Link]. Nothing is said to the server.
func (l *modernLink) Close() error {
	if l.end() {
		l.wire.unlink()
	}
	return nil
}

// modernServer is the server as those see it who hear its notifications: nothing belongs to these
// that could be said on their stream.
type modernServer struct{ link *modernLink }

var errOneWay = errors.New("httpmcp: nothing can be sent in answer to a notification")

// Notify implements [jsonrpc.Peer].
func (modernServer) Notify(string, []byte) error { return errOneWay }

// Call implements [jsonrpc.Peer].
func (modernServer) Call(context.Context, string, []byte) (jsonrpc.Raw, error) {
	return nil, errOneWay
}

// Cancel implements [jsonrpc.Peer]: nothing of the server's is in flight.
func (modernServer) Cancel(jsonrpc.ID) {}

// Ending implements [jsonrpc.Peer].
func (s modernServer) Ending() <-chan struct{} { return s.link.Done() }
