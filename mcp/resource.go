package mcp

import (
	"context"
	"errors"
	"fmt"

	"isthmus.internal/mcp/uritemplate"
)

// Resource defines one resource (2026-07-28 server/resources, Resource).
type Resource struct {
	// URI identifies the resource (RFC 3986).
	URI string
	// Name is for programs, Title for people; Title may be empty.
	Name, Title string
	Description string
	MIMEType    string
	// Size in bytes, before any encoding; nil when it is not known.
	Size        *int64
	Annotations *Annotations
	Icons       []Icon
	Meta        Meta

	// Cache is the hint on what is read from it. Default: [ServerOptions.Cache].
	Cache *CacheHint

	// Visible says who is shown the resource and may read it; to everybody else it does not
	// exist, nor does what it would read. It must be quick and must not change its mind
	// within a request. nil means everybody.
	Visible func(*Principal) bool
}

// ResourceTemplate defines a family of resources by an RFC 6570 template.
type ResourceTemplate struct {
	// URITemplate is a template of RFC 6570, levels 1 to 4, from which the values in a
	// uri can be told; [uritemplate] says when they can, and what then matches. A
	// uri with a "/" where the variable of {id} stands does not match; {+path} takes
	// any number of them, {/path*} gives the segments one by one. What no template can
	// say, [Server.HandleUnknownResource] can read.
	URITemplate string
	Name, Title string
	Description string
	MIMEType    string
	Annotations *Annotations
	Icons       []Icon
	Meta        Meta

	// Complete suggests values of the variables of these names (see [Completer]).
	Complete map[string]Completer

	// Cache is the hint on what is read through it. Default: [ServerOptions.Cache].
	Cache *CacheHint

	// Visible says who is shown the template and may read through it; to everybody else it
	// does not exist, nor does what it would read. It must be quick and must not change its
	// mind within a request. nil means everybody.
	Visible func(*Principal) bool
}

// ResourceHandler reads a resource: [Call.URI] says which, [Call.Variable]
// and [Call.Variables] give the variables of a template. It may run many times at once.
// [ErrResourceNotFound] is answered as such, a [*jsonrpc.Error] as one (see
// [CodePolicy]), and any other error as an internal one whose text stays in the log. One
// resource may have several contents, but never none. Contents that say no uri are of the
// one that was asked for, as in
//
//	return []mcp.ResourceContents{&mcp.TextResource{Text: text}}, nil
type ResourceHandler func(ctx context.Context, c *Call) ([]ResourceContents, error)

// ErrResourceNotFound says that the uri names nothing. The peer is told in the
// code of its revision, and a client finds it in the error of [Client.ReadResource].
var ErrResourceNotFound = errors.New("mcp: resource not found")

// ResourceContents is what a resource holds: a pointer to [TextResource] or
// [BlobResource].
type ResourceContents interface {
	// within fills in what stands for itself in the contents of one resource.
	within(uri, mimeType string) ResourceContents
	mimeType() string
	write(w *writer, f *Form)
}

func (r *TextResource) mimeType() string { return r.MIMEType }
func (r *BlobResource) mimeType() string { return r.MIMEType }

// TextResource is a resource that is text.
type TextResource struct {
	// URI is that of the contents. In what a [ResourceHandler] returns, "" stands for the
	// one that was asked for; elsewhere it is needed.
	URI string
	// MIMEType may be empty, which in what a ResourceHandler returns for the uri that was
	// asked for stands for that of the resource or template.
	MIMEType string
	Text     string
	Meta     Meta
}

// BlobResource is a resource that is bytes; they travel as base64. URI and MIMEType are as
// in [TextResource].
type BlobResource struct {
	URI      string
	MIMEType string
	Blob     []byte
	Meta     Meta
}

func (r *TextResource) within(uri, mimeType string) ResourceContents {
	own := *r
	own.URI, own.MIMEType = orAsked(r.URI, r.MIMEType, uri, mimeType)
	return &own
}

func (r *BlobResource) within(uri, mimeType string) ResourceContents {
	own := *r
	own.URI, own.MIMEType = orAsked(r.URI, r.MIMEType, uri, mimeType)
	return &own
}

// orAsked are a handler's uri and type, or those of what was asked for.
func orAsked(uri, mimeType, askedURI, askedType string) (string, string) {
	if uri == "" {
		uri = askedURI
	}
	if mimeType == "" && uri == askedURI {
		mimeType = askedType
	}
	return uri, mimeType
}

func (r *TextResource) write(w *writer, f *Form) {
	w.needURI("contents", r.URI)
	w.open("", '{')
	w.text("uri", r.URI)
	w.optional("mimeType", r.MIMEType)
	w.text("text", r.Text)
	w.definitionMeta(r.Meta, f)
	w.close('}')
}

func (r *BlobResource) write(w *writer, f *Form) {
	w.needURI("contents", r.URI)
	w.open("", '{')
	w.text("uri", r.URI)
	w.optional("mimeType", r.MIMEType)
	w.base64("blob", r.Blob)
	w.definitionMeta(r.Meta, f)
	w.close('}')
}

func (r *Resource) writeMembers(w *writer, f *Form) {
	w.text("uri", r.URI)
	writeDescription(w, f, r.Name, r.Title, r.Description, r.MIMEType)
	r.Annotations.write(w, f)
	if r.Size != nil {
		if *r.Size < 0 {
			w.fail("the size of a resource is less than 0")
		}
		w.integer("size", *r.Size)
	}
	w.icons(r.Icons, f)
	w.definitionMeta(r.Meta, f)
}

// writeDescription writes what resources and templates have in common.
func writeDescription(w *writer, f *Form, name, title, description, mimeType string) {
	w.text("name", name)
	if f.Title {
		w.optional("title", title)
	}
	w.optional("description", description)
	w.optional("mimeType", mimeType)
}

// resource is a registered resource.
type resource struct {
	entry
	Resource
	handler ResourceHandler
}

func (r *resource) filter() func(*Principal) bool { return r.Visible }

func (r *resource) write(w *writer, f *Form) {
	w.open("", '{')
	r.writeMembers(w, f)
	w.close('}')
}

// resourceTemplate is a registered template.
type resourceTemplate struct {
	entry
	ResourceTemplate
	handler ResourceHandler

	// match tells the values in a uri. It is a value, not a method, so that a program
	// which has no templates does not have the code of matching them.
	match     func(uri string) (uritemplate.Values, bool)
	variables []string // of the template
}

func (t *resourceTemplate) filter() func(*Principal) bool { return t.Visible }

func (t *resourceTemplate) completes() bool { return len(t.Complete) > 0 }

func (t *resourceTemplate) write(w *writer, f *Form) {
	w.open("", '{')
	w.text("uriTemplate", t.URITemplate)
	writeDescription(w, f, t.Name, t.Title, t.Description, t.MIMEType)
	t.Annotations.write(w, f)
	w.icons(t.Icons, f)
	w.definitionMeta(t.Meta, f)
	w.close('}')
}

// AddResource registers a resource, after all those registered before. Like
// [Server.AddTool] it panics on a definition that cannot be.
func (s *Server) AddResource(r Resource, h ResourceHandler) {
	added := &resource{Resource: r, handler: h}
	err := checkEncodes(added)
	switch {
	case checkURI(r.URI) != nil:
		err = checkURI(r.URI)
	case r.Name == "":
		err = errors.New("a resource must have a name")
	case h == nil:
		err = errors.New("no handler")
	}
	if err != nil {
		panic(fmt.Sprintf("mcp: resource %q: %v", r.URI, err))
	}
	if !s.addResource(added) {
		panic(fmt.Sprintf("mcp: resource %q is registered already", r.URI))
	}
}

// AddResourceTemplate registers a template, after all those registered before. A
// uri that is no registered resource is read through the first template that
// matches it. Like [Server.AddTool] it panics on a definition that cannot be.
func (s *Server) AddResourceTemplate(t ResourceTemplate, h ResourceHandler) {
	pattern, err := parseURITemplate(t.URITemplate)
	added := &resourceTemplate{ResourceTemplate: t, handler: h}
	if err == nil {
		added.match, added.variables = pattern.Match, pattern.Variables()
	}
	switch {
	case err != nil:
	case !hasScheme(t.URITemplate):
		err = errors.New(`the template must begin with a scheme, as in "notes://{id}"`)
	case t.Name == "":
		err = errors.New("a template must have a name")
	case h == nil:
		err = errors.New("no handler")
	default:
		err = errors.Join(checkEncodes(added), added.checkCompleters())
	}
	if err != nil {
		panic(fmt.Sprintf("mcp: resource template %q: %v", t.URITemplate, err))
	}
	if !s.add(templateKind, t.URITemplate, added, s.answerTemplates) {
		panic(fmt.Sprintf("mcp: resource template %q is registered already", t.URITemplate))
	}
}

// HandleUnknownResource reads the uris that neither a resource nor a template answers to.
// Without it they are answered as not found, in the code of the client's revision. What
// is no uri at all reaches it, too, so that it can choose the error; contents are not sent
// for that. It panics when there is such a handler already.
func (s *Server) HandleUnknownResource(h ResourceHandler) {
	if h == nil {
		panic("mcp: HandleUnknownResource: no handler")
	}
	s.change(func(reg *registry) {
		if reg.unknown != nil {
			panic("mcp: HandleUnknownResource: there is a handler already")
		}
		reg.unknown = h
		s.answerResources(&reg.rows)
	})
}

// addResource reports false when the uri is taken.
func (s *Server) addResource(r *resource) bool {
	return s.add(resourceKind, r.URI, r, s.answerResources)
}

// answerResources puts what answers for resources into the table.
func (s *Server) answerResources(r *rows) {
	r.listResources, r.listTemplates, r.readResource = s.listResources, s.listTemplates, s.readResource
	r.subscribe, r.unsubscribe, r.knows = s.subscribe, s.unsubscribe, (*Call).knows
}

func (s *Server) answerTemplates(r *rows) {
	s.answerResources(r)
	r.complete = s.complete
}
