package guide

import (
	"os"
	"time"

	"isthmus.internal/mcp"
)

// NewFiles makes a server that serves the files of a folder. Call update when they have
// changed.
func NewFiles(folder string) (s *mcp.Server, update func() error, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, nil, err
	}
	s = mcp.NewServer("handbook", "1.0.0", nil)
	files := s.AddFiles("handbook:///", root, &mcp.FilesOptions{
		Name:  "handbook",
		Cache: &mcp.CacheHint{TTL: time.Minute},
	})
	return s, files.List, files.List()
}
