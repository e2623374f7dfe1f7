package everything

import (
	"log/slog"
	"sync/atomic"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
)

// Name and version, as the server tells them in both eras.
const (
	name    = "everything-server"
	version = "1.0.0"
)

// Options are what a server may be told. A nil pointer, and every zero field, means the
// default that the field's comment gives.
type Options struct {
	// Logger is that of [mcp.ServerOptions].
	Logger *slog.Logger
	// Keys is that of [mcp.ServerOptions]: servers with the same keys take each other's
	// state.
	Keys mcp.Sealer
	// Page is how many entries a page of a list has. Default: each list is one page.
	Page int
}

// keys are the option, or else random ones where pages need some.
func (o *Options) keys() mcp.Sealer {
	if o.Keys == nil && o.Page > 0 {
		return seal.RandomKeys()
	}
	return o.Keys
}

// server holds what handlers share.
type server struct {
	*mcp.Server
	slow    slowCalls
	touched touches
	drawn   atomic.Int64 // numbers of interview
}

// NewServer returns the server everything-server 1.0.0. See the package for what it
// offers. A nil o means all defaults.
func NewServer(o *Options) *mcp.Server {
	if o == nil {
		o = &Options{}
	}
	s := &server{Server: mcp.NewServer(name, version, &mcp.ServerOptions{
		Logger:       o.Logger,
		Title:        "Everything",
		Instructions: "A server for trying out clients: call what you like, nothing here does harm.",
		Logging:      true,
		Keys:         o.keys(),
		PageSize:     o.Page,
	})}
	// test_simple_text stays the first tool: outside suites call the first one.
	s.addContentTools()
	s.addPlainTools()
	s.addSlowTools()
	s.addLogTools()
	s.addChangeTools()
	s.addAskTools()
	s.addRoundTools()
	s.addResources()
	s.addPrompts()
	return s.Server
}

// noArguments is the schema of a tool that takes none.
var noArguments = jsonrpc.Raw(`{"type":"object","additionalProperties":false}`)
