package bridge

import (
	"log/slog"
	"time"

	"isthmus.internal/mcp"
)

// Options say how a bridge connects, and bound what it keeps. A nil pointer, and every zero
// field, means the default that the field's comment gives.
type Options struct {
	// Logger takes what no peer is told. Default: nothing is logged.
	Logger *slog.Logger

	// Era and Version are spoken to the server; see [discover.ConnectOptions]. Default: the
	// newest that the server speaks.
	Era     mcp.Eras
	Version string

	// Single: all that comes is of one client, as over standard input and output, so that one
	// connection to a legacy server is enough. The first request says who that client is; calls
	// of a modern one that can be asked more than that said have another one. Default: there may
	// be several.
	Single bool

	// Connections bounds how many there are to a legacy server for modern clients. Further
	// calls have the oldest one given up whose client is away, as with Parked, and are refused
	// while there is none. Default: 64.
	Connections int

	// Sessions bounds how many legacy sessions have a connection to a legacy server, each its
	// own. The requests of further ones are refused. Default: 1,000.
	Sessions int

	// Parked bounds how many calls of a legacy server stay under way while their modern clients
	// are to come back with answers, and AskTime how long they may take for that. Of too many
	// the oldest is given up. Defaults: 256, and 10 minutes.
	Parked  int
	AskTime time.Duration
}

func (o *Options) logger() *slog.Logger {
	if o == nil || o.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Logger
}

func (o *Options) era() mcp.Eras {
	if o == nil {
		return 0
	}
	return o.Era
}

func (o *Options) version() string {
	if o == nil {
		return ""
	}
	return o.Version
}

func (o *Options) single() bool { return o != nil && o.Single }

func (o *Options) connections() int {
	if o == nil || o.Connections <= 0 {
		return 64
	}
	return o.Connections
}

func (o *Options) sessions() int {
	if o == nil || o.Sessions <= 0 {
		return 1000
	}
	return o.Sessions
}

func (o *Options) parked() int {
	if o == nil || o.Parked <= 0 {
		return 256
	}
	return o.Parked
}

func (o *Options) askTime() time.Duration {
	if o == nil || o.AskTime <= 0 {
		return 10 * time.Minute
	}
	return o.AskTime
}
