package mcp

import "isthmus.internal/jsonrpc"

// Meta is a _meta object: metadata that the protocol leaves to both ends. Each
// value is one JSON value. Names follow 2026-07-28 basic/index, _meta; those
// under io.modelcontextprotocol/ are the protocol's own.
type Meta map[string]jsonrpc.Raw

// The protocol's own names in _meta (2026-07-28 basic/index, Reserved keys).
const (
	MetaProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo         = "io.modelcontextprotocol/clientInfo"
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaLogLevel           = "io.modelcontextprotocol/logLevel"
	MetaServerInfo         = "io.modelcontextprotocol/serverInfo"
	MetaSubscriptionID     = "io.modelcontextprotocol/subscriptionId"
	MetaProgressToken      = "progressToken"
)

// definitionMeta writes the _meta of a definition or a content, where the form
// has it.
func (w *writer) definitionMeta(m Meta, f *Form) {
	if f.Meta {
		w.rawMap("_meta", m)
	}
}
