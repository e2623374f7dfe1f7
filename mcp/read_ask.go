package mcp

import (
	"maps"
	"slices"
	"strings"

	"isthmus.internal/jsonrpc"
)

// InputRequired is the result with which a server asks its client for input, in place of
// the result of the request (2026-07-28 basic/patterns/mrtr). [ResultTypeOf] tells it
// from other results. The client sends the request again, with a [Retry].
type InputRequired struct {
	// Requests are the questions by their keys; nil when the server only wants to be
	// asked again.
	Requests map[string]InputRequest
	// State is to be sent back as it came; nil for none.
	State *string
	Meta  Meta
}

// InputRequest is one question of a server.
type InputRequest struct {
	// Method is elicitation/create, sampling/createMessage or roots/list.
	Method string
	// Params is an object, or nil: an [ElicitForm] or [ElicitURL], a [SampleRequest], or
	// nothing.
	Params jsonrpc.Raw
}

// ElicitResult is a client's answer to elicitation/create.
type ElicitResult struct {
	// Action is "accept", "decline" or "cancel".
	Action string
	// Content is what the user has filled in, an object; nil for none.
	Content jsonrpc.Raw
	Meta    Meta
}

// RootsResult is a client's answer to roots/list.
type RootsResult struct {
	Roots []Root
	Meta  Meta
}

func (q *InputRequired) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "resultType")
	for r.next() {
		switch string(r.name()) {
		case "resultType":
			r.word("input_required")
		case "inputRequests":
			r.requests(&q.Requests)
		case "requestState":
			r.optionalText(&q.State)
		case "_meta":
			r.meta(&q.Meta)
		}
	}
	return r.end()
}

// requests takes the questions by their keys.
func (r *objectReader) requests(to *map[string]InputRequest) {
	inner := readObject(r.value())
	*to = make(map[string]InputRequest)
	for inner.next() {
		var one InputRequest
		inner.inside(&one)
		(*to)[string(inner.name())] = one
	}
	if m := inner.end(); m != nil {
		r.fail(m)
	}
}

func (q *InputRequired) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.text("resultType", "input_required")
	if len(q.Requests) > 0 {
		w.open("inputRequests", '{')
		for _, key := range slices.Sorted(maps.Keys(q.Requests)) {
			one := q.Requests[key]
			w.comma()
			w.dst = append(jsonrpc.AppendString(w.dst, key), ':')
			one.writeJSON(w, f)
		}
		w.close('}')
	}
	if q.State != nil {
		w.text("requestState", *q.State)
	}
	w.endResult(nil, q.Meta, f)
}

func (q *InputRequest) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "method")
	for r.next() {
		switch string(r.name()) {
		case "method":
			r.text(&q.Method)
		case "params":
			r.keep(&q.Params)
		}
	}
	return r.end()
}

func (q *InputRequest) writeJSON(w *writer, _ *Form) {
	w.open("", '{')
	w.text("method", q.Method)
	w.raw("params", q.Params)
	w.close('}')
}

func (e *ElicitForm) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "message", "requestedSchema")
	for r.next() {
		switch string(r.name()) {
		case "mode":
			r.word("form")
		case "message":
			r.text(&e.Message)
		case "requestedSchema":
			r.keep(&e.Schema)
		}
	}
	return r.end()
}

func (e *ElicitForm) writeJSON(w *writer, f *Form) {
	schema, err := readFormSchema(e.Schema)
	if err != nil {
		w.fail("the form: " + err.Error())
		return
	}
	e.write(w, schema, f)
}

// write writes the params of elicitation/create. schema is the form's, as it was read.
func (e *ElicitForm) write(w *writer, schema *formSchema, f *Form) {
	w.open("", '{')
	if f.ElicitationModes {
		w.text("mode", "form")
	}
	w.text("message", e.Message)
	w.key("requestedSchema")
	schema.write(w, f)
	w.close('}')
}

func (e *ElicitURL) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "mode", "message", "url")
	for r.next() {
		switch string(r.name()) {
		case "mode":
			r.word("url")
		case "message":
			r.text(&e.Message)
		case "url":
			r.text(&e.URL)
		case "elicitationId":
			r.text(&e.ID)
		}
	}
	return r.end()
}

func (e *ElicitURL) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.text("mode", "url")
	w.text("message", e.Message)
	if f.ElicitationID {
		w.text("elicitationId", e.ID)
	}
	w.text("url", e.URL)
	w.close('}')
}

func (e *ElicitResult) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "action")
	for r.next() {
		switch string(r.name()) {
		case "action":
			r.text(&e.Action)
			if !oneOf(e.Action, "accept", "decline", "cancel") {
				r.fail(must(`be "accept", "decline" or "cancel"`))
			}
		case "content":
			r.keep(&e.Content)
		case "_meta":
			r.meta(&e.Meta)
		}
	}
	return r.end()
}

func (e *ElicitResult) writeJSON(w *writer, _ *Form) {
	w.open("", '{')
	w.text("action", e.Action)
	w.raw("content", e.Content)
	w.rawMap("_meta", e.Meta)
	w.close('}')
}

func (l *RootsResult) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "roots")
	for r.next() {
		switch string(r.name()) {
		case "roots":
			readList(r, &l.Roots)
		case "_meta":
			r.meta(&l.Meta)
		}
	}
	return r.end()
}

func (l *RootsResult) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.open("roots", '[')
	for i := range l.Roots {
		l.Roots[i].writeJSON(w, f)
	}
	w.close(']')
	w.rawMap("_meta", l.Meta)
	w.close('}')
}

func (r *Root) readJSON(raw jsonrpc.Raw) *Malformed {
	o := readObject(raw, "uri")
	for o.next() {
		switch string(o.name()) {
		case "uri":
			o.text(&r.URI)
			if !strings.HasPrefix(r.URI, "file://") || checkURI(r.URI) != nil {
				o.fail(must("be a uri that begins with file://"))
			}
		case "name":
			o.text(&r.Name)
		case "_meta":
			o.meta(&r.Meta)
		}
	}
	return o.end()
}

func (r *Root) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.text("uri", r.URI)
	w.optional("name", r.Name)
	w.definitionMeta(r.Meta, f)
	w.close('}')
}
