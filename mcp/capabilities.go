package mcp

import (
	"bytes"

	"isthmus.internal/jsonrpc"
)

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
	var c ClientCapabilities
	if len(raw) > longestDeclared {
		return c, tooLong(where)
	}
	o := jsonrpc.ReadObject(raw)
	for o.Next() {
		name, value := string(o.Name()), o.Value()
		at := where + "." + name
		var err *jsonrpc.Error
		switch name {
		case "roots":
			var fields map[string]jsonrpc.Raw
			fields, err = readFields(value, at)
			changed, _ := fields["listChanged"].Bool()
			c.Roots = &RootsCapability{ListChanged: changed}
		case "sampling":
			var fields map[string]jsonrpc.Raw
			fields, err = readFields(value, at)
			c.Sampling = &SamplingCapability{Context: fields["context"] != nil, Tools: fields["tools"] != nil}
		case "elicitation":
			var fields map[string]jsonrpc.Raw
			fields, err = readFields(value, at)
			url := fields["url"] != nil
			c.Elicitation = &ElicitationCapability{Form: fields["form"] != nil || !url, URL: url}
		case "experimental":
			c.Experimental, err = readFields(value, at)
		case "extensions":
			c.Extensions, err = readFields(value, at)
		default:
			if c.Other == nil {
				c.Other = make(map[string]jsonrpc.Raw)
			}
			c.Other[name] = bytes.Clone(value)
		}
		if err != nil {
			return c, err
		}
	}
	if o.Err() != nil {
		return c, objectFault(where, raw)
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

// readFields reads an object into a map of copies.
func readFields(raw jsonrpc.Raw, where string) (map[string]jsonrpc.Raw, *jsonrpc.Error) {
	fields := make(map[string]jsonrpc.Raw)
	o := jsonrpc.ReadObject(raw)
	for o.Next() {
		fields[string(o.Name())] = bytes.Clone(o.Value())
	}
	if o.Err() != nil {
		return nil, objectFault(where, raw)
	}
	return fields, nil
}

// AppendCapabilities appends the object of capabilities that the server declares
// at this moment, in the given form (2026-07-28 schema, ServerCapabilities). A
// capability is declared when something is registered for it, logging when
// [ServerOptions.Logging] is set.
func (s *Server) AppendCapabilities(dst []byte, f *Form) []byte {
	reg := s.registry.Load()
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
		w.close('}')
	}
	if s.offersResources(reg) {
		w.open("resources", '{')
		w.close('}')
	}
	if s.offersTools(reg) {
		w.open("tools", '{')
		w.close('}')
	}
	if f.Extensions {
		w.rawMap("extensions", s.opts.extensions())
	}
	w.close('}')
	return w.dst
}
