package discover

import (
	"context"
	"log/slog"
	"sync"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// teller passes on what the server tells of one request, one at a time, and nothing any more
// once the request has ended.
type teller[T any] struct {
	tell func(T)

	mu   sync.Mutex // held while tell runs: nothing else waits for it but the request's end
	over bool
}

func (t *teller[T]) say(v T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.tell(v)
	}
}

func (t *teller[T]) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
}

// Request implements [jsonrpc.Handler]. A server of this era sends no requests, and a client
// no responses, so it is not answered (2026-07-28 basic/transports/stdio, Sending Messages
// and Receiving Messages).
func (x *modernClient) Request(_ context.Context, m *jsonrpc.Message, p jsonrpc.Peer, dst []byte) ([]byte, error) {
	x.log.Warn("request of a modern server: it is not answered", "method", jsonrpc.Clip(m.Method))
	if p != nil {
		p.Cancel(m.ID) // then what is returned is not sent
	}
	return dst, jsonrpc.Errorf(jsonrpc.MethodNotFound, "Method not found")
}

// Answers implements [jsonrpc.Answerer]: a request that cannot be read is not answered either.
func (x *modernClient) Answers() bool { return false }

// Notification takes in what the server tells, as [jsonrpc.Handler] says.
func (x *modernClient) Notification(ctx context.Context, m *jsonrpc.Message, _ jsonrpc.Peer) {
	switch kind := mcp.ChangeKind(m.Method); kind {
	case "notifications/progress":
		x.hearProgress(m)
	case "notifications/subscriptions/acknowledged":
		x.hearAcknowledged(m)
	case "notifications/cancelled":
		x.hearCancelled(m)
	case mcp.ToolsListChanged, mcp.PromptsListChanged, mcp.ResourcesListChanged, mcp.ResourceUpdated:
		x.host.Hear(ctx, string(kind), m.Params) // first: who is then told of it asks anew
		x.hearChange(m, kind)
	default:
		x.host.Hear(ctx, string(kind), m.Params)
	}
}

// hearProgress passes it on to the request whose token it has (2026-07-28
// basic/patterns/progress).
func (x *modernClient) hearProgress(m *jsonrpc.Message) {
	p, err := mcp.Read[mcp.ProgressParams](m.Params, "params")
	if err != nil {
		x.passOver(m, err.Error())
		return
	}
	id, _ := jsonrpc.ParseID(p.Token)
	x.mu.Lock()
	told := x.progress[id.Key()]
	x.mu.Unlock()
	if told == nil {
		x.passOver(m, "no request under way has this token")
		return
	}
	told.say(p)
}

// passOver says in the log that a notification comes to nothing.
func (x *modernClient) passOver(m *jsonrpc.Message, reason string) {
	x.log.Debug("notification that comes to nothing", "method", jsonrpc.Clip(m.Method), "reason", reason)
}

// AllowBatch implements [jsonrpc.Handler]: the era has no batches.
func (x *modernClient) AllowBatch() *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.InvalidRequest, "Batches are not taken")
}

// Label implements [jsonrpc.Handler].
func (x *modernClient) Label(*jsonrpc.Message) slog.Attr {
	return slog.String("era", ModernEra.String())
}
