package everything

import (
	"context"
	"maps"
	"slices"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// The uris that other files name.
const (
	staticURI  = "test://static-text"
	watchedURI = "test://watched-resource"
	readmeURI  = "file://docs/readme"
)

// docs are the documents of file://docs/{name}, but for readme, which changes.
var docs = map[string]string{
	"changes": "1.0.0: the first version.",
	"guide":   "Call a tool, read a resource, get a prompt.",
	"license": "Do as you like.",
}

// addResources adds the resources and templates. The first of the list is one that
// always reads well: outside suites read the first.
func (s *server) addResources() {
	s.addText(mcp.Resource{URI: staticURI, Name: "static-text", Title: "Static text", Description: "A text that never changes.",
		Cache: &mcp.CacheHint{TTL: time.Minute, Public: true}},
		func() string { return "This is the content of the static text resource." })
	s.AddResource(mcp.Resource{URI: "test://static-binary", Name: "static-binary", Title: "Static picture",
		Description: "One red pixel.", MIMEType: "image/png"},
		func(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{&mcp.BlobResource{URI: c.URI(), MIMEType: "image/png", Blob: redPixel()}}, nil
		})
	s.addText(mcp.Resource{URI: watchedURI, Name: "watched-resource", Title: "Watched text",
		Description: "How often the tool touch was called."}, s.touched.text)
	s.addText(mcp.Resource{URI: readmeURI, Name: "readme", Title: "Read me",
		Description: "What this is. The tool touch updates it."}, s.readme)

	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template-data",
		Description: "A record of this id.", MIMEType: "application/json",
		Complete: map[string]mcp.Completer{"id": mcp.CompleteFrom("1", "12", "123", "2")}}, s.record)
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "file://docs/{name}", Name: "docs",
		Description: "A document of this name.", MIMEType: "text/plain",
		Complete: map[string]mcp.Completer{"name": mcp.CompleteFrom(append(slices.Sorted(maps.Keys(docs)), "readme")...)}}, s.document)
}

// addText adds a resource that is text.
func (s *server) addText(r mcp.Resource, read func() string) {
	r.MIMEType = "text/plain"
	s.AddResource(r, func(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI(), MIMEType: r.MIMEType, Text: read()}}, nil
	})
}

func (s *server) readme() string {
	return "This server does everything, for clients that want to try it.\n" + s.touched.text()
}

// record reads test://template/{id}/data.
func (s *server) record(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
	text := jsonrpc.AppendString([]byte(`{"id":`), c.Variable("id"))
	text = append(text, `,"templateTest":true,"data":"The record of this id."}`...)
	return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI(), MIMEType: "application/json", Text: string(text)}}, nil
}

// document reads file://docs/{name}. The name is looked up, never opened.
func (s *server) document(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
	text, ok := docs[c.Variable("name")]
	if !ok {
		return nil, mcp.ErrResourceNotFound
	}
	return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI(), MIMEType: "text/plain", Text: text}}, nil
}
