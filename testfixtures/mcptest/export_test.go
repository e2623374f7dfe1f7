package mcptest

import (
	"net/http"
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

// HTTPWith is HTTP with a server of the test's own.
func HTTPWith(endpoint http.HandlerFunc) Transport {
	return Transport{Name: "http", Lasting: true, dial: func(t testing.TB, s *mcp.Server, o *Options) link {
		if o.Revision < "2025-03-26" {
			return dialSSE(t, s, o, endpoint)
		}
		return dialStreamable(t, s, o, endpoint)
	}}
}

// HeaderText is a text in a header.
func HeaderText(value string) string { return headerText(value) }
