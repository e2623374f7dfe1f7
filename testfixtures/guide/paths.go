package guide

import (
	"context"
	"fmt"
	"io"
	"os"

	"isthmus.internal/mcp"
)

// NewPaths makes a server whose tool opens files by names that a model gives.
func NewPaths(root *os.Root) *mcp.Server {
	type file struct {
		Path string `json:"path" mcp:"path below the project's folder, such as docs/plan.md"`
	}
	s := mcp.NewServer("project", "1.0.0", nil)
	mcp.AddTool(s, mcp.Tool{Name: "read_file", Description: "Reads a text file of the project."},
		func(ctx context.Context, c *mcp.Call, in file) (string, error) {
			info, err := root.Stat(in.Path) // never os.Stat(filepath.Join(dir, in.Path))
			if err != nil || !info.Mode().IsRegular() {
				return "", fmt.Errorf("there is no file %q in the project", in.Path)
			}
			f, err := root.Open(in.Path)
			if err != nil {
				return "", fmt.Errorf("there is no file %q in the project", in.Path)
			}
			defer f.Close()
			const most = 1 << 20
			text, err := io.ReadAll(io.LimitReader(f, most+1))
			if err != nil || len(text) > most {
				return "", fmt.Errorf("%q cannot be read, or has more than %d bytes", in.Path, most)
			}
			return string(text), nil
		})
	return s
}
