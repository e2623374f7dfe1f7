package mcp

// knownTools is what lists have told of tools.
type knownTools struct{}

// headerMismatch is the code of a server for a request whose headers are not those that
// its body asks for (2026-07-28 basic/transports/streamable-http, Server Validation).
const headerMismatch = -32020
