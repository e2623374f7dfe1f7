package mcp

import "isthmus.internal/jsonrpc"

// ClientCapabilities is what a client can be asked for (2026-07-28 schema,
// ClientCapabilities). A nil pointer means that the client cannot be asked.
type ClientCapabilities struct {
	Roots       *RootsCapability
	Sampling    *SamplingCapability
	Elicitation *ElicitationCapability
	// Experimental and Extensions map a name to its settings, an object, as
	// received.
	Experimental map[string]jsonrpc.Raw
	Extensions   map[string]jsonrpc.Raw
	// Other holds every member that this type does not know, as received.
	Other map[string]jsonrpc.Raw
}

// RootsCapability: the client has roots to list.
type RootsCapability struct {
	// ListChanged: it says when they change (legacy revisions only).
	ListChanged bool
}

// SamplingCapability: the client lets a server use its language model.
type SamplingCapability struct {
	// Context: includeContext is understood. Tools: tools and toolChoice are.
	Context, Tools bool
}

// ElicitationCapability: the client can ask its user. A client that declares
// neither mode can do forms (2025-11-25 client/elicitation, Capabilities).
type ElicitationCapability struct {
	Form, URL bool
}

// ReadClientCapabilities reads the object that a client declared. where names it
// in the error, which is one to tell the client. The result keeps no span of raw.
func ReadClientCapabilities(raw jsonrpc.Raw, where string) (ClientCapabilities, *jsonrpc.Error) {
	if len(raw) > longestDeclared {
		return ClientCapabilities{}, tooLong(where)
	}
	var c ClientCapabilities
	if m := c.readJSON(raw); m != nil {
		return ClientCapabilities{}, m.at(where).Refusal()
	}
	return c, nil
}

// longestDeclared is the longest text, in bytes, of what a client may declare of
// itself. It is a few hundred; the bound keeps a hostile client from having much
// more made of it than its bytes.
const longestDeclared = 256 << 10

func tooLong(where string) *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.InvalidParams, "%s must not be longer than %d bytes", where, longestDeclared)
}

// AppendCapabilities appends the object of capabilities that the server declares
// at this moment, in the given form (2026-07-28 schema, ServerCapabilities). A
// capability is declared once something was registered for it, logging when
// [ServerOptions.Logging] is set.
func (s *Server) AppendCapabilities(dst []byte, f *Form) []byte {
	w := writer{dst: dst}
	k := s.capabilities()
	k.writeJSON(&w, f)
	return w.dst
}

// AppendStatelessCapabilities is [Server.AppendCapabilities] for a legacy session that keeps
// nothing from one request to the next: it has no level of logging, no subscriptions, and
// no stream on which it could be told of changes.
func (s *Server) AppendStatelessCapabilities(dst []byte, f *Form) []byte {
	w := writer{dst: dst}
	k := s.capabilities()
	k.Logging = false
	for _, list := range []*ListCapability{k.Tools, k.Prompts} {
		if list != nil {
			list.ListChanged = false
		}
	}
	if k.Resources != nil {
		*k.Resources = ResourcesCapability{}
	}
	k.writeJSON(&w, f)
	return w.dst
}

func (s *Server) capabilities() ServerCapabilities {
	reg, changes := s.registry(), s.notifies()
	k := ServerCapabilities{
		Completions:  s.offersCompletions(reg),
		Logging:      s.opts.Logging,
		Experimental: s.opts.experimental(),
		Extensions:   s.opts.extensions(),
	}
	if s.offersTools(reg) {
		k.Tools = &ListCapability{ListChanged: changes}
	}
	if s.offersPrompts(reg) {
		k.Prompts = &ListCapability{ListChanged: changes}
	}
	if s.offersResources(reg) {
		k.Resources = &ResourcesCapability{Subscribe: s.offersSubscriptions(reg), ListChanged: changes}
	}
	if s.front != nil {
		s.front.declare(k.Tools, k.Prompts, k.Resources)
	}
	return k
}
