package mcp

import "context"

// limit bounds the time of one request.
type limit struct{}

// limit makes the context of a request whose time is bounded as the options say.
func (c *Client) limit(ctx context.Context, o *CallOptions) (context.Context, *limit) {
	return ctx, &limit{}
}

// end gives up what the bound needs. It is called when the request has returned.
func (l *limit) end() {}

// say is err, or when the time was over, which bound it was.
func (l *limit) say(method string, err error) error { return err }
