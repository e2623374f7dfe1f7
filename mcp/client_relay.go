package mcp

import (
	"bytes"
	"context"

	"isthmus.internal/jsonrpc"
)

// Behalf is another client, for which a [Client] relays a request ([Client.Relay]).
type Behalf struct {
	info         Implementation
	capabilities ClientCapabilities
	level        LogLevel
}

// NewBehalf is a client that says this of itself. level is the least grave level of log
// messages that its request wants; 0 for none.
func NewBehalf(info Implementation, capabilities ClientCapabilities, level LogLevel) *Behalf {
	return &Behalf{info, capabilities, level}
}

// Info is what that client says of itself.
func (b *Behalf) Info() Implementation { return b.info }

// Capabilities is what it can be asked for.
func (b *Behalf) Capabilities() ClientCapabilities { return b.capabilities }

// LogLevel is the least grave level that it wants; 0 for no messages.
func (b *Behalf) LogLevel() LogLevel { return b.level }

// Relay sends a request for another client, and returns the result as it came: for programs
// that stand between clients and a server. In the modern era it says who asks, a result
// that asks for input is returned like any other ([ResultTypeOf]), and params may have the
// members of a retry; in the legacy era as says nothing, since the handshake has. params are
// an object without _meta, or nil. Where the server wants arguments of a tool repeated in
// headers they are, as by [Client.CallTool].
func (c *Client) Relay(ctx context.Context, method string, params jsonrpc.Raw, as *Behalf, o *CallOptions) (jsonrpc.Raw, error) {
	params, err := oneObject("params", params)
	if err != nil {
		return nil, err
	}
	return c.sendMarked(ctx, method, params, as, o)
}

// sendMarked sends a request whose params are as they came, with the headers that a called tool
// wants (2026-07-28 basic/transports/streamable-http, Client Behavior); as is nil for a request of
// the client's own.
func (c *Client) sendMarked(ctx context.Context, method string, params jsonrpc.Raw, as *Behalf, o *CallOptions) (jsonrpc.Raw, error) {
	send := func(marks []HeaderParam) (jsonrpc.Raw, error) {
		return c.do(ctx, &clientCall{ClientRequest: ClientRequest{Method: method, Params: params, Marks: marks, As: as}}, o)
	}
	switch method {
	case "tools/list":
		turn := c.tools.turn()
		raw, err := send(nil)
		if err == nil {
			c.learnMarks(ctx, turn, raw, !bytes.Contains(params, []byte(`"cursor"`)))
		}
		return raw, err
	case "tools/call":
		name, _ := params.Member("name").Text()
		raw, _, err := c.withMarks(ctx, name, send)
		return raw, err
	}
	return send(nil)
}

// learnMarks keeps what a page of tools tells of their arguments. One that cannot be read is
// for whoever gets it to refuse.
func (c *Client) learnMarks(ctx context.Context, turn int, raw jsonrpc.Raw, first bool) {
	page := new(Page[Tool])
	if page.read(raw, func(*Malformed) {}) == nil {
		c.readMarks(ctx, turn, page, first)
	}
}
