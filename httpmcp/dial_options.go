package httpmcp

import "net/http"

// DialOptions are how a client reaches its server over HTTP, and its bounds. A nil pointer,
// and every field that is zero or less, mean the default that the field's comment gives.
// They must not be changed once in use.
type DialOptions struct {
	// Client sends the requests. It is copied: its Timeout is not used, since a stream may
	// stay open for hours and each call has its own bounds; its CheckRedirect is asked after
	// the rule that redirects lead nowhere but to the same origin. Default: one with
	// connections of its own, which end with the last link.
	Client *http.Client

	// Header goes with every request, such as Authorization. What the transport itself has
	// to say wins over it. It is sent to the origin of the URL and to no other. "Host"
	// names another host than that of the URL. What changes with time, such as a token that is
	// renewed, is for the Transport of Client to set. Default: none.
	Header http.Header

	// MaxBody bounds the body of a response that is not a stream, in bytes. Default: 16 MiB.
	MaxBody int64

	// MaxEvent bounds one event of a stream, in bytes. Default: 16 MiB.
	MaxEvent int64

	// MaxStream bounds the stream that answers one call, in bytes, all events together.
	// What stays open by nature has no such bound. Default: 256 MiB.
	MaxStream int64

	// MessageURL says where messages are sent to a server of 2024-11-05, given what its
	// endpoint event says: for a server behind a gateway that changes paths or hosts. What it
	// returns is taken relative to the URL of the server's stream, and must be of the same
	// origin. Default: what the server says.
	MessageURL func(endpoint string) string

	// Tap is shown each request and response as it goes over the wire, dir being "out"
	// or "in": first the head, as HTTP/1.1 has it, with nil for the body, then the bytes
	// of the body as they come, with nil for the head. Compression is undone already.
	// Secrets in headers are shown, too. It is called from several goroutines at once, must
	// not keep or change the bytes, and the request waits for it. Default: none.
	Tap func(dir string, head, body []byte)
}

func (o *DialOptions) header() http.Header {
	if o == nil {
		return nil
	}
	return o.Header
}

func (o *DialOptions) maxBody() int64 {
	if o == nil || o.MaxBody <= 0 {
		return 16 << 20
	}
	return o.MaxBody
}

func (o *DialOptions) maxEvent() int64 {
	if o == nil || o.MaxEvent <= 0 {
		return 16 << 20
	}
	return o.MaxEvent
}

func (o *DialOptions) maxStream() int64 {
	if o == nil || o.MaxStream <= 0 {
		return 256 << 20
	}
	return o.MaxStream
}

func (o *DialOptions) messageURL(endpoint string) string {
	if o == nil || o.MessageURL == nil {
		return endpoint
	}
	return o.MessageURL(endpoint)
}
