package mcp

import (
	"context"

	"isthmus.internal/jsonrpc"
)

// subscribe answers resources/subscribe (2025-11-25 server/resources, Subscriptions).
// A resource that does not exist, as far as this client may know, is answered as when
// it is read.
func (s *Server) subscribe(_ context.Context, c *Call) (Reply, error) {
	uri, err := c.subscribedURI()
	if err != nil {
		return Reply{}, err
	}
	if !c.knows(uri) {
		c.read = &reading{uri: uri}
		return Reply{}, c.NotFound(c.asked.Form.ResourceNotFound)
	}
	if most := s.opts.maxSubscriptions(); !c.asked.Changes.Subscribe(uri, most) {
		return Reply{}, jsonrpc.Errorf(jsonrpc.InternalError, "Too many subscriptions: at most %d, unsubscribe from one first", most)
	}
	return Reply{body: members(nil)}, nil
}

// unsubscribe answers resources/unsubscribe. That there is no such subscription is what
// the client wants, so it is no error.
func (s *Server) unsubscribe(_ context.Context, c *Call) (Reply, error) {
	uri, err := c.subscribedURI()
	if err != nil {
		return Reply{}, err
	}
	c.asked.Changes.Unsubscribe(uri)
	return Reply{body: members(nil)}, nil
}

// subscribedURI is params.uri of the two. Where nothing could be told of changes there
// are no such methods.
func (c *Call) subscribedURI() (string, error) {
	if c.asked.Stateless {
		return "", jsonrpc.Errorf(jsonrpc.MethodNotFound, "Method not found: %s: the server keeps no state of this session between requests, so there are no subscriptions", c.Method())
	}
	if c.asked.Changes == nil {
		return "", MethodNotFound(c.asked.Message)
	}
	return c.paramText("uri")
}

// knows reports whether something answers to the uri, as far as this client may know.
// What is no uri, or longer than any that is worth keeping, is not known.
func (c *Call) knows(uri string) bool {
	if len(uri) > longestURI || checkURI(uri) != nil {
		return false
	}
	look := &Call{server: c.server, reg: c.reg, asked: c.asked, read: &reading{uri: uri}}
	handler, _ := c.server.findResource(look)
	return handler != nil
}

// offersSubscriptions reports whether changes of single resources are told of.
func (s *Server) offersSubscriptions(reg *registry) bool {
	return s.notifies() && s.offersResources(reg) && (s.front == nil || s.front.subscribes)
}

// offersListening reports whether subscriptions/listen exists.
func (s *Server) offersListening(*registry) bool { return s.notifies() }
