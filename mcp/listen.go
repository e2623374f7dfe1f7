package mcp

import (
	"context"

	"isthmus.internal/jsonrpc"
)

// listen answers subscriptions/listen: it acknowledges what of the filter is honoured,
// tells of changes for as long as the client wants, and answers only when this side
// ends the stream (2026-07-28 basic/patterns/subscriptions).
func (s *Server) listen(ctx context.Context, c *Call) (Reply, error) {
	t, err := s.openStream(c)
	if err != nil {
		return Reply{}, err
	}
	t.run(ctx)
	return t.result(), nil
}

// stream is one subscriptions/listen that is open. It waits for hours on the stack of its
// goroutine, so what is done before and after is in functions of its own.
type stream struct {
	peer   jsonrpc.Peer
	id     jsonrpc.Raw // of the request, and so of the subscription
	listen *Listener
	filter *filter // nil once it is acknowledged
}

func (s *Server) openStream(c *Call) (*stream, error) {
	f, err := s.readFilter(c)
	if err != nil {
		return nil, err
	}
	// It listens before the acknowledgement, so that nothing is missed behind it.
	return &stream{peer: c.asked.Peer, id: c.asked.Message.ID.Clone().Raw(), listen: s.Listen(f.Filter), filter: f}, nil
}

// run tells of changes until there is nobody to tell, or this side ends the stream.
func (t *stream) run(ctx context.Context) {
	defer t.listen.Close()
	if t.acknowledge() != nil {
		return // the connection is gone
	}
	t.end(t.listen.Deliver(ctx, t.peer.Ending(), t.tell))
}

// acknowledge says what of the filter is honoured. Nothing comes before it (2026-07-28
// basic/patterns/subscriptions, Acknowledgment).
func (t *stream) acknowledge() error {
	f := t.filter
	t.filter = nil
	return t.notify("notifications/subscriptions/acknowledged", f.write)
}

// end says that the stream ends, and why: nil for the connection's end.
func (t *stream) end(cause error) {
	reason := "The server ends the connection"
	if cause != nil {
		// Where the client has cancelled, what follows is not sent. Else it was
		// middleware that has ended the context.
		reason = "The server ends the subscription"
	}
	// The one page has a server that ends a stream send the cancellation, the other one
	// the result (2026-07-28 basic/patterns/cancellation; basic/patterns/subscriptions,
	// Graceful Closure). Nothing may follow the result.
	t.notify("notifications/cancelled", func(w *writer) {
		w.key("requestId")
		w.dst = append(w.dst, t.id...)
		w.text("reason", reason)
	})
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
		w.ifTrue(filterNames[i], asked)
	}
	if f.uris {
		w.list("resourceSubscriptions", f.ResourceSubscriptions)
	}
	w.close('}')
}

// filterNames are the members of a filter for listKinds.
var filterNames = [len(listKinds)]string{"toolsListChanged", "promptsListChanged", "resourcesListChanged"}

// readFilter reads params.notifications and keeps what the server declares at this
// moment, and the uris that something answers to, as far as this client may know.
func (s *Server) readFilter(c *Call) (*filter, error) {
	const where = "params.notifications"
	var asked Filter
	if m := asked.readJSON(c.asked.Message.Param("notifications")); m != nil {
		return nil, m.at(where).Refusal()
	}
	if most := s.opts.maxSubscriptions(); len(asked.ResourceSubscriptions) > most {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, where+".resourceSubscriptions must not hold more than %d uris", most)
	}
	offered := s.offeredLists(c.reg)
	f := &filter{uris: asked.ResourceSubscriptions != nil && s.offersResources(c.reg)}
	f.ToolsListChanged = asked.ToolsListChanged && offered[0]
	f.PromptsListChanged = asked.PromptsListChanged && offered[1]
	f.ResourcesListChanged = asked.ResourcesListChanged && offered[2]
	if f.uris {
		f.ResourceSubscriptions = c.known(asked.ResourceSubscriptions)
	}
	return f, nil
}

// known are those of the uris that something answers to, each once. The others are left
// out, like a kind that is not supported.
func (c *Call) known(uris []string) []string {
	var known []string
	seen := make(map[string]bool, len(uris))
	for _, uri := range uris {
		if !seen[uri] && c.reg.rows.knows(c, uri) {
			known = append(known, uri)
		}
		seen[uri] = true
	}
	return known
}

// offeredLists says for each of listKinds whether it is declared.
func (s *Server) offeredLists(reg *registry) [len(listKinds)]bool {
	return [...]bool{s.offersTools(reg), s.offersPrompts(reg), s.offersResources(reg)}
}
