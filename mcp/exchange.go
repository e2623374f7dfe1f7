package mcp

import (
	"context"

	"isthmus.internal/jsonrpc"
)

// Exchange is how a [Client] speaks in one era, over a [Link]. Package legacy and package
// discover make them; a client is given one by [Client.Attach]. All methods may be called
// from several goroutines at once.
type Exchange interface {
	// Form is the revision that is spoken.
	Form() *Form

	// Server is what the server has said of itself, in the handshake or the answer to
	// server/discover. It is nil while the client has not asked, which it need not in the
	// modern era. It must not be changed.
	Server() *DiscoverResult

	// Discover asks the server what it is, and keeps the answer for Server. In the legacy
	// era it is what the handshake has told.
	Discover(ctx context.Context) (*DiscoverResult, error)

	// Call sends a request and returns its result when that is complete. What the server
	// asks meanwhile is answered by [Client.Answer], by whichever way the era has for it.
	Call(ctx context.Context, r *ClientRequest) (jsonrpc.Raw, error)

	// Notify sends a notification. params is an object, or nil.
	Notify(ctx context.Context, method string, params jsonrpc.Raw) error

	// Listen asks to be told of changes, and has them told until ctx ends, the server ends
	// it or the connection is gone; it returns as soon as the server has agreed. What comes
	// goes to tell, in order, one at a time.
	Listen(ctx context.Context, wanted *Filter, tell func(Change)) (Listening, error)

	// SetLogLevel asks for log messages from this level on; 0 asks for none. It is in
	// force for all requests that follow.
	SetLogLevel(ctx context.Context, level LogLevel) error

	// Ping asks whether the server is there.
	Ping(ctx context.Context) error

	// Close ends the exchange and its link, as [Link.Close] says.
	Close() error

	// Done and Err are those of the link.
	Done() <-chan struct{}
	Err() error
}

// Listening is a request to be told of changes that the server has agreed to.
type Listening interface {
	// Honoured is what the server tells of: what was wanted, or less.
	Honoured() Filter
	// Done is closed when no more changes come.
	Done() <-chan struct{}
	// Err is nil until Done is closed, and then nil for an end in order, on either side.
	Err() error
	// Close asks for no more changes. Once it has returned, tell is not called any more.
	Close() error
}

// ClientRequest is a request as a [Client] makes it: the same in all revisions.
type ClientRequest struct {
	Method string
	// Params is an object on one line without _meta, or nil.
	Params jsonrpc.Raw
	// Meta is what _meta holds beside what the era itself puts there. It wins over nothing
	// of that.
	Meta Meta
	// Room is where the result may be put, in place of what is there; nil for nowhere. It is
	// the caller's again when Call returns.
	Room *[]byte
	// Progress: the caller wants to be told how far the request is. The exchange gives it a
	// token and has what is told of it come to this function, before Call returns, in order.
	Progress func(ProgressParams)
	// Marks are the called tool's arguments that are repeated in headers.
	Marks []HeaderParam
	// Rounds is how often the server may ask for more input; 0 for not at all.
	Rounds int

	// As says for whom the request is made, where that is not the client itself; nil where it
	// is. The modern era tells the server of it in place of what the client says of itself,
	// and a result that asks for input is returned as it came: it is for that other client.
	// The legacy era has said who asks in its handshake, and takes no notice.
	As *Behalf

	// Retried is set by Call when the result is that of a retry, with answers or with the
	// server's state: nobody may keep such a result (2026-07-28 server/utilities/caching,
	// Cache Key). The legacy era has none.
	Retried bool
}
