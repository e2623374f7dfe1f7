package mcp

// Change is something that clients may have asked to be told of: it happened to this
// server, or to a replica of it.
type Change struct {
	Kind ChangeKind
	// URI is the resource, for [ResourceUpdated] alone; "" stands for all resources.
	URI string
	// Origin names the server that published the change on a [Bus], so that it does
	// not hear itself. It is "" elsewhere.
	Origin string
}

// ChangeKind is the method of the notification that tells of a change.
type ChangeKind string

// The kinds of changes (2026-07-28 basic/patterns/subscriptions, Notification Filter).
const (
	ToolsListChanged     ChangeKind = "notifications/tools/list_changed"
	PromptsListChanged   ChangeKind = "notifications/prompts/list_changed"
	ResourcesListChanged ChangeKind = "notifications/resources/list_changed"
	ResourceUpdated      ChangeKind = "notifications/resources/updated"
)

// listKinds are the kinds that concern a whole list, in the order in which they are
// told. Their index is their bit in [Listener.lists].
var listKinds = [...]ChangeKind{ToolsListChanged, PromptsListChanged, ResourcesListChanged}

// Bus carries changes between replicas of a server, so that a client that listens at
// one hears what happened at another. A change is a hint to look again and holds
// nothing that is secret but the uri. What an implementation owes:
//
//   - What one server publishes reaches every other one that has subscribed, with all
//     three fields as they were. It may reach the publisher, too, which drops it.
//   - It may come late, twice, or in another order. Changes that are equal and wait
//     together may become one, so a bus that is behind needs memory only for the
//     changes that differ.
//   - When it has lost changes, as after a broken connection, it delivers each kind
//     once, with neither URI nor Origin: clients then look for themselves.
//
// Clients of the publishing server never wait for the bus.
type Bus interface {
	// Publish takes a change to the others. It is called by whoever changes
	// something, from many goroutines at once, and must not wait for the network.
	// Faults are the bus's to log.
	Publish(Change)
	// Subscribe has deliver called for each change from now on. It is called once for
	// each server, by [NewServer]. deliver never blocks and may be called from many
	// goroutines at once.
	Subscribe(deliver func(Change))
}

// notifies reports whether clients are told of changes.
func (s *Server) notifies() bool { return !s.opts.Static }

// publish tells of a change, which must be there to see by now: who is told of it
// looks at once.
func (s *Server) publish(c Change) {
	if !s.notifies() {
		return
	}
	s.hub.publish(c)
	if s.opts.Bus != nil {
		c.Origin = s.origin
		s.opts.Bus.Publish(c)
	}
}

// hear takes a change from the bus in.
func (s *Server) hear(c Change) {
	if c.Origin != s.origin {
		s.hub.publish(c)
	}
}

// ResourceUpdated says that the resource of this uri reads differently now. Clients
// that have subscribed to the very uri are told, nobody else. The uri "" stands for all
// resources: each client is told of each that it has subscribed to. It never waits for
// them: changes that a client has not been told of yet become one (2026-07-28
// server/resources, Subscriptions).
func (s *Server) ResourceUpdated(uri string) {
	s.publish(Change{Kind: ResourceUpdated, URI: uri})
}

// Declared is the filter of the lists that are declared at this moment. It reports
// false when the server tells of no changes at all ([ServerOptions.Static]).
func (s *Server) Declared() (Filter, bool) {
	offered := s.offeredLists(s.registry())
	return Filter{
		ToolsListChanged:     offered[0],
		PromptsListChanged:   offered[1],
		ResourcesListChanged: offered[2],
	}, s.notifies()
}
