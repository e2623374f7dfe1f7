package mcp

import (
	"context"
	"fmt"
	"slices"

	"isthmus.internal/jsonrpc"
)

// NoticeHandler takes one notification in. Nothing is ever sent back for it, so
// faults are the handler's to log. It may run many times at once.
type NoticeHandler func(ctx context.Context, n *Notice)

// notice is a row of the table of notifications.
type notice struct {
	take NoticeHandler
	in   Eras
}

// HandleNotification takes notifications of this method in, from clients of the eras
// named: those of the program's own, of an extension, or those of the protocol that
// need no action otherwise, such as notifications/roots/list_changed. It panics, with
// the method's name, when the method is taken. Call it before the server serves.
func (s *Server) HandleNotification(name string, in Eras, h NoticeHandler) {
	switch {
	case h == nil:
		panic(fmt.Sprintf("mcp: notification %q: no handler", name))
	case in == 0 || in&^Both != 0:
		panic(fmt.Sprintf("mcp: notification %q: it must exist in mcp.Legacy, mcp.Modern or mcp.Both", name))
	case name == "notifications/cancelled":
		panic(fmt.Sprintf("mcp: notification %q is the engine's own", name))
	case !s.notices.Add(name, notice{h, in}):
		panic(fmt.Sprintf("mcp: notification %q is empty or taken", name))
	}
}

// Notice is one notification as its handler sees it. It is good until the handler
// returns; what is needed longer is copied before.
type Notice struct{ asked Request }

// Method is the notification's name.
func (n *Notice) Method() string { return string(n.asked.Message.Method) }

// Param is one member of params by its exact name, nil when it is absent.
func (n *Notice) Param(name string) jsonrpc.Raw { return n.asked.Message.Param(name) }

// Meta is one member of _meta by its exact name, nil when it is absent.
func (n *Notice) Meta(name string) jsonrpc.Raw { return n.asked.Message.Inner("_meta", name) }

// ProtocolVersion is the revision in which the client speaks.
func (n *Notice) ProtocolVersion() string { return n.asked.Form.Revision }

// Principal is who sent it, nil when the transport does not know.
func (n *Notice) Principal() *Principal { return n.asked.Principal }

// noNews are the notifications of the protocol that ask nothing of a server beyond what
// the engine does. That no handler takes one is as it should be.
var noNews = []string{"notifications/initialized", "notifications/progress", "notifications/roots/list_changed"}

// Notice gives a notification to who has asked for it. One that nobody has asked for
// is dropped, as every unknown one must be (JSON-RPC 2.0, section 4.1), and so is a
// cancellation: it names a request by the id that this has on its connection, and is
// taken out where that is known. Where requests share none, closing a stream cancels
// (2026-07-28 basic/patterns/cancellation, Transport-Specific Cancellation).
func (s *Server) Notice(ctx context.Context, r Request) {
	if string(r.Message.Method) == "notifications/cancelled" {
		s.log.Debug("cancellation that does not belong to a connection")
		return
	}
	row, ok := s.notices.Lookup(r.Message.Method)
	if !ok && s.front != nil {
		row, ok = s.front.notice, true
	}
	if !ok || row.in&r.Form.Era == 0 {
		if slices.Contains(noNews, string(r.Message.Method)) {
			return
		}
		s.log.Debug("notification that nobody takes", "method", jsonrpc.Clip(r.Message.Method))
		return
	}
	row.take(ctx, &Notice{asked: r})
}
