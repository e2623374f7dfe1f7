package mcp

import "isthmus.internal/jsonrpc"

// CompleteParams is the params of completion/complete.
type CompleteParams struct {
	// Prompt names the prompt whose argument is completed. Otherwise it is "", and URI
	// is the resource template whose variable is.
	Prompt, URI string
	// Argument is the name, Value what is there of its value.
	Argument, Value string
	// Context has the arguments that are settled (since 2025-06-18); nil for none.
	Context map[string]string
	Meta    Meta
}

func (p *CompleteParams) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "ref", "argument")
	for r.next() {
		switch string(r.name()) {
		case "ref":
			r.inside((*reference)(p))
		case "argument":
			r.inside((*partial)(p))
		case "context":
			r.inside((*settled)(p))
		case "_meta":
			r.meta(&p.Meta)
		}
	}
	return r.end()
}

// reference, partial and settled read the parts of CompleteParams.
type (
	reference CompleteParams
	partial   CompleteParams
	settled   CompleteParams
)

func (p *reference) readJSON(raw jsonrpc.Raw) *Malformed {
	var kind string
	r := readObject(raw, "type")
	for r.next() {
		switch string(r.name()) {
		case "type":
			r.text(&kind)
		case "name":
			r.text(&p.Prompt)
		case "uri":
			r.text(&p.URI)
		}
	}
	m := r.end()
	switch {
	case m != nil:
		return m
	case kind == "ref/prompt" && p.Prompt != "":
		p.URI = ""
		return nil
	case kind == "ref/resource" && p.URI != "":
		p.Prompt = ""
		return nil
	}
	return must("have the type ref/prompt and a name, or ref/resource and a uri")
}

func (p *partial) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "name", "value")
	for r.next() {
		switch string(r.name()) {
		case "name":
			r.text(&p.Argument)
		case "value":
			r.text(&p.Value)
		}
	}
	return r.end()
}

func (p *settled) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		if string(r.name()) == "arguments" {
			r.textMap(&p.Context)
		}
	}
	return r.end()
}

func (p *CompleteParams) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.open("ref", '{')
	if p.Prompt != "" {
		w.text("type", "ref/prompt")
		w.text("name", p.Prompt)
	} else {
		w.text("type", "ref/resource")
		w.text("uri", p.URI)
	}
	w.close('}')
	w.open("argument", '{')
	w.text("name", p.Argument)
	w.text("value", p.Value)
	w.close('}')
	if len(p.Context) > 0 && f.CompletionContext {
		w.open("context", '{')
		w.textMap("arguments", p.Context)
		w.close('}')
	}
	w.endParams(p.Meta)
}

// CompleteResult is the result of completion/complete.
type CompleteResult struct {
	Completion Completion
	Meta       Meta
}

func (c *CompleteResult) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "completion")
	for r.next() {
		if string(r.name()) == "completion" {
			r.inside(&c.Completion)
		}
		r.common(&c.Meta)
	}
	return r.end()
}

func (c *CompleteResult) writeJSON(w *writer, f *Form) {
	w.beginResult(f)
	c.Completion.write(w, f)
	w.endResult(nil, c.Meta, f)
}

// readJSON reads what stands in the result under its name.
func (n *Completion) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "values")
	for r.next() {
		switch string(r.name()) {
		case "values":
			r.texts(&n.Values)
		case "total":
			var total int64
			r.count(&total)
			n.Total = int(total)
		case "hasMore":
			r.boolean(&n.HasMore)
		}
	}
	return r.end()
}
