package mcp

import (
	"context"

	"isthmus.internal/jsonrpc"
)

// listen answers subscriptions/listen: it acknowledges what of the filter is honoured,
// tells of changes for as long as the client wants, and answers only when this side
// ends the stream (2026-07-28 basic/patterns/subscriptions).
func (s *Server) listen(ctx context.Context, c *Call) (Reply, error) {
	f, err := s.readFilter(c)
	if err != nil {
		return Reply{}, err
	}
	stream := stream{peer: c.asked.Peer, id: c.asked.Message.ID.Clone().Raw()}
	l := s.Listen(f.Filter) // before the acknowledgement, so that nothing is missed behind it
	defer l.Close()
	// Nothing comes before it (same page, Acknowledgment).
	if stream.notify("notifications/subscriptions/acknowledged", func(w *writer) { f.write(w) }) != nil {
		return stream.result(), nil // to nobody: the connection is gone
	}
	reason := "The server ends the connection"
	if l.Deliver(ctx, stream.peer.Ending(), stream.tell) != nil {
		// Where the client has cancelled, what follows is not sent. Else it was
		// middleware that has ended ctx.
		reason = "The server ends the subscription"
	}
	// The one page has a server that ends a stream send the cancellation, the other one
	// the result (2026-07-28 basic/patterns/cancellation; basic/patterns/subscriptions,
	// Graceful Closure). Nothing may follow the result.
	stream.notify("notifications/cancelled", func(w *writer) {
		w.key("requestId")
		w.dst = append(w.dst, stream.id...)
		w.text("reason", reason)
	})
	return stream.result(), nil
}

// stream is one subscriptions/listen that is open.
type stream struct {
	peer jsonrpc.Peer
	id   jsonrpc.Raw // of the request, and so of the subscription
}

// notify sends a notification of the stream, which carries its id, with the type that
// the client gave it (2026-07-28 basic/patterns/subscriptions, Receiving Notifications).
func (t *stream) notify(method string, members func(w *writer)) error {
	w := &writer{}
	w.open("", '{')
	w.open("_meta", '{')
	w.key(MetaSubscriptionID)
	w.dst = append(w.dst, t.id...)
	w.close('}')
	members(w)
	w.close('}')
	return t.peer.Notify(method, w.dst)
}

func (t *stream) tell(c Change) error {
	return t.notify(string(c.Kind), func(w *writer) { w.optional("uri", c.URI) })
}

// result is the graceful end (2026-07-28 schema, SubscriptionsListenResult).
func (t *stream) result() Reply {
	return Reply{body: members(nil), meta: Meta{MetaSubscriptionID: t.id}}
}

// filter is the part of a client's filter that is honoured.
type filter struct {
	Filter
	uris bool // resourceSubscriptions is honoured, though perhaps for no uri
}

// write writes the member notifications of the acknowledgement: kinds that are not
// honoured are left out.
func (f *filter) write(w *writer) {
	w.open("notifications", '{')
	for i, asked := range f.lists() {
		if asked {
			w.boolean(filterNames[i], true)
		}
	}
	if f.uris {
		w.open("resourceSubscriptions", '[')
		for _, uri := range f.ResourceSubscriptions {
			w.comma()
			w.dst = jsonrpc.AppendString(w.dst, uri)
		}
		w.close(']')
	}
	w.close('}')
}

// filterNames are the members of a filter for listKinds.
var filterNames = [len(listKinds)]string{"toolsListChanged", "promptsListChanged", "resourcesListChanged"}

// readFilter reads params.notifications and keeps what the server declares at this
// moment, and the uris that something answers to, as far as this client may know.
func (s *Server) readFilter(c *Call) (*filter, error) {
	asked := c.asked.Message.Param("notifications")
	f := &filter{}
	o := jsonrpc.ReadObject(asked)
	for o.Next() {
		name := string(o.Name())
		if name == "resourceSubscriptions" {
			if err := s.readURIs(c, f, o.Value()); err != nil {
				return nil, err
			}
			continue
		}
		for i, list := range [...]*bool{&f.ToolsListChanged, &f.PromptsListChanged, &f.ResourcesListChanged} {
			if name == filterNames[i] {
				wanted, ok := o.Value().Bool()
				if !ok {
					return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "params.notifications.%s must be true or false", name)
				}
				*list = wanted && s.offeredLists(c.reg)[i]
			}
		}
	}
	if o.Err() != nil {
		return nil, objectFault("params.notifications", asked)
	}
	return f, nil
}

// offeredLists says for each of listKinds whether it is declared.
func (s *Server) offeredLists(reg *registry) [len(listKinds)]bool {
	return [...]bool{s.offersTools(reg), s.offersPrompts(reg), s.offersResources(reg)}
}

// readURIs reads resourceSubscriptions. A uri that nothing answers to is left out, like
// a kind that is not supported, and as if it were there once when it is there twice.
func (s *Server) readURIs(c *Call, f *filter, asked jsonrpc.Raw) error {
	f.uris = s.offersResources(c.reg)
	most := s.opts.maxSubscriptions()
	seen := make(map[string]bool)
	a := jsonrpc.ReadArray(asked)
	for n := 0; a.Next(); n++ {
		uri, ok := a.Value().Text()
		switch {
		case !ok:
			return jsonrpc.Errorf(jsonrpc.InvalidParams, "params.notifications.resourceSubscriptions must hold strings")
		case n >= most:
			return jsonrpc.Errorf(jsonrpc.InvalidParams, "params.notifications.resourceSubscriptions must not hold more than %d uris", most)
		case seen[uri] || !f.uris || !c.reg.rows.knows(c, uri):
		default:
			f.ResourceSubscriptions = append(f.ResourceSubscriptions, uri)
		}
		seen[uri] = true
	}
	if a.Err() != nil {
		return jsonrpc.Errorf(jsonrpc.InvalidParams, "params.notifications.resourceSubscriptions must be an array of strings")
	}
	return nil
}
