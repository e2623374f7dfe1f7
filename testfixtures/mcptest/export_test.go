package mcptest

import (
	"testing"

	"isthmus.internal/mcp"
)

// RunCheck runs one of them.
func RunCheck(t testing.TB, name, revision string, newServer func(testing.TB) *mcp.Server, o *Conforming) {
	for _, c := range checks {
		if c.name == name {
			c.on(t, revision, Memory(), newServer, o)
		}
	}
}

// GiveUp has the client believe that it has cancelled a request.
func (p *Pending) GiveUp() { p.c.giveUp(p.id, "it was cancelled") }
