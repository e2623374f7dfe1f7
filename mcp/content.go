package mcp

import (
	"fmt"
	"strconv"
	"time"

	"isthmus.internal/jsonrpc"
)

// Content is one block of what a tool gives back: a pointer to [TextContent],
// [ImageContent], [AudioContent], [ResourceLink] or [EmbeddedResource] (2026-07-28
// schema, ContentBlock). A kind that the asking client's revision does not have goes out
// as a text block that says what it stands for.
type Content interface {
	content()
	write(w *writer, f *Form)
}

func (*TextContent) content()      {}
func (*ImageContent) content()     {}
func (*AudioContent) content()     {}
func (*ResourceLink) content()     {}
func (*EmbeddedResource) content() {}
func (*UnknownContent) content()   {}

// TextContent is text for the model or the user.
type TextContent struct {
	Text        string
	Annotations *Annotations
	Meta        Meta
}

// ImageContent is a picture.
type ImageContent struct {
	Data []byte
	// MIMEType, such as "image/png", is needed (2026-07-28 server/prompts, Image Content).
	MIMEType    string
	Annotations *Annotations
	Meta        Meta
}

// AudioContent is sound (since 2025-03-26).
type AudioContent struct {
	Data []byte
	// MIMEType, such as "audio/wav", is needed (2026-07-28 server/prompts, Audio Content).
	MIMEType    string
	Annotations *Annotations
	Meta        Meta
}

// ResourceLink names a resource that the client may read (since 2025-06-18). It
// need not be one of the server's list. URI and Name are needed.
type ResourceLink struct {
	Resource
}

// EmbeddedResource is a resource's contents inside a result.
type EmbeddedResource struct {
	Contents    ResourceContents
	Annotations *Annotations
	Meta        Meta
}

// Annotations are hints on how to use or show something (2026-07-28
// server/resources, Annotations).
type Annotations struct {
	// Audience holds "user", "assistant" or both; empty for no hint.
	Audience []string
	// Priority runs from 0, optional, to 1, needed; nil for no hint.
	Priority *float64
	// LastModified; the zero time for no hint (since 2025-06-18).
	LastModified time.Time
}

func (a *Annotations) write(w *writer, f *Form) {
	if a == nil {
		return
	}
	w.open("annotations", '{')
	w.texts("audience", a.Audience)
	for _, role := range a.Audience {
		if role != "user" && role != "assistant" {
			w.fail(fmt.Sprintf(`the audience %q is neither "user" nor "assistant"`, role))
		}
	}
	if a.Priority != nil {
		if !(0 <= *a.Priority && *a.Priority <= 1) { // so that NaN is refused, too
			w.fail(fmt.Sprintf("the priority %v is not from 0 to 1", *a.Priority))
		}
		w.key("priority")
		w.dst = jsonrpc.AppendFloat(w.dst, *a.Priority)
	}
	if f.LastModified && !a.LastModified.IsZero() {
		w.text("lastModified", a.LastModified.UTC().Format(time.RFC3339))
	}
	w.close('}')
}

func (c *TextContent) write(w *writer, f *Form) {
	w.open("", '{')
	w.text("type", "text")
	w.text("text", c.Text)
	c.Annotations.write(w, f)
	w.definitionMeta(c.Meta, f)
	w.close('}')
}

func (c *ImageContent) write(w *writer, f *Form) {
	writeBinary(w, f, "image", c.Data, c.MIMEType, c.Annotations, c.Meta)
}

func (c *AudioContent) write(w *writer, f *Form) {
	if !f.Audio {
		w.needMIMEType("a block of kind audio", c.MIMEType)
		standIn(w, f, c.Annotations, fmt.Sprintf("[audio, %s, %d bytes: left out, as revision %s has no audio content]",
			c.MIMEType, len(c.Data), f.Revision))
		return
	}
	writeBinary(w, f, "audio", c.Data, c.MIMEType, c.Annotations, c.Meta)
}

func writeBinary(w *writer, f *Form, kind string, data []byte, mimeType string, a *Annotations, m Meta) {
	w.needMIMEType("a block of kind "+kind, mimeType)
	w.open("", '{')
	w.text("type", kind)
	w.base64("data", data)
	w.text("mimeType", mimeType)
	a.write(w, f)
	w.definitionMeta(m, f)
	w.close('}')
}

func (c *ResourceLink) write(w *writer, f *Form) {
	w.needURI("a resource link", c.URI)
	if c.Name == "" {
		w.fail("a resource link has no Name")
	}
	if !f.ResourceLink {
		standIn(w, f, c.Annotations, fmt.Sprintf("[resource %s: %s]", strconv.Quote(c.Name), c.URI))
		return
	}
	w.open("", '{')
	w.text("type", "resource_link")
	c.Resource.writeMembers(w, f)
	w.close('}')
}

func (c *EmbeddedResource) write(w *writer, f *Form) {
	w.open("", '{')
	w.text("type", "resource")
	w.key("resource")
	if c.Contents == nil {
		w.fail("an embedded resource without contents")
		return
	}
	c.Contents.write(w, f)
	c.Annotations.write(w, f)
	w.definitionMeta(c.Meta, f)
	w.close('}')
}

// standIn writes a text block in place of a kind that the form does not have.
func standIn(w *writer, f *Form, a *Annotations, text string) {
	(&TextContent{Text: text, Annotations: a}).write(w, f)
}
