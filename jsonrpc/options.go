package jsonrpc

import (
	"log/slog"
	"time"
)

// Options are a connection's bounds. A nil pointer, and every zero field, means
// the default that the field's comment gives.
type Options struct {
	// Logger takes what a peer is never told: faults, dropped messages, and at
	// debug level every message. Default: nothing is logged.
	Logger *slog.Logger

	// Inner names the members of params whose own members the scanner records
	// too, for [Message.Inner]: two at the most. Default: none.
	Inner []string

	// MaxDepth bounds the nesting of arrays and objects in a message.
	// Default: [DefaultDepth].
	MaxDepth int

	// MaxInFlight bounds the requests of the peer that are worked on at once.
	// The next one is answered with an error, and so is one of a client's that would make them
	// more than 64 MiB together. Default: 1024.
	MaxInFlight int

	// LongLived reports whether a request for this method stays open by nature, for
	// hours perhaps. It gets a goroutine of its own at once, does not count among
	// MaxInFlight, and ends of its own accord when the connection does: its handler
	// waits for [Peer.Ending]. Default: no request does.
	LongLived func(method []byte) bool

	// MaxLongLived bounds the long-lived requests that are open at once. The next
	// one is answered with an error, and so is one whose text makes them keep more than
	// 16 MiB together. Default: 128.
	MaxLongLived int

	// MaxWaiting bounds, in bytes, the messages that wait behind a write which a
	// slow peer holds up. Beyond it those who have more to say wait, and in the
	// end reading stops: the peer feels it as a full pipe. Default: 4 MiB.
	MaxWaiting int

	// Drain bounds the time that requests already read may take to finish once
	// the input has ended. Then their contexts are cancelled. It counts anew
	// while answers wait for a peer that takes them in slowly, up to a dozen
	// times. Default: 5 s.
	Drain time.Duration

	// InOrder reports whether nothing behind a request for this method may be
	// looked at before the request is answered, because it changes what later
	// messages mean. Such a request cannot be cancelled, and its handler must be
	// quick. Default: no request holds up others.
	InOrder func(method []byte) bool

	// Client makes this the side of a client: it calls, and never answers what it cannot
	// read; when the peer has gone its handlers are told to end at once, and Drain only
	// bounds how long what is still to be written may take. It takes notifications in one
	// after the other, and looks at nothing behind one before its handler has returned or
	// calls the peer: so that must be quick. Default: false.
	Client bool

	// HangUp ends the stream in the name of a client's connection, once all is written or
	// Drain has passed: reads and writes that wait on it return. Default: nothing is done.
	HangUp func()

	// Abandoned makes the notification that tells the peer that the answer to our
	// request with this id is not wanted any more, because the context of the call
	// has ended ([Peer.Call]). params is a JSON object on one line. Default: the peer is
	// told nothing, and an answer that still comes is dropped.
	Abandoned func(id ID) (method string, params []byte)
}

func (o *Options) logger() *slog.Logger {
	if o == nil || o.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Logger
}

func (o *Options) scanner() Scanner {
	if o == nil {
		return Scanner{}
	}
	return Scanner{Depth: o.MaxDepth, Inner: o.Inner}
}

func (o *Options) maxInFlight() int {
	if o == nil || o.MaxInFlight <= 0 {
		return 1024
	}
	return o.MaxInFlight
}

func (o *Options) longLived(method []byte) bool {
	return o != nil && o.LongLived != nil && o.LongLived(method)
}

func (o *Options) maxLongLived() int {
	if o == nil || o.MaxLongLived <= 0 {
		return 128
	}
	return o.MaxLongLived
}

func (o *Options) maxWaiting() int {
	if o == nil || o.MaxWaiting <= 0 {
		return 4 << 20
	}
	return o.MaxWaiting
}

func (o *Options) drain() time.Duration {
	if o == nil || o.Drain <= 0 {
		return 5 * time.Second
	}
	return o.Drain
}

func (o *Options) inOrder(method []byte) bool {
	return o != nil && o.InOrder != nil && o.InOrder(method)
}

func (o *Options) abandoned(id ID) (method string, params []byte) {
	if o == nil || o.Abandoned == nil {
		return "", nil
	}
	return o.Abandoned(id)
}

func (o *Options) client() bool { return o != nil && o.Client }

func (o *Options) hangUp() {
	if o != nil && o.HangUp != nil {
		o.HangUp()
	}
}
