package mcp

import "isthmus.internal/jsonrpc"

// ListenParams is the params of subscriptions/listen (2026-07-28
// basic/patterns/subscriptions).
type ListenParams struct {
	// Notifications says which changes are asked for.
	Notifications Filter
	Meta          Meta
}

// AcknowledgedParams is the params of notifications/subscriptions/acknowledged, which
// opens a subscription.
type AcknowledgedParams struct {
	// Notifications says which changes the server will tell of: of those that were
	// asked for, the ones that it supports.
	Notifications Filter
	// Meta has the id of the subscription under [MetaSubscriptionID].
	Meta Meta
}

func (p *ListenParams) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "notifications")
	for r.next() {
		switch string(r.name()) {
		case "notifications":
			r.inside(&p.Notifications)
		case "_meta":
			r.meta(&p.Meta)
		}
	}
	return r.end()
}

func (p *ListenParams) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.key("notifications")
	p.Notifications.writeJSON(w, f)
	w.endParams(p.Meta)
}

func (p *AcknowledgedParams) readJSON(raw jsonrpc.Raw) *Malformed {
	return (*ListenParams)(p).readJSON(raw)
}

func (p *AcknowledgedParams) writeJSON(w *writer, f *Form) { (*ListenParams)(p).writeJSON(w, f) }

func (f *Filter) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		switch string(r.name()) {
		case "toolsListChanged":
			r.boolean(&f.ToolsListChanged)
		case "promptsListChanged":
			r.boolean(&f.PromptsListChanged)
		case "resourcesListChanged":
			r.boolean(&f.ResourcesListChanged)
		case "resourceSubscriptions":
			r.texts(&f.ResourceSubscriptions)
		}
	}
	return r.end()
}

func (f *Filter) writeJSON(w *writer, _ *Form) {
	w.open("", '{')
	for i, asked := range f.lists() {
		w.ifTrue(filterNames[i], asked)
	}
	w.texts("resourceSubscriptions", f.ResourceSubscriptions)
	w.close('}')
}
