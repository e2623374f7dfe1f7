package mcp

import (
	"context"
	"errors"
	"fmt"

	"isthmus.internal/jsonrpc"
)

// listResources answers resources/list (2026-07-28 server/resources, Listing
// Resources).
func (s *Server) listResources(_ context.Context, c *Call) (Reply, error) {
	return list(c, resourceKind, s.opts.listCache(s.opts.ResourcesCache))
}

// listTemplates answers resources/templates/list (2026-07-28 server/resources,
// Resource Templates).
func (s *Server) listTemplates(_ context.Context, c *Call) (Reply, error) {
	return list(c, templateKind, s.opts.listCache(s.opts.TemplatesCache))
}

// readResource answers resources/read (2026-07-28 server/resources, Reading
// Resources).
func (s *Server) readResource(ctx context.Context, c *Call) (Reply, error) {
	uri, err := c.paramText("uri")
	if err != nil {
		return Reply{}, err
	}
	c.read = &reading{uri: uri}
	handler, hint := s.findResource(c)
	if handler == nil {
		return Reply{}, c.NotFound(c.asked.Form.ResourceNotFound)
	}
	contents, err := handler(ctx, c)
	switch {
	case errors.Is(err, ErrResourceNotFound), err == nil && checkURI(uri) != nil:
		// What is no uri names nothing (2026-07-28 server/resources, Security
		// Considerations).
		return Reply{}, c.NotFound(c.asked.Form.ResourceNotFound)
	case err != nil:
		return Reply{}, fmt.Errorf("mcp: resource %q: %w", uri, err)
	case len(contents) == 0:
		// An empty array would not tell whether the resource exists
		// (2026-07-28 server/resources, Error Handling).
		return Reply{}, fmt.Errorf("mcp: resource %q: the handler returned no contents", uri)
	}
	return Reply{body: &resourceResult{contents, uri, c.read.mimeType}, cache: &hint}, nil
}

// findResource returns what reads the uri, nil when nothing does, and the hint on what it
// reads: the resource of that very uri, the first template that matches, or the
// fallback. Who may not see the resource or template that a uri belongs to, however it
// is spelt, finds nothing, and no other one in its place.
func (s *Server) findResource(c *Call) (ResourceHandler, CacheHint) {
	if r, ok := c.reg.shelves[resourceKind].named[c.read.uri].(*resource); ok {
		if !c.visible(r) {
			return nil, CacheHint{}
		}
		c.name, c.read.mimeType = r.Name, r.MIMEType
		return r.handler, s.opts.readCache(r.Cache, r.filter())
	}
	if c.hiddenOtherwise(c.read.uri) {
		return nil, CacheHint{}
	}
	if t, variables := c.template(c.read.uri); t != nil {
		if !c.visible(t) {
			return nil, CacheHint{}
		}
		c.name, c.read.mimeType, c.read.variables = t.Name, t.MIMEType, variables
		return t.handler, s.opts.readCache(t.Cache, t.filter())
	}
	return c.reg.unknown, s.opts.cache()
}

// NotFound is the error that tells that [Call.URI] names nothing, with the uri as
// data unless it is longer than 4096 bytes. A handler that has no reason to
// choose the code returns [ErrResourceNotFound].
func (c *Call) NotFound(code jsonrpc.Code) *jsonrpc.Error {
	uri := c.URI()
	e := jsonrpc.Errorf(code, "Unknown resource: %s", jsonrpc.Clip([]byte(uri)))
	if len(uri) <= longestURI {
		e.Data = append(jsonrpc.AppendString([]byte(`{"uri":`), uri), '}')
	}
	return e
}

const longestURI = 4096

// resourceResult is what a handler has read at a uri, of this type unless it says another.
type resourceResult struct {
	contents      []ResourceContents
	uri, mimeType string
}

func (r *resourceResult) write(w *writer, f *Form) {
	w.open("contents", '[')
	for i, c := range r.contents {
		if c == nil {
			w.fail(fmt.Sprintf("contents %d of a resource are nil", i))
			return
		}
		c.within(r.uri, r.mimeType).write(w, f)
	}
	w.close(']')
}
