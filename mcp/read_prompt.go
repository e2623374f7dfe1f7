package mcp

import (
	"fmt"

	"isthmus.internal/jsonrpc"
)

func (p *Prompt) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "name")
	for r.next() {
		switch string(r.name()) {
		case "name":
			r.text(&p.Name)
		case "title":
			r.text(&p.Title)
		case "description":
			r.text(&p.Description)
		case "arguments":
			readList(r, &p.Arguments)
		case "icons":
			readList(r, &p.Icons)
		case "_meta":
			r.meta(&p.Meta)
		}
	}
	return r.end()
}

func (p *Prompt) writeJSON(w *writer, f *Form) { (&prompt{Prompt: *p}).write(w, f) }

func (a *PromptArgument) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "name")
	for r.next() {
		switch string(r.name()) {
		case "name":
			r.text(&a.Name)
		case "title":
			r.text(&a.Title)
		case "description":
			r.text(&a.Description)
		case "required":
			r.boolean(&a.Required)
		}
	}
	return r.end()
}

func (p *PromptResult) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "messages")
	for r.next() {
		switch string(r.name()) {
		case "description":
			r.text(&p.Description)
		case "messages":
			readList(r, &p.Messages)
		default:
			r.common(&p.Meta)
		}
	}
	return r.end()
}

func (p *PromptResult) writeJSON(w *writer, f *Form) {
	w.beginResult(f)
	p.write(w, f)
	w.endResult(nil, p.Meta, f)
}

func (m *PromptMessage) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "role", "content")
	for r.next() {
		switch string(r.name()) {
		case "role":
			r.role(&m.Role)
		case "content":
			var c contentReader
			r.inside(&c)
			m.Content = c.Content
		}
	}
	return r.end()
}

// role takes who speaks.
func (r *objectReader) role(to *Role) {
	var text string
	r.text(&text)
	if *to = Role(text); *to != RoleUser && *to != RoleAssistant {
		r.fail(must(fmt.Sprintf("be %q or %q", RoleUser, RoleAssistant)))
	}
}
