package bridge

import (
	"sync"

	"isthmus.internal/mcp"
)

// marks are the arguments of tools that clients repeat in headers, as the lists that have
// passed tell.
type marks struct {
	mu    sync.Mutex
	named map[string][]mcp.HeaderParam
}

// mostMarks bounds the tools that are known. Of others no headers are asked for.
const mostMarks = 16384

func (m *marks) of(tool string) []mcp.HeaderParam {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.named[tool]
}

func (m *marks) learn(tools []mcp.Tool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range tools {
		found, err := tools[i].HeaderParams()
		if err != nil || len(found) == 0 {
			delete(m.named, tools[i].Name)
			continue
		}
		if m.named == nil || len(m.named) >= mostMarks {
			m.named = make(map[string][]mcp.HeaderParam)
		}
		m.named[tools[i].Name] = found
	}
}
