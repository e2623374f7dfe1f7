package mcp

import "isthmus.internal/jsonrpc"

// RequiredCapabilities is the data of the error [MissingRequiredClientCapability]: what
// the client would have to declare (2026-07-28 basic/index, Error Codes).
type RequiredCapabilities struct{ Capabilities ClientCapabilities }

// UnsupportedVersion is the data of the error -32022: the versions that the server would
// take, and the one that was asked for (2026-07-28 basic/versioning, Protocol Version
// Negotiation).
type UnsupportedVersion struct {
	Supported []string
	Requested string
}

// RequiredElicitations is the data of the error -32042, which 2025-11-25 alone has: pages
// that the user has to visit before the request is sent again (2025-11-25
// client/elicitation, URL Elicitation Required Error).
type RequiredElicitations struct{ Elicitations []ElicitURL }

func (d *RequiredElicitations) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "elicitations")
	for r.next() {
		if string(r.name()) == "elicitations" {
			readList(r, &d.Elicitations)
		}
	}
	return r.end()
}

func (d *RequiredElicitations) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.open("elicitations", '[')
	for i := range d.Elicitations {
		d.Elicitations[i].writeJSON(w, f)
	}
	w.close(']')
	w.close('}')
}

func (d *RequiredCapabilities) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "requiredCapabilities")
	for r.next() {
		if string(r.name()) == "requiredCapabilities" {
			r.inside(&d.Capabilities)
		}
	}
	return r.end()
}

func (d *RequiredCapabilities) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.key("requiredCapabilities")
	d.Capabilities.writeJSON(w, f)
	w.close('}')
}

func (d *UnsupportedVersion) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "supported", "requested")
	for r.next() {
		switch string(r.name()) {
		case "supported":
			r.texts(&d.Supported)
		case "requested":
			r.text(&d.Requested)
		}
	}
	return r.end()
}

func (d *UnsupportedVersion) writeJSON(w *writer, _ *Form) {
	w.open("", '{')
	w.list("supported", d.Supported)
	w.text("requested", d.Requested)
	w.close('}')
}
