package guide

import (
	"context"

	"isthmus.internal/mcp"
)

// NewResources makes a server with a resource of text and one of bytes.
func NewResources(readme string, logo []byte) *mcp.Server {
	s := mcp.NewServer("project", "1.0.0", nil)
	s.AddResource(mcp.Resource{URI: "project://readme", Name: "readme", Title: "Read me first", MIMEType: "text/markdown"},
		func(ctx context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{&mcp.TextResource{Text: readme}}, nil
		})
	s.AddResource(mcp.Resource{URI: "project://logo", Name: "logo", MIMEType: "image/png", Size: mcp.Ptr(int64(len(logo)))},
		func(ctx context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{&mcp.BlobResource{Blob: logo}}, nil
		})
	return s
}
