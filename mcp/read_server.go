package mcp

import "isthmus.internal/jsonrpc"

// ServerCapabilities is what a server offers, as it declares it (2026-07-28 schema,
// ServerCapabilities). A nil pointer means that it does not.
type ServerCapabilities struct {
	Tools     *ListCapability
	Prompts   *ListCapability
	Resources *ResourcesCapability
	// Completions: completion/complete is answered (since 2025-03-26).
	Completions bool
	// Logging: log messages are sent to those who ask for them.
	Logging bool
	// Experimental and Extensions map a name to its settings, an object, as received.
	Experimental map[string]jsonrpc.Raw
	Extensions   map[string]jsonrpc.Raw
	// Other holds every member that this type does not know, as received.
	Other map[string]jsonrpc.Raw
}

// ListCapability: the server has a list.
type ListCapability struct {
	// ListChanged: it says when the list changes.
	ListChanged bool
}

// ResourcesCapability: the server has resources.
type ResourcesCapability struct {
	// Subscribe: it says when one changes that was subscribed to. ListChanged: it says
	// when the list changes.
	Subscribe, ListChanged bool
}

// InitializeResult is what a server of a legacy revision says of itself at the start of
// a session (2025-11-25 basic/lifecycle, Initialization).
type InitializeResult struct {
	ProtocolVersion string
	Capabilities    ServerCapabilities
	ServerInfo      Implementation
	Instructions    string
	Meta            Meta
}

// DiscoverResult is what a server says of itself when it is asked (2026-07-28
// server/discover).
type DiscoverResult struct {
	SupportedVersions []string
	Capabilities      ServerCapabilities
	Instructions      string
	// Cache tells whether the result may be kept; nil when the server does not say.
	Cache *CacheHint
	Meta  Meta
}

func (k *ServerCapabilities) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		switch string(r.name()) {
		case "tools":
			readPointer(r, &k.Tools)
		case "prompts":
			readPointer(r, &k.Prompts)
		case "resources":
			readPointer(r, &k.Resources)
		case "completions":
			r.flag(&k.Completions)
		case "logging":
			r.flag(&k.Logging)
		case "experimental":
			r.settings(&k.Experimental)
		case "extensions":
			r.settings(&k.Extensions)
		default:
			r.other(&k.Other)
		}
	}
	return r.end()
}

// flag takes an object whose being there is all that matters.
func (r *objectReader) flag(to *bool) {
	var settings jsonrpc.Raw
	r.keep(&settings)
	*to = true
}

func (k *ServerCapabilities) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.rawMap("experimental", k.Experimental)
	w.flag("logging", k.Logging)
	w.flag("completions", k.Completions && f.Completions)
	k.Prompts.write(w, "prompts")
	if k.Resources != nil {
		w.open("resources", '{')
		w.ifTrue("subscribe", k.Resources.Subscribe)
		w.ifTrue("listChanged", k.Resources.ListChanged)
		w.close('}')
	}
	k.Tools.write(w, "tools")
	if f.Extensions {
		w.rawMap("extensions", k.Extensions)
	}
	w.rawMembers(k.Other)
	w.close('}')
}

func (l *ListCapability) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		if string(r.name()) == "listChanged" {
			r.boolean(&l.ListChanged)
		}
	}
	return r.end()
}

func (l *ListCapability) write(w *writer, name string) {
	if l != nil {
		w.open(name, '{')
		w.ifTrue("listChanged", l.ListChanged)
		w.close('}')
	}
}

func (k *ResourcesCapability) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		switch string(r.name()) {
		case "subscribe":
			r.boolean(&k.Subscribe)
		case "listChanged":
			r.boolean(&k.ListChanged)
		}
	}
	return r.end()
}

func (i *InitializeResult) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "protocolVersion", "capabilities", "serverInfo")
	for r.next() {
		switch string(r.name()) {
		case "protocolVersion":
			r.text(&i.ProtocolVersion)
		case "capabilities":
			r.inside(&i.Capabilities)
		case "serverInfo":
			r.inside(&i.ServerInfo)
		case "instructions":
			r.text(&i.Instructions)
		default:
			r.common(&i.Meta)
		}
	}
	return r.end()
}

func (i *InitializeResult) writeJSON(w *writer, f *Form) {
	w.beginResult(f)
	w.text("protocolVersion", i.ProtocolVersion)
	w.key("capabilities")
	i.Capabilities.writeJSON(w, f)
	w.key("serverInfo")
	i.ServerInfo.writeJSON(w, f)
	w.optional("instructions", i.Instructions)
	w.endResult(nil, i.Meta, f)
}

func (d *DiscoverResult) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "supportedVersions", "capabilities")
	for r.next() {
		switch string(r.name()) {
		case "supportedVersions":
			r.texts(&d.SupportedVersions)
		case "capabilities":
			r.inside(&d.Capabilities)
		case "instructions":
			r.text(&d.Instructions)
		default:
			r.common(&d.Meta)
			r.cache(&d.Cache)
		}
	}
	return r.end()
}

func (d *DiscoverResult) writeJSON(w *writer, f *Form) {
	w.beginResult(f)
	w.list("supportedVersions", d.SupportedVersions)
	w.key("capabilities")
	d.Capabilities.writeJSON(w, f)
	w.optional("instructions", d.Instructions)
	w.endResult(d.Cache, d.Meta, f)
}
