package mcptest

import "isthmus.internal/jsonrpc"

// speaker is how clients of one era speak. There are two, each in the file of its name.
type speaker interface {
	// open does what comes before the first request.
	open(c *Client)
	// params puts what each request carries into given, which is an object or "". token
	// is that of progress, "" for none.
	params(o *Options, given, token string) string
	// settle answers what a response asks for, and what the next one does, until one
	// asks for nothing.
	settle(p *Pending, r *Response) *Response
	// asked takes in a request of the server.
	asked(c *Client, id, line string, a Ask)
	// unasked says why a notification may not come that belongs to no stream, "" when
	// it may.
	unasked(c *Client, n Note) string
	// names reports whether what belongs to a stream carries its id.
	names() bool
	// listen opens a stream, close ends it.
	listen(s *Stream)
	close(s *Stream)
	// grants asks for changes and says what is wrong with what is granted, where a server
	// has declared what it can; "" for nothing.
	grants(k *kit, wants, can Filter) string
	// foreign are methods of the other era.
	foreign() []string
	// pinged says what is wrong with the answer to ping, "" for nothing.
	pinged(r *Response) string
	// badLevel is a request that names a level of the log that does not exist.
	badLevel() (method, params string)
	// noResource is the code for a resource that does not exist.
	noResource() jsonrpc.Code
	// setLevel asks for log messages from a level on.
	setLevel(c *Client, level string)
}

// speakerOf returns that of a revision.
func speakerOf(revision string) speaker {
	if revision >= Modern {
		return modern{}
	}
	return legacy{}
}
