package mcptest

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/mcp"
)

// Matrix says where a test runs, and with what client. The zero value is every revision
// over every transport, with a client that declares all it can.
type Matrix struct {
	// Except names what is left out, each with the reason: a revision, a transport, or
	// both as in "2024-11-05/stdio".
	Except map[string]string
	// Options are those of the clients; Revision and Transport are the matrix's own.
	Options Options
	// Clock runs the test by the clock and outside of a bubble of synctest: for servers
	// that talk to the world outside of the process. Waiting for what never comes takes
	// [Options.Patience] then.
	Clock bool
}

// Each runs body as a subtest in every revision over every transport, each time with a
// fresh server and a client that is connected with it. When body returns the client is
// closed.
func Each(t *testing.T, newServer func(testing.TB) *mcp.Server, body func(t *testing.T, c *Client)) {
	t.Helper()
	(&Matrix{}).Each(t, newServer, body)
}

// Each is [Each] in the places and with the clients that the matrix says.
func (m *Matrix) Each(t *testing.T, newServer func(testing.TB) *mcp.Server, body func(t *testing.T, c *Client)) {
	t.Helper()
	m.checkExcept(t)
	for _, revision := range Revisions() {
		t.Run(revision, func(t *testing.T) {
			for _, transport := range Transports() {
				t.Run(transport.Name, func(t *testing.T) {
					for _, name := range places(revision, transport.Name) {
						if reason, ok := m.Except[name]; ok {
							t.Skip(reason)
						}
					}
					m.run(t, revision, transport, newServer, body)
				})
			}
		})
	}
}

// places are the names of a place in [Matrix.Except].
func places(revision, transport string) []string {
	return []string{revision, transport, revision + "/" + transport}
}

// checkExcept fails the test for what is left out and is no place, or has no reason.
func (m *Matrix) checkExcept(t *testing.T) {
	t.Helper()
	var known []string
	for _, revision := range Revisions() {
		for _, transport := range Transports() {
			known = append(known, places(revision, transport.Name)...)
		}
	}
	for name, reason := range m.Except {
		switch {
		case reason == "":
			t.Errorf("mcptest: %q is left out without a reason", name)
		case !slices.Contains(known, name):
			t.Errorf("mcptest: %q is left out, but is neither a revision nor a transport", name)
		}
	}
}

// run runs body once.
func (m *Matrix) run(t *testing.T, revision string, transport Transport, newServer func(testing.TB) *mcp.Server, body func(t *testing.T, c *Client)) {
	o := m.Options
	o.Revision, o.Transport = revision, transport
	if o.Patience <= 0 && !m.Clock {
		o.Patience = bubblePatience
	}
	once := func(t *testing.T) {
		c := Dial(t, newServer(t), &o)
		body(t, c)
		c.Close()
	}
	if m.Clock {
		once(t)
		return
	}
	synctest.Test(t, once)
}

// Settle waits until all has happened that follows from what was sent: a second passes on
// the clock of the bubble, in which what the server holds back for a while leaves, and
// every goroutine comes to rest. It works in the bubbles of [Each] alone.
func (c *Client) Settle() {
	<-time.After(time.Second)
	synctest.Wait()
}
