package mcp

import (
	"fmt"
	"strings"

	"isthmus.internal/jsonrpc"
)

// InitializeParams is the params of initialize, with which a client opens a session of a
// legacy revision (2025-11-25 basic/lifecycle, Initialization).
type InitializeParams struct {
	// ProtocolVersion is the newest that the client speaks.
	ProtocolVersion string
	Capabilities    ClientCapabilities
	ClientInfo      Implementation
	Meta            Meta
}

// SubscribeParams is the params of resources/subscribe and resources/unsubscribe, which
// exist up to 2025-11-25.
type SubscribeParams struct {
	URI  string
	Meta Meta
}

// SetLevelParams is the params of logging/setLevel, which exists up to 2025-11-25.
type SetLevelParams struct {
	// Level is the least grave one to be sent.
	Level LogLevel
	Meta  Meta
}

func (p *InitializeParams) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "protocolVersion", "capabilities", "clientInfo")
	for r.next() {
		switch string(r.name()) {
		case "protocolVersion":
			r.text(&p.ProtocolVersion)
		case "capabilities":
			r.inside(&p.Capabilities)
		case "clientInfo":
			r.inside(&p.ClientInfo)
		case "_meta":
			r.meta(&p.Meta)
		}
	}
	return r.end()
}

func (p *InitializeParams) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.text("protocolVersion", p.ProtocolVersion)
	w.key("capabilities")
	p.Capabilities.writeJSON(w, f)
	w.key("clientInfo")
	p.ClientInfo.writeJSON(w, f)
	w.endParams(p.Meta)
}

func (p *SubscribeParams) readJSON(raw jsonrpc.Raw) *Malformed {
	return (*ResourceUpdatedParams)(p).readJSON(raw)
}

func (p *SubscribeParams) writeJSON(w *writer, f *Form) { (*ResourceUpdatedParams)(p).writeJSON(w, f) }

func (p *SetLevelParams) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "level")
	for r.next() {
		switch string(r.name()) {
		case "level":
			r.level(&p.Level)
		case "_meta":
			r.meta(&p.Meta)
		}
	}
	return r.end()
}

func (p *SetLevelParams) writeJSON(w *writer, _ *Form) {
	w.open("", '{')
	w.text("level", p.Level.String())
	w.endParams(p.Meta)
}

func (c *ClientCapabilities) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		var settings map[string]jsonrpc.Raw
		switch string(r.name()) {
		case "roots":
			r.raws(&settings)
			changed, _ := settings["listChanged"].Bool()
			c.Roots = &RootsCapability{ListChanged: changed}
		case "sampling":
			r.raws(&settings)
			c.Sampling = &SamplingCapability{Context: settings["context"] != nil, Tools: settings["tools"] != nil}
		case "elicitation":
			r.raws(&settings)
			url := settings["url"] != nil
			c.Elicitation = &ElicitationCapability{Form: settings["form"] != nil || !url, URL: url}
		case "experimental":
			r.raws(&c.Experimental)
		case "extensions":
			r.raws(&c.Extensions)
		default:
			r.other(&c.Other)
		}
	}
	return r.end()
}

// check holds what a user has put among the capabilities against the rules (2026-07-28
// basic/versioning, Extension Negotiation; schema, ClientCapabilities).
func (c *ClientCapabilities) check(w *writer, f *Form) {
	for name, settings := range c.Experimental {
		if settings != nil && !isObject(settings) {
			w.fail(fmt.Sprintf("the settings of the experimental capability %q must be a JSON object", name))
		}
	}
	if !f.Extensions {
		return
	}
	for name, settings := range c.Extensions {
		switch {
		case !IsMetaName(name) || !strings.Contains(name, "/"):
			w.fail(fmt.Sprintf("extension %q must have a name with a prefix, as in com.example/%s", name, name))
		case settings != nil && !isObject(settings):
			w.fail(fmt.Sprintf("the settings of extension %q must be a JSON object", name))
		}
	}
}

func (c *ClientCapabilities) writeJSON(w *writer, f *Form) {
	c.check(w, f)
	w.open("", '{')
	w.rawMap("experimental", c.Experimental)
	if c.Roots != nil {
		w.open("roots", '{')
		w.ifTrue("listChanged", c.Roots.ListChanged && f.RootsListChanged)
		w.close('}')
	}
	if c.Sampling != nil {
		w.open("sampling", '{')
		w.flag("context", c.Sampling.Context && f.SamplingTools)
		w.flag("tools", c.Sampling.Tools && f.SamplingTools)
		w.close('}')
	}
	// A revision without modes has forms alone, so a client that cannot do them has nothing.
	if e := c.Elicitation; e != nil && f.Elicitation && (e.Form || f.ElicitationModes) {
		w.open("elicitation", '{')
		w.flag("form", e.Form && f.ElicitationModes)
		w.flag("url", e.URL && f.ElicitationModes)
		w.close('}')
	}
	if f.Extensions {
		w.rawMap("extensions", c.Extensions)
	}
	w.rawMembers(c.Other)
	w.close('}')
}
