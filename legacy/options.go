package legacy

import "isthmus.internal/mcp"

// Options are what a session knows of its connection. A nil pointer, and every zero
// field, means the default that the field's comment gives.
type Options struct {
	// Principal is who the peer is, as the transport has proved it. Default:
	// nobody in particular.
	Principal *mcp.Principal

	// Outlet carries the messages of the session that belong to no request.
	// Default: there is no way to send them, and they are dropped.
	Outlet Outlet

	// Stateless: nothing is kept of the session but its [Handshake], which makes it anew
	// for each request ([Rejoin]), perhaps in another process. It declares nothing that
	// needs more. Default: the session lasts, in this process.
	Stateless bool
}

// Outlet is a way to the client that lasts as long as the session.
type Outlet interface {
	// Notify sends a notification. params is a JSON object on one line, or nil. It
	// may wait for a slow client; the error says that the client is gone.
	Notify(method string, params []byte) error
}

// Sender is what a transport knows of the one who sent a message, where it proves that anew with
// each one, as HTTP does.
type Sender struct {
	// Principal is who it is; nil for nobody in particular.
	Principal *mcp.Principal
	// Headers are those that came with the message, by canonical name; nil where the
	// transport has none.
	Headers map[string][]string
}

func (o *Options) outlet() Outlet {
	if o == nil {
		return nil
	}
	return o.Outlet
}

func (o *Options) principal() *mcp.Principal {
	if o == nil {
		return nil
	}
	return o.Principal
}

func (o *Options) stateless() bool { return o != nil && o.Stateless }
