package notes

import (
	"context"
	"log/slog"
	"slices"
	"strconv"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Name and version, as the server tells them in both eras.
const (
	name    = "notes-server"
	version = "1.0.0"
)

const allURI = "notes://all"

const mimeType = "application/json"

// server holds what the handlers need. Nothing of it changes once it is made.
type server struct {
	notes []Note
	byID  map[string]string // decimal id to the note as JSON
	all   string            // all notes as a JSON array
}

// NewServer returns the server notes-server 1.0.0 over these notes, whose ids
// must be distinct (as those of [Load] are). It offers:
//
//   - the tool notes_query with the optional string tag: one block of text, the
//     JSON array of the notes with exactly this tag, or of all notes;
//   - the resource notes://all, named all-notes: all notes as JSON;
//   - the template notes://{id}: one note as JSON.
//
// A tag of another type, and in both eras an unknown resource, are the protocol
// error -32602: the clients that use the fixture expect that.
//
// A nil logger is the default of [mcp.ServerOptions].
func NewServer(logger *slog.Logger, notes []Note) *mcp.Server {
	d := &server{
		notes: slices.Clone(notes),
		byID:  make(map[string]string, len(notes)),
		all:   string(appendNotes(nil, notes, func(Note) bool { return true })),
	}
	for _, n := range notes {
		d.byID[strconv.FormatInt(n.ID, 10)] = string(appendNote(nil, n))
	}
	s := mcp.NewServer(name, version, &mcp.ServerOptions{Logger: logger, Static: true})
	s.HandleUnknownResource(unknown)
	s.AddTool(mcp.Tool{
		Name:        "notes_query",
		Description: "Finds notes, by tag if one is given.",
		InputSchema: jsonrpc.Raw(`{"type":"object","properties":{"tag":{"type":"string","description":"Only notes with exactly this tag."}}}`),
	}, d.query)
	s.AddResource(mcp.Resource{
		URI:         allURI,
		Name:        "all-notes",
		Description: "All notes.",
		MIMEType:    mimeType,
	}, d.readAll)
	s.AddResourceTemplate(mcp.ResourceTemplate{
		URITemplate: "notes://{id}",
		Name:        "note",
		Description: "One note, by its id.",
		MIMEType:    mimeType,
	}, d.readOne)
	return s
}

func (d *server) query(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
	tag := c.Argument("tag")
	if tag == nil {
		return mcp.TextResult(d.all), nil
	}
	text, ok := tag.Text()
	if !ok {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "arguments.tag must be a string")
	}
	hits := appendNotes(nil, d.notes, func(n Note) bool { return n.Tag == text })
	return mcp.TextResult(string(hits)), nil
}

func (d *server) readAll(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
	return []mcp.ResourceContents{&mcp.TextResource{URI: allURI, MIMEType: mimeType, Text: d.all}}, nil
}

func (d *server) readOne(ctx context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
	note, ok := d.byID[c.Variable("id")]
	if !ok {
		return unknown(ctx, c)
	}
	return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI(), MIMEType: mimeType, Text: note}}, nil
}

// unknown answers for every uri that leads nowhere. The legacy era has a code of
// its own for that, which this fixture does not use on purpose: see NewServer.
func unknown(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
	return nil, c.NotFound(jsonrpc.InvalidParams)
}
