package mcp

// Principal is who makes a request, as far as the transport has proved it: it comes
// from an access token or from the owner of a socket, and never from what a client says
// of itself.
type Principal struct {
	// ID names the principal to this server, the same in every request, and differs
	// from that of every other one. What the server seals for one principal it refuses
	// from another.
	ID string
	// Scopes are what the principal has been granted; may be empty.
	Scopes []string
}

// id is "" for an anonymous principal.
func (p *Principal) id() string {
	if p == nil {
		return ""
	}
	return p.ID
}
