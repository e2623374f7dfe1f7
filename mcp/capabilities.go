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
	reg := s.registry()
	w := writer{dst: dst}
	w.open("", '{')
	w.rawMap("experimental", s.opts.experimental())
	if s.opts.Logging {
		w.open("logging", '{')
		w.close('}')
	}
	if f.Completions && s.offersCompletions(reg) {
		w.open("completions", '{')
		w.close('}')
	}
	if s.offersPrompts(reg) {
		w.open("prompts", '{')
		s.writeListChanged(&w)
		w.close('}')
	}
	if s.offersResources(reg) {
		w.open("resources", '{')
		if s.offersSubscriptions(reg) {
			w.boolean("subscribe", true)
		}
		s.writeListChanged(&w)
		w.close('}')
	}
	if s.offersTools(reg) {
		w.open("tools", '{')
		s.writeListChanged(&w)
		w.close('}')
	}
	if f.Extensions {
		w.rawMap("extensions", s.opts.extensions())
	}
	w.close('}')
	return w.dst
}

func (s *Server) writeListChanged(w *writer) {
	if s.notifies() {
		w.boolean("listChanged", true)
	}
}
