package httpmcp

import (
	"context"
	"errors"
	"sync"

	"isthmus.internal/jsonrpc"
)

// modernPeer is the client of one modern request, as its handler sees it. The exchange is
// used again once the request is answered, and a goroutine that the handler has left
// behind may still speak then: it is not heard.
type modernPeer struct {
	mu     sync.Mutex // held while a notification is logged and leaves: in order, and before the answer
	x      *exchange  // nil once the request is answered
	events *eventWriter
}

var _ jsonrpc.Peer = (*modernPeer)(nil)

// Notify implements [jsonrpc.Peer]: the answer becomes a stream, with the notification in
// it. A client that takes no stream is told nothing (2026-07-28
// basic/transports/streamable-http, Receiving Messages).
func (p *modernPeer) Notify(method string, params []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := p.x
	if x == nil || !x.accepts.events {
		return nil
	}
	if p.events == nil {
		events := newEventWriter(x.w, x.endpoint.opts)
		if events.begin() != nil {
			x.accepts.events = false // there is no way to send a part of an answer
			return nil
		}
		p.events = events
	}
	message := jsonrpc.AppendMessage(nil, jsonrpc.ID{}, method, params)
	x.trace("out", message)
	err := p.events.event("", message)
	if err != nil {
		x.ctx.Cancel(context.Canceled) // as if the client had closed the stream
	}
	return err
}

var errNoCalls = errors.New("httpmcp: a modern client is sent no requests")

// Call implements [jsonrpc.Peer]. A modern client is asked in results (2026-07-28
// basic/patterns/mrtr).
func (p *modernPeer) Call(context.Context, string, []byte) (jsonrpc.Raw, error) {
	return nil, errNoCalls
}

// Cancel implements [jsonrpc.Peer]. Over HTTP a request is cancelled by closing its stream,
// and an id means something within its own POST alone (2026-07-28
// basic/patterns/cancellation).
func (p *modernPeer) Cancel(jsonrpc.ID) {}

// Ending implements [jsonrpc.Peer].
func (p *modernPeer) Ending() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.x == nil {
		return nil
	}
	return p.x.endpoint.load.ending
}

// close ends what can be told about the request, and returns the stream if there is one.
func (p *modernPeer) close() *eventWriter {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.x = nil
	return p.events
}
