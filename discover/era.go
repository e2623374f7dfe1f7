package discover

import (
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// Era is how a message speaks.
type Era uint8

const (
	// Neither: the message opens no era, and there is no session that it could be in.
	Neither Era = iota
	// LegacyEra: the message belongs to a session that initialize opens.
	LegacyEra
	// ModernEra: the message says itself which revision it is in.
	ModernEra
)

// String is the era as the debug log names it.
func (e Era) String() string {
	return [...]string{"none", "legacy", "modern"}[e]
}

// EraOf decides which era a message belongs to. It is the only place that does.
//
// opened says whether the message came in a legacy session. version is what the transport
// says of the message's revision beside its text, as the header MCP-Protocol-Version does
// over HTTP, and "" where it says nothing: a request that names a revision there which is
// no legacy one means to be modern, and is answered what it lacks (2026-07-28
// basic/index, Per-request protocol fields).
func EraOf(m *jsonrpc.Message, opened bool, version string) Era {
	switch {
	case m.Inner("_meta", mcp.MetaProtocolVersion) != nil:
		return ModernEra
	case opened, m.Kind == jsonrpc.Request && string(m.Method) == "initialize":
		return LegacyEra
	case legacy.Serves(version):
		return Neither
	case version != "", m.Kind == jsonrpc.Notification:
		// Requests alone must carry the version in _meta (same page), and nobody else
		// has anything to say before initialize.
		return ModernEra
	}
	return Neither
}

// NeitherEra is what the sender of a request that opens no era is told: both ways in.
func NeitherEra() *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.InvalidParams,
		`This request opens neither era: send "initialize" first (%s), or put "%s" (%s) into params._meta`,
		strings.Join(legacy.Versions(), ", "), mcp.MetaProtocolVersion, strings.Join(Versions(), ", "))
}
