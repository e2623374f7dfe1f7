package bridge

import (
	"strings"
	"sync"

	"isthmus.internal/mcp"
)

// marks are the arguments of tools that clients repeat in headers, as the lists that have
// passed tell.
type marks struct {
	mu    sync.Mutex
	named map[string][]mcp.HeaderParam
	bytes int // of the names, about
}

// The bounds of the tools that are known, and of their names and those of the headers in bytes.
// Beyond them what was known is forgotten. Of tools that are not known no headers are asked for.
const (
	mostMarks      = 16384
	mostMarksBytes = 16 << 20
)

func (m *marks) of(tool string) []mcp.HeaderParam {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.named[tool]
}

func (m *marks) learn(tools []mcp.Tool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range tools {
		name := tools[i].Name
		found, err := tools[i].HeaderParams()
		if before, known := m.named[name]; known {
			m.bytes -= sizeOf(name, before)
			delete(m.named, name)
		}
		size := sizeOf(name, found)
		if err != nil || len(found) == 0 || size > mostMarksBytes {
			continue
		}
		if m.named == nil || len(m.named) >= mostMarks || m.bytes+size > mostMarksBytes {
			m.named, m.bytes = make(map[string][]mcp.HeaderParam), 0
		}
		m.named[strings.Clone(name)] = found
		m.bytes += size
	}
}

// sizeOf is about what the marks of a tool take.
func sizeOf(name string, marks []mcp.HeaderParam) int {
	size := len(name)
	for _, h := range marks {
		size += 64 + len(h.Name)
		for _, step := range h.Path {
			size += 16 + len(step)
		}
	}
	return size
}
