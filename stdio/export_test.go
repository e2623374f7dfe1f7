package stdio

import (
	"io"
	"os"
	"time"

	"isthmus.internal/jsonrpc"
)

// NewLines opens the framing to the tests.
func NewLines(r io.Reader, max int, interrupt func() error) jsonrpc.Source {
	return newLines(r, max, interrupt)
}

// BufferSize returns the bytes that the source's buffer holds.
func BufferSize(s jsonrpc.Source) int { return len(s.(*lines).buf) }

const (
	ReadSize  = readSize
	KeepSize  = keepSize
	CalmLines = calmLines
)

// Effective says what options amount to.
type Effective struct {
	MaxMessage, MaxInFlight int
	MaxListens              int
	Drain                   time.Duration
	MaxConnections          int
	StdIn, StdOut           bool
}

// ClientDefaults returns the longest message and the grace that o amounts to.
func ClientDefaults(o *ClientOptions) (int, time.Duration) { return o.maxMessage(), o.grace() }

// Defaults returns what o amounts to.
func Defaults(o *Options) Effective {
	return Effective{o.maxMessage(), o.maxInFlight(), o.maxListens(), o.drain(), o.maxConnections(), o.in() == os.Stdin, o.out() == os.Stdout}
}
