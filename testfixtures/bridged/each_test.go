package bridged_test

import (
	"testing"

	"isthmus.internal/discover/bridge"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// pair is a client in front of a bridge, and the server behind it.
type pair struct {
	*mcptest.Client
	upstream string
	bridge   *bridge.Bridge
	origin   *origin
}

// eachPair runs body with a client of each revision over each transport, before a bridge that
// speaks each revision to a server that build makes.
func eachPair(t *testing.T, o mcptest.Options, build func() *mcp.Server, body func(t *testing.T, p *pair)) {
	t.Helper()
	for _, upstream := range upstreams {
		t.Run("server "+upstream, func(t *testing.T) {
			var p *pair
			matrix := &mcptest.Matrix{Options: o}
			matrix.Each(t, func(t testing.TB) *mcp.Server {
				p = &pair{upstream: upstream}
				p.bridge, p.origin = bridging(t, build(), bridge.Options{Version: upstream})
				return p.bridge.Server()
			}, func(t *testing.T, c *mcptest.Client) {
				p.Client = c
				body(t, p)
			})
		})
	}
}

// both reports whether both sides have what came with a revision.
func (p *pair) both(since string) bool { return p.upstream >= since && p.Revision() >= since }

// newServer is a server that a test adds to.
func newServer() *mcp.Server {
	return mcp.NewServer("origin", "1.0.0", &mcp.ServerOptions{Logger: quiet(), Logging: true, ProgressInterval: -1, Instructions: "Be kind."})
}

// same fails the test unless got is want.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n got %s\nwant %s", what, got, want)
	}
}
