package mcp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"isthmus.internal/jsonrpc"
)

// Meta is a _meta object: metadata that the protocol leaves to both ends. Each
// value is one JSON value. Names follow 2026-07-28 basic/index, _meta; those
// under io.modelcontextprotocol/ are the protocol's own. traceparent, tracestate and
// baggage are to be as W3C has them; what is sent is not checked for that.
type Meta map[string]jsonrpc.Raw

// The protocol's own names in _meta (2026-07-28 basic/index, Reserved keys and
// Per-response protocol fields).
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
	if f.Meta && len(m) > 0 {
		w.open("_meta", '{')
		w.metaMembers(m)
		w.close('}')
	}
}

// metaMembers writes what a user has put into _meta. The server's identity is the
// server's to state.
func (w *writer) metaMembers(m Meta) {
	if len(m) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		switch value := m[name]; {
		case value == nil || name == MetaServerInfo:
		case !IsMetaName(name):
			w.fail(fmt.Sprintf("_meta has the name %q, which is not of the form prefix/name", name))
		default:
			w.member(name, value)
		}
	}
}

// toSend is what a client's user wants to have in _meta, each value on one line.
func (m Meta) toSend() (Meta, error) {
	if len(m) == 0 {
		return nil, nil
	}
	checked := make(Meta, len(m))
	for name, value := range m {
		if value == nil {
			continue
		}
		line, err := jsonrpc.AppendCompact(nil, value)
		switch {
		case !IsMetaName(name):
			return nil, fmt.Errorf("mcp: CallOptions.Meta has the name %q, which is not of the form prefix/name", name)
		case err != nil:
			return nil, fmt.Errorf("mcp: CallOptions.Meta has the name %q with a value that is not JSON: %w", name, err)
		}
		checked[name] = line
	}
	return checked, nil
}

// IsMetaName reports whether a member of _meta may have this name: an optional
// prefix of labels with dots between them and a slash behind, and a name (2026-07-28
// basic/index, _meta, Key name format).
func IsMetaName(key string) bool {
	name := key
	if i := strings.LastIndexByte(key, '/'); i >= 0 {
		name = key[i+1:]
		for label := range strings.SplitSeq(key[:i], ".") {
			if !isLabel(label) {
				return false
			}
		}
	}
	for i, b := range []byte(name) {
		inside := 0 < i && i < len(name)-1
		if !isLetter(b) && !isDigit(b) && !(inside && strings.IndexByte("-_.", b) >= 0) {
			return false
		}
	}
	return key != ""
}

// isLabel reports whether text may stand between the dots of a prefix.
func isLabel(text string) bool {
	for i, b := range []byte(text) {
		switch {
		case isLetter(b):
		case isDigit(b) && i > 0:
		case b == '-' && 0 < i && i < len(text)-1:
		default:
			return false
		}
	}
	return text != ""
}
