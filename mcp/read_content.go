package mcp

import (
	"bytes"
	"fmt"

	"isthmus.internal/jsonrpc"
)

// UnknownContent is a block of a kind that this package does not know, as it came from
// a peer. It can be read, but not sent on as what it is: a text block that names its kind
// goes out in its place, as no revision lets it be sent.
type UnknownContent struct {
	// Type is the kind, from the member of that name.
	Type string
	// Raw is the whole block.
	Raw jsonrpc.Raw
}

func (c *UnknownContent) write(w *writer, f *Form) {
	standIn(w, f, nil, fmt.Sprintf("[%s: left out, as revision %s has no such content]", jsonrpc.Clip([]byte(c.Type)), f.Revision))
}

func (c *UnknownContent) readJSON(raw jsonrpc.Raw) *Malformed {
	c.Raw = bytes.Clone(raw)
	r := readObject(raw, "type")
	for r.next() {
		if string(r.name()) == "type" {
			r.text(&c.Type)
		}
	}
	return r.end()
}

func (c *UnknownContent) writeJSON(w *writer, f *Form) { c.write(w, f) }

// readKind appends the kind that a block says it is. What stands behind that is not looked
// at, since the block is read as one of that kind then.
func readKind(dst []byte, raw jsonrpc.Raw) ([]byte, *Malformed) {
	r := readObject(raw, "type")
	for r.next() {
		if string(r.name()) != "type" {
			continue
		}
		dst, ok := r.value().AppendText(dst)
		if ok {
			return dst, nil
		}
		r.fail(must("be a string"))
	}
	return dst, r.end()
}

// contentReader reads a block of whichever kind it says it is.
type contentReader struct{ Content }

// readable is a kind of content that can be read.
type readable interface {
	Content
	Value
}

func (c *contentReader) readJSON(raw jsonrpc.Raw) *Malformed {
	var short [24]byte // longer than the name of any kind that is known
	kind, m := readKind(short[:0], raw)
	if m != nil {
		return m
	}
	block := contentOf(string(kind))
	c.Content = block
	return block.readJSON(raw)
}

// contentOf returns an empty block of a kind.
func contentOf(kind string) readable {
	switch kind {
	case "text":
		return &TextContent{}
	case "image":
		return &ImageContent{}
	case "audio":
		return &AudioContent{}
	case "resource_link":
		return &ResourceLink{}
	case "resource":
		return &EmbeddedResource{}
	}
	return &UnknownContent{}
}

// contents takes an array of blocks. It uses the room that there is for them.
func (r *objectReader) contents(to *[]Content) {
	if *to == nil {
		*to = []Content{}
	}
	r.each(func(value jsonrpc.Raw) *Malformed {
		var c contentReader
		m := c.readJSON(value)
		*to = append(*to, c.Content)
		return m
	})
}

func (c *TextContent) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "type", "text")
	for r.next() {
		switch string(r.name()) {
		case "type":
			r.word("text")
		case "text":
			r.text(&c.Text)
		case "annotations":
			readPointer(r, &c.Annotations)
		case "_meta":
			r.meta(&c.Meta)
		}
	}
	return r.end()
}

func (c *TextContent) writeJSON(w *writer, f *Form) { c.write(w, f) }

func (c *ImageContent) readJSON(raw jsonrpc.Raw) *Malformed {
	return readBinary(raw, "image", &c.Data, &c.MIMEType, &c.Annotations, &c.Meta)
}

func (c *ImageContent) writeJSON(w *writer, f *Form) { c.write(w, f) }

func (c *AudioContent) readJSON(raw jsonrpc.Raw) *Malformed {
	return readBinary(raw, "audio", &c.Data, &c.MIMEType, &c.Annotations, &c.Meta)
}

func (c *AudioContent) writeJSON(w *writer, f *Form) { c.write(w, f) }

func readBinary(raw jsonrpc.Raw, kind string, data *[]byte, mimeType *string, a **Annotations, meta *Meta) *Malformed {
	r := readObject(raw, "type", "data", "mimeType")
	for r.next() {
		switch string(r.name()) {
		case "type":
			r.word(kind)
		case "data":
			r.base64(data)
		case "mimeType":
			r.text(mimeType)
		case "annotations":
			readPointer(r, a)
		case "_meta":
			r.meta(meta)
		}
	}
	return r.end()
}

func (c *ResourceLink) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "type", "uri", "name")
	for r.next() {
		if string(r.name()) == "type" {
			r.word("resource_link")
		}
		c.Resource.readMember(r)
	}
	return r.end()
}

func (c *ResourceLink) writeJSON(w *writer, f *Form) { c.write(w, f) }

func (c *EmbeddedResource) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "type", "resource")
	for r.next() {
		switch string(r.name()) {
		case "type":
			r.word("resource")
		case "resource":
			var inner contentsReader
			r.inside(&inner)
			c.Contents = inner.ResourceContents
		case "annotations":
			readPointer(r, &c.Annotations)
		case "_meta":
			r.meta(&c.Meta)
		}
	}
	return r.end()
}

func (c *EmbeddedResource) writeJSON(w *writer, f *Form) { c.write(w, f) }

// contentsReader reads the contents of a resource: bytes when it has a blob, else text.
type contentsReader struct{ ResourceContents }

func (c *contentsReader) readJSON(raw jsonrpc.Raw) *Malformed {
	isBlob := false
	r := readObject(raw)
	for r.next() {
		isBlob = isBlob || string(r.name()) == "blob"
	}
	if m := r.end(); m != nil {
		return m
	}
	if isBlob {
		blob := &BlobResource{}
		c.ResourceContents = blob
		return blob.readJSON(raw)
	}
	text := &TextResource{}
	c.ResourceContents = text
	return text.readJSON(raw)
}

func (d *TextResource) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "uri", "text")
	for r.next() {
		switch string(r.name()) {
		case "uri":
			r.text(&d.URI)
		case "mimeType":
			r.text(&d.MIMEType)
		case "text":
			r.text(&d.Text)
		case "_meta":
			r.meta(&d.Meta)
		}
	}
	return r.end()
}

func (d *TextResource) writeJSON(w *writer, f *Form) { d.write(w, f) }

func (d *BlobResource) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "uri", "blob")
	for r.next() {
		switch string(r.name()) {
		case "uri":
			r.text(&d.URI)
		case "mimeType":
			r.text(&d.MIMEType)
		case "blob":
			r.base64(&d.Blob)
		case "_meta":
			r.meta(&d.Meta)
		}
	}
	return r.end()
}

func (d *BlobResource) writeJSON(w *writer, f *Form) { d.write(w, f) }
