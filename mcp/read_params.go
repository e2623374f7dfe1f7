package mcp

import "isthmus.internal/jsonrpc"

// RequestParams is the params of a request that has none of its own, such as
// server/discover.
type RequestParams struct{ Meta Meta }

// ListParams is the params of the requests for lists.
type ListParams struct {
	// Cursor is where the page begins: [Page.NextCursor] of the one before, nil for
	// the first page.
	Cursor *string
	Meta   Meta
}

// CallToolParams is the params of tools/call.
type CallToolParams struct {
	Name string
	// Arguments is an object, or nil for none.
	Arguments jsonrpc.Raw
	Retry
	Meta Meta
}

// GetPromptParams is the params of prompts/get.
type GetPromptParams struct {
	Name string
	// Arguments are the values by their names; nil for none.
	Arguments map[string]string
	Retry
	Meta Meta
}

// ReadResourceParams is the params of resources/read.
type ReadResourceParams struct {
	URI string
	Retry
	Meta Meta
}

// Retry is what a request has beyond its first attempt, when the server has asked for
// input (2026-07-28 basic/patterns/mrtr). The zero value is the first attempt.
type Retry struct {
	// Responses are the answers, under the keys of the questions, each an object.
	Responses map[string]jsonrpc.Raw
	// State is what the server sent, to be sent back as it came; nil when it sent none.
	State *string
}

func (p *RequestParams) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		if string(r.name()) == "_meta" {
			r.meta(&p.Meta)
		}
	}
	return r.end()
}

func (p *RequestParams) writeJSON(w *writer, _ *Form) {
	w.open("", '{')
	w.endParams(p.Meta)
}

// endParams writes _meta. Params have it in all revisions.
func (w *writer) endParams(meta Meta) {
	w.rawMap("_meta", meta)
	w.close('}')
}

func (p *ListParams) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		switch string(r.name()) {
		case "cursor":
			r.optionalText(&p.Cursor)
		case "_meta":
			r.meta(&p.Meta)
		}
	}
	return r.end()
}

func (p *ListParams) writeJSON(w *writer, _ *Form) {
	w.open("", '{')
	if p.Cursor != nil {
		w.text("cursor", *p.Cursor)
	}
	w.endParams(p.Meta)
}

func (p *CallToolParams) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "name")
	for r.next() {
		switch string(r.name()) {
		case "name":
			r.text(&p.Name)
		case "arguments":
			r.keep(&p.Arguments)
		case "_meta":
			r.meta(&p.Meta)
		default:
			p.Retry.readMember(r)
		}
	}
	return r.end()
}

func (p *CallToolParams) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.text("name", p.Name)
	w.raw("arguments", p.Arguments)
	p.Retry.write(w, f)
	w.endParams(p.Meta)
}

func (p *GetPromptParams) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "name")
	for r.next() {
		switch string(r.name()) {
		case "name":
			r.text(&p.Name)
		case "arguments":
			r.textMap(&p.Arguments)
		case "_meta":
			r.meta(&p.Meta)
		default:
			p.Retry.readMember(r)
		}
	}
	return r.end()
}

func (p *GetPromptParams) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.text("name", p.Name)
	w.textMap("arguments", p.Arguments)
	p.Retry.write(w, f)
	w.endParams(p.Meta)
}

func (p *ReadResourceParams) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "uri")
	for r.next() {
		switch string(r.name()) {
		case "uri":
			r.text(&p.URI)
		case "_meta":
			r.meta(&p.Meta)
		default:
			p.Retry.readMember(r)
		}
	}
	return r.end()
}

func (p *ReadResourceParams) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.text("uri", p.URI)
	p.Retry.write(w, f)
	w.endParams(p.Meta)
}

// readMember takes the member at hand, if it is one of a retry.
func (t *Retry) readMember(r *objectReader) {
	switch string(r.name()) {
	case "inputResponses":
		r.settings(&t.Responses)
	case "requestState":
		r.optionalText(&t.State)
	}
}

func (t *Retry) write(w *writer, f *Form) {
	if !f.ResultType { // no server of such a revision has asked
		return
	}
	w.rawMap("inputResponses", t.Responses)
	if t.State != nil {
		w.text("requestState", *t.State)
	}
}
