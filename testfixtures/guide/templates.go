package guide

import (
	"context"
	"fmt"

	"isthmus.internal/mcp"
)

// NewTemplates makes a server with a family of resources.
func NewTemplates() *mcp.Server {
	issues := map[string]string{"1": "The door squeaks.", "2": "The lamp is broken."}
	s := mcp.NewServer("tracker", "1.0.0", nil)
	s.AddResourceTemplate(mcp.ResourceTemplate{
		URITemplate: "tracker://issues/{id}{?lang}",
		Name:        "issue",
		Description: "One issue, in the language lang.",
		MIMEType:    "text/plain",
		Complete:    map[string]mcp.Completer{"id": mcp.CompleteFrom("1", "2")},
	}, func(ctx context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
		text, ok := issues[c.Variable("id")]
		if !ok {
			return nil, mcp.ErrResourceNotFound
		}
		if lang := c.Variable("lang"); lang != "" {
			text = fmt.Sprintf("%s (not translated to %q)", text, lang)
		}
		return []mcp.ResourceContents{&mcp.TextResource{Text: text}}, nil
	})
	return s
}
