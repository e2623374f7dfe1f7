package mcp

import "isthmus.internal/jsonrpc"

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

func (c *ClientCapabilities) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.rawMap("experimental", c.Experimental)
	if c.Roots != nil {
		w.open("roots", '{')
		w.set("listChanged", c.Roots.ListChanged)
		w.close('}')
	}
	if c.Sampling != nil {
		w.open("sampling", '{')
		w.flag("context", c.Sampling.Context)
		w.flag("tools", c.Sampling.Tools)
		w.close('}')
	}
	if c.Elicitation != nil {
		w.open("elicitation", '{')
		w.flag("form", c.Elicitation.Form)
		w.flag("url", c.Elicitation.URL)
		w.close('}')
	}
	if f.Extensions {
		w.rawMap("extensions", c.Extensions)
	}
	w.rawMembers(c.Other)
	w.close('}')
}
