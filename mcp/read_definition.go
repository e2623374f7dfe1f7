package mcp

import "isthmus.internal/jsonrpc"

// The definitions that lists hold: tools, resources and templates, and what stands in
// them (2026-07-28 schema).

func (t *Tool) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "name", "inputSchema")
	for r.next() {
		switch string(r.name()) {
		case "name":
			r.text(&t.Name)
		case "title":
			r.text(&t.Title)
		case "description":
			r.text(&t.Description)
		case "inputSchema":
			r.keep(&t.InputSchema)
		case "outputSchema":
			r.keep(&t.OutputSchema)
		case "annotations":
			readPointer(r, &t.Annotations)
		case "icons":
			readList(r, &t.Icons)
		case "_meta":
			r.meta(&t.Meta)
		}
	}
	return r.end()
}

func (t *Tool) writeJSON(w *writer, f *Form) {
	definition := tool{Tool: *t}
	if t.InputSchema == nil {
		definition.InputSchema = anyArguments
	}
	var err error
	if definition.input, err = readSchema(definition.InputSchema); err != nil {
		w.fail("input schema: " + err.Error())
	}
	if t.OutputSchema != nil {
		if definition.output, err = readSchema(t.OutputSchema); err != nil {
			w.fail("output schema: " + err.Error())
		}
	}
	definition.write(w, f)
}

func (a *ToolAnnotations) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		switch string(r.name()) {
		case "title":
			r.text(&a.Title)
		case "readOnlyHint":
			r.hint(&a.ReadOnlyHint)
		case "destructiveHint":
			r.hint(&a.DestructiveHint)
		case "idempotentHint":
			r.hint(&a.IdempotentHint)
		case "openWorldHint":
			r.hint(&a.OpenWorldHint)
		}
	}
	return r.end()
}

func (d *Resource) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "uri", "name")
	for r.next() {
		d.readMember(r)
	}
	return r.end()
}

// readMember takes the member at hand, if it is one of a resource. A resource link has
// the same ones.
func (d *Resource) readMember(r *objectReader) {
	switch string(r.name()) {
	case "uri":
		r.text(&d.URI)
	case "name":
		r.text(&d.Name)
	case "title":
		r.text(&d.Title)
	case "description":
		r.text(&d.Description)
	case "mimeType":
		r.text(&d.MIMEType)
	case "size":
		d.Size = new(int64)
		r.count(d.Size)
	case "annotations":
		readPointer(r, &d.Annotations)
	case "icons":
		readList(r, &d.Icons)
	case "_meta":
		r.meta(&d.Meta)
	}
}

func (d *Resource) writeJSON(w *writer, f *Form) { (&resource{Resource: *d}).write(w, f) }

func (t *ResourceTemplate) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "uriTemplate", "name")
	for r.next() {
		switch string(r.name()) {
		case "uriTemplate":
			r.text(&t.URITemplate)
		case "name":
			r.text(&t.Name)
		case "title":
			r.text(&t.Title)
		case "description":
			r.text(&t.Description)
		case "mimeType":
			r.text(&t.MIMEType)
		case "annotations":
			readPointer(r, &t.Annotations)
		case "icons":
			readList(r, &t.Icons)
		case "_meta":
			r.meta(&t.Meta)
		}
	}
	return r.end()
}

func (t *ResourceTemplate) writeJSON(w *writer, f *Form) {
	(&resourceTemplate{ResourceTemplate: *t}).write(w, f)
}

func (i *Icon) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "src")
	for r.next() {
		switch string(r.name()) {
		case "src":
			r.text(&i.Src)
		case "mimeType":
			r.text(&i.MIMEType)
		case "sizes":
			r.texts(&i.Sizes)
		case "theme":
			r.text(&i.Theme)
		}
	}
	return r.end()
}

func (a *Annotations) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		switch string(r.name()) {
		case "audience":
			r.texts(&a.Audience)
		case "priority":
			r.optionalNumber(&a.Priority)
		case "lastModified":
			r.time(&a.LastModified)
		}
	}
	return r.end()
}

func (i *Implementation) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "name", "version")
	for r.next() {
		if to := i.field(r.name()); to != nil {
			r.text(to)
		} else if string(r.name()) == "icons" {
			readList(r, &i.Icons)
		}
	}
	return r.end()
}

func (i *Implementation) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	i.write(w, f)
	w.close('}')
}
