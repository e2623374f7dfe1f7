package legacy

import (
	"context"
	"log/slog"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Arrive implements [jsonrpc.Arriver]: a question of the server has come ([mcp.Client.Arrive]).
func (x *Client) Arrive(ctx context.Context) context.Context { return x.host.Arrive(ctx) }

// Request answers what the server asks, as [jsonrpc.Handler] says: ping, and by
// [mcp.Client.Answer] all else (2025-11-25 client/elicitation, client/sampling,
// client/roots, and their likes before).
func (x *Client) Request(ctx context.Context, m *jsonrpc.Message, _ jsonrpc.Peer, dst []byte) ([]byte, error) {
	if string(m.Method) == "ping" {
		return append(dst, `{}`...), nil
	}
	f := x.Form()
	if f == nil {
		// 2025-11-25 basic/lifecycle, Initialization: a server sends pings and log messages
		// before, and nothing else.
		return dst, jsonrpc.Errorf(jsonrpc.InvalidRequest, "Not initialized: the client waits for the answer to initialize")
	}
	result, err := x.host.Answer(ctx, string(m.Method), m.Params, f)
	if err != nil {
		return dst, err
	}
	return append(dst, result...), nil
}

// Notification takes in what the server tells, as [jsonrpc.Handler] says. What it does not
// know, and log messages, are for [mcp.Client.Hear].
func (x *Client) Notification(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer) {
	switch method := string(m.Method); method {
	case "notifications/cancelled":
		if id, ok := Cancelled(m, x.log); ok {
			p.Cancel(id)
		}
	case "notifications/progress":
		known, err := x.progress.hear(m)
		if err != nil || !known {
			x.log.Debug("progress that cannot be told", "token", jsonrpc.Clip(m.Param(mcp.MetaProgressToken)), "error", err)
		}
	case "notifications/message":
		if !x.isMuted() {
			x.host.Hear(ctx, method, m.Params)
		}
	case string(mcp.ToolsListChanged), string(mcp.PromptsListChanged), string(mcp.ResourcesListChanged):
		x.change(ctx, mcp.Change{Kind: mcp.ChangeKind(method)}, m)
	case string(mcp.ResourceUpdated):
		uri, ok := m.Param("uri").Text()
		if !ok {
			x.log.Debug("change of a resource without its uri")
			return
		}
		x.change(ctx, mcp.Change{Kind: mcp.ResourceUpdated, URI: uri}, m)
	default:
		x.host.Hear(ctx, method, m.Params)
	}
}

// change tells of a change: the client first, which may keep what has changed, so that
// whoever listens finds it anew.
func (x *Client) change(ctx context.Context, c mcp.Change, m *jsonrpc.Message) {
	x.host.Hear(ctx, string(c.Kind), m.Params)
	x.listeners.tell(c)
}

// AllowBatch implements [jsonrpc.Handler]: 2025-03-26 alone has batches.
func (x *Client) AllowBatch() *jsonrpc.Error {
	if f := x.Form(); f != nil && f.Batches {
		return nil
	}
	return jsonrpc.Errorf(jsonrpc.InvalidRequest, "Batches are taken only in sessions of revision 2025-03-26: send each message on its own")
}

// Label implements [jsonrpc.Handler].
func (x *Client) Label(*jsonrpc.Message) slog.Attr { return slog.String("era", "legacy") }
