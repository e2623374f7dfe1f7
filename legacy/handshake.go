package legacy

import (
	"bytes"
	"fmt"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Handshake is what initialize has settled: all of a session that must last where it is to
// be served without anything being kept, by this process or another one.
type Handshake struct {
	// Version is the negotiated revision, "" before initialize.
	Version string
	// ClientInfo and Capabilities are what the client has said of itself, as received. In
	// what [Rejoin] is given they may be nil: nothing is known.
	ClientInfo, Capabilities jsonrpc.Raw
}

// Handshake is what the session's initialize has settled. Its texts must not be changed.
func (s *Session) Handshake() Handshake {
	o := s.opened.Load()
	if o == nil {
		return Handshake{}
	}
	return Handshake{o.form.Revision, o.clientInfo, o.capabilities}
}

// Rejoin makes a session out of a handshake that took place elsewhere. It is as if o.Stateless
// were set, whether it is or not, and o.Outlet is not used: such a session is told of no
// changes, is asked nothing and keeps no level of logging, and says so to a client that wants
// that. It runs nothing beside its requests; there is no need to close it.
//
// The error says that h.Version is no revision that this package serves. That the rest of h is
// what a client can say is for the caller to know.
func Rejoin(s *mcp.Server, o *Options, h Handshake) (*Session, error) {
	if !Serves(h.Version) {
		return nil, fmt.Errorf("legacy: no session can be rejoined in version %q: it is none of %q", jsonrpc.Clip([]byte(h.Version)), Versions())
	}
	session := NewSession(s, &Options{Principal: o.principal(), Stateless: true})
	session.opened.Store(&opened{
		form:         negotiate(h.Version),
		clientInfo:   bytes.Clone(h.ClientInfo),
		capabilities: bytes.Clone(h.Capabilities),
		ready:        make(chan struct{}),
	})
	return session, nil
}
