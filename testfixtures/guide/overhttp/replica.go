package overhttp

import (
	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
)

// NewReplica makes one of several replicas of a server. register adds the tools, the same in
// each; secret is the same, too: 32 random bytes, from a secret store.
func NewReplica(secret []byte, register func(*mcp.Server)) (*httpmcp.Endpoint, error) {
	keys, err := seal.NewKeys(secret)
	if err != nil {
		return nil, err
	}
	s := mcp.NewServer("replica", "1.0.0", &mcp.ServerOptions{Keys: keys}) // modern questions, cursors
	register(s)
	return httpmcp.Handler(s, &httpmcp.Options{SessionKeys: keys}), nil // legacy sessions
}
