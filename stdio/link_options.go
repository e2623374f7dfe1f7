package stdio

import (
	"io"
	"os"
	"time"
)

// ClientOptions are the bounds of a client's side of this transport. A nil pointer, and
// every zero field, mean the default that the field's comment gives.
type ClientOptions struct {
	// MaxMessage bounds the bytes of one incoming line. A longer one is passed over, and
	// whoever waited for what was in it is told so as far as that can be made out.
	// Default: 16 MiB. No more than 1 GiB is allowed.
	MaxMessage int

	// Stderr takes what a [Command] writes to its standard error, as it comes. The last
	// lines are kept as well, for the errors of calls. A write that fails is passed over.
	// Default: the Stderr of the command, or else that of this process.
	Stderr io.Writer

	// Grace is how long a [Command] may take to end of its own accord once its input is
	// closed, and then once more when it has been told to by SIGTERM. Less than 0 means no
	// time at all. Default: 2 seconds.
	Grace time.Duration

	// Started is told of each child that a [Command] has started, before anything is said to
	// it: to measure it, for example. The process must not be waited for. Default: nobody is told.
	Started func(*os.Process)

	// Tap is shown every line as it goes over the wire: "out" to the server, "in"
	// from it. A line ends with its LF, unless the stream has ended in the middle of it;
	// one of more than MaxMessage bytes comes in pieces of that size. Lines out are shown as they
	// are handed to the system, lines in before they are looked at. It is called by one goroutine at
	// a time for each direction, holds that direction up while it runs, and must not keep
	// line. Default: nobody looks.
	Tap func(direction string, line []byte)
}

func (o *ClientOptions) maxMessage() int {
	if o == nil {
		return (*Options)(nil).maxMessage()
	}
	return (&Options{MaxMessage: o.MaxMessage}).maxMessage()
}

func (o *ClientOptions) grace() time.Duration {
	if o == nil || o.Grace == 0 {
		return 2 * time.Second
	}
	return max(0, o.Grace)
}

func (o *ClientOptions) stderr() io.Writer {
	if o == nil {
		return nil
	}
	return o.Stderr
}

func (o *ClientOptions) started(p *os.Process) {
	if o != nil && o.Started != nil {
		o.Started(p)
	}
}

func (o *ClientOptions) tap() func(string, []byte) {
	if o == nil {
		return nil
	}
	return o.Tap
}
