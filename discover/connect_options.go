package discover

import (
	"time"

	"isthmus.internal/mcp"
)

// ConnectOptions say how a client connects. A nil pointer, and every zero field, means the
// default that the field's comment gives.
type ConnectOptions struct {
	// Client is what the client says of itself and what it can be asked for. Default: as
	// [mcp.ClientOptions] has it.
	Client *mcp.ClientOptions

	// Era is the era to speak, where it shall not be found out: [mcp.Legacy] or
	// [mcp.Modern]. In the modern one the server is still asked, so that one of the other
	// era is told apart for sure (2026-07-28 basic/transports/stdio, Backward
	// Compatibility). Default: [mcp.Both], whichever the server speaks.
	Era mcp.Eras

	// Version is the revision to speak, and with it the era. Default: the newest one that
	// both sides speak.
	Version string

	// ProbeTime is how long the server may take to answer server/discover before it counts
	// as one that does not know it. Default: 5 seconds, or 30 where it must be of the modern
	// era, since there is nothing else to try.
	ProbeTime time.Duration

	// HandshakeTime is how long the server may take to answer initialize. Default: 60
	// seconds; less than 0 means that only the context bounds it.
	HandshakeTime time.Duration

	// Known is what was found of this server before. A modern server is then not asked
	// anything until the first request, and a legacy one not probed. Of a legacy one the era
	// and the evidence count and the version does not: the handshake agrees on one anew, and
	// the verdict that Connect returns has that. Where the era proves wrong
	// it is found anew, once. Default: nothing is known.
	Known *Verdict

	// Renewed is told what holds in place of Known when its era has proved wrong after Connect
	// has returned. Default: nobody is told.
	Renewed func(*Verdict)
}

// probeTime is for a server that may be of these eras.
func (o *ConnectOptions) probeTime(eras mcp.Eras) time.Duration {
	switch {
	case o.ProbeTime > 0:
		return o.ProbeTime
	case eras == mcp.Modern:
		return 30 * time.Second
	}
	return 5 * time.Second
}

func (o *ConnectOptions) handshakeTime() time.Duration {
	if o.HandshakeTime == 0 {
		return 60 * time.Second
	}
	return max(0, o.HandshakeTime)
}
