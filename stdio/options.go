package stdio

import (
	"io"
	"os"
	"time"

	"isthmus.internal/mcp"
)

// Options are the bounds of this transport. A nil pointer, and every field that
// is zero or less, mean the default that the field's comment gives.
type Options struct {
	// MaxMessage bounds the bytes of one incoming line. A longer one is answered
	// with an error. A connection keeps at most one such line, and each request
	// in flight may keep its own, so a large bound lets a peer use much memory.
	// Default: 16 MiB. No more than 1 GiB is allowed.
	MaxMessage int

	// MaxInFlight bounds the requests of one connection that are worked on at
	// once. The next one is answered with an error. Default: 1024.
	MaxInFlight int

	// MaxListens bounds the subscriptions/listen requests of one connection that are
	// open at once. The next one is answered with an error. Default: 128.
	MaxListens int

	// Drain bounds the time that requests already read may take to finish once
	// the input has ended. Then their contexts are cancelled, and the process or
	// connection ends with an error. It counts anew while answers wait for a peer
	// that takes them in slowly, up to a dozen times. Default: 5 s.
	Drain time.Duration

	// MaxConnections bounds the connections that [ServeListener] serves at once.
	// The next one is closed as it comes. Default: 256.
	MaxConnections int

	// Principal is who the peer is: the owner of the socket or of the process that
	// started this one, where the program has found that out. Default: nobody in
	// particular.
	Principal *mcp.Principal

	// In and Out are the streams of [Serve]. A Read that waits on In can be
	// ended when In has a SetReadDeadline that works, as pipes and connections
	// of Go do. Neither is closed. Default: standard input and output.
	In  io.Reader
	Out io.Writer
}

const largestMessage = 1 << 30

func (o *Options) maxMessage() int {
	if o == nil || o.MaxMessage <= 0 {
		return 16 << 20
	}
	return min(o.MaxMessage, largestMessage)
}

func (o *Options) maxInFlight() int {
	if o == nil || o.MaxInFlight <= 0 {
		return 1024
	}
	return o.MaxInFlight
}

func (o *Options) maxListens() int {
	if o == nil || o.MaxListens <= 0 {
		return 128
	}
	return o.MaxListens
}

func (o *Options) drain() time.Duration {
	if o == nil || o.Drain <= 0 {
		return 5 * time.Second
	}
	return o.Drain
}

func (o *Options) maxConnections() int {
	if o == nil || o.MaxConnections <= 0 {
		return 256
	}
	return o.MaxConnections
}

func (o *Options) in() io.Reader {
	if o == nil || o.In == nil {
		return os.Stdin
	}
	return o.In
}

func (o *Options) out() io.Writer {
	if o == nil || o.Out == nil {
		return os.Stdout
	}
	return o.Out
}

func (o *Options) principal() *mcp.Principal {
	if o == nil {
		return nil
	}
	return o.Principal
}
