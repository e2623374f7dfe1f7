package mcp

import (
	"context"
	"maps"
	"slices"

	"isthmus.internal/jsonrpc"
)

// Forward is what answers in place of a [Server] that has nothing of its own: what it offers
// is elsewhere, such as at another server that it stands before ([Server.Forward]).
type Forward struct {
	// Answer answers every request but those that exchanges answer (initialize, ping,
	// logging/setLevel and server/discover): those of the protocol that the revision has
	// and Capabilities declares, and all that the protocol does not know, as extensions
	// have. It may use [Call.Rounds] and [Call.Stream]. It must not be nil.
	Answer Handler

	// Notice takes every notification of clients but cancellations. Its Call has what the
	// notification itself has, and can say nothing to the client. nil: they are dropped.
	Notice func(ctx context.Context, c *Call)

	// Capabilities are declared as they are, as far as the client's revision has them, but
	// for Experimental, Extensions and Logging, which are among [ServerOptions].
	Capabilities ServerCapabilities

	// HeaderParams are the arguments of a tool that clients repeat in headers; nil where
	// that is not known. It may be nil itself.
	HeaderParams func(tool string) []HeaderParam
}

// Forward has everything answered by fw in place of what is registered, of which there must be
// nothing. Call it once, before the server serves.
func (s *Server) Forward(fw Forward) {
	k := fw.Capabilities
	s.change(func(reg *registry) {
		reg.shelves[toolKind].offered, reg.shelves[promptKind].offered = k.Tools != nil, k.Prompts != nil
		reg.shelves[resourceKind].offered, reg.shelves[promptKind].completes = k.Resources != nil, k.Completions
	})
	answer := forwarding(s.wrap(fw.Answer))
	for _, name := range append([]string{ // those of the protocol that the table has
		"tools/call", "prompts/get", "completion/complete", "resources/subscribe", "resources/unsubscribe", "subscriptions/listen",
	}, cacheable...) {
		if m, ok := s.table.Lookup([]byte(name)); ok {
			m.run = Handler(answer)
		}
	}
	s.front = &front{
		foreign:      &method{run: answer.foreign, in: Both, declared: always},
		declare:      k.declareAs,
		subscribes:   k.Resources != nil && k.Resources.Subscribe,
		headerParams: func(string) []HeaderParam { return nil },
		notice:       notice{func(context.Context, *Notice) {}, Both},
	}
	if fw.HeaderParams != nil {
		s.front.headerParams = fw.HeaderParams
	}
	if fw.Notice != nil {
		s.front.notice.take = func(ctx context.Context, n *Notice) {
			fw.Notice(ctx, &Call{server: s, reg: s.registry(), asked: n.asked, ended: true})
		}
	}
}

// front is a [Forward] as the server looks at it, by way of values: so a program that forwards
// nothing has nothing of it.
type front struct {
	foreign      *method // answers what the table does not have
	declare      func(tools, prompts *ListCapability, resources *ResourcesCapability)
	subscribes   bool // to single resources, in the legacy way
	headerParams func(tool string) []HeaderParam
	notice       notice
}

// forwarding is what answers.
type forwarding Handler

// foreign answers a method that the table does not have: it is not the protocol's own, unless
// it is that of an exchange which does not take it.
func (h forwarding) foreign(ctx context.Context, c *Call) (Reply, error) {
	if slices.Contains(ofExchanges, c.Method()) {
		return Reply{}, MethodNotFound(c.asked.Message)
	}
	return h(ctx, c)
}

// declareAs has the capabilities of another server, which has those of k, say the same.
func (k *ServerCapabilities) declareAs(tools, prompts *ListCapability, resources *ResourcesCapability) {
	if tools != nil {
		*tools = *k.Tools
	}
	if prompts != nil {
		*prompts = *k.Prompts
	}
	if resources != nil {
		*resources = *k.Resources
	}
}

// Params is the params of the request, as received and with _meta, nil when there are none.
func (c *Call) Params() jsonrpc.Raw { return c.asked.Message.Params }

// Session is what the client's session hears of changes with; nil in the modern era, and
// where the session cannot be told of any. It is the same one for all requests of a session,
// and no other session has it.
func (c *Call) Session() *Listener { return c.asked.Changes }

// Rounds runs a handler that may ask the client, as those of tools, prompts and resources
// may: for [Forward.Answer], whose requests may not until it calls this.
func (c *Call) Rounds(ctx context.Context, run Handler) (Reply, error) { return c.inRounds(ctx, run) }

// Stream answers subscriptions/listen: it acknowledges what is honoured, tells the client
// what l is told, and returns the reply when ctx ends, or this side ends the connection. It
// closes l.
func (c *Call) Stream(ctx context.Context, l *Listener, honoured Filter) Reply {
	t := &stream{
		peer: c.asked.Peer, id: c.asked.Message.ID.Clone().Raw(), listen: l,
		filter: &filter{Filter: honoured, uris: honoured.ResourceSubscriptions != nil},
	}
	t.run(ctx)
	return t.result()
}

// Hear tells l alone of a change, if that is one that it listens for. It never waits for
// the client.
func (l *Listener) Hear(c Change) {
	l.hub.mu.RLock()
	defer l.hub.mu.RUnlock()
	if w := l.watches[c.URI]; c.Kind == ResourceUpdated && w != nil {
		l.markURI(w)
	}
	if c.Kind == ResourceUpdated && c.URI == "" { // all of them
		for _, w := range l.watches {
			l.markURI(w)
		}
	}
	for i, kind := range listKinds {
		if _, listens := l.hub.lists[i][l]; listens && kind == c.Kind {
			l.markList(i)
		}
	}
}

// AfterClose has f run once, on a goroutine of its own, when l is closed, or at once if it is
// already.
func (l *Listener) AfterClose(f func()) {
	l.hub.mu.Lock()
	defer l.hub.mu.Unlock()
	if l.parted {
		go f()
		return
	}
	l.after = append(l.after, f)
}

// WithMeta is the reply with these members in its _meta, but for those whose names are none.
func (r Reply) WithMeta(m Meta) Reply {
	r.meta = maps.Clone(m)
	maps.DeleteFunc(r.meta, func(name string, _ jsonrpc.Raw) bool { return !IsMetaName(name) })
	return r
}
