package mcp_test

import (
	"context"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// talker is an exchange that does as told.
type talker struct {
	form   *mcp.Form
	server *mcp.DiscoverResult
	call   func(ctx context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error)
	listen func(ctx context.Context, wanted *mcp.Filter, tell func(mcp.Change)) (mcp.Listening, error)
}

func (x *talker) Form() *mcp.Form                                       { return x.form }
func (x *talker) Server() *mcp.DiscoverResult                           { return x.server }
func (x *talker) Notify(context.Context, string, jsonrpc.Raw) error     { return nil }
func (x *talker) SetLogLevel(context.Context, mcp.LogLevel) error       { return nil }
func (x *talker) Ping(context.Context) error                            { return nil }
func (x *talker) Close() error                                          { return nil }
func (x *talker) Done() <-chan struct{}                                 { return nil }
func (x *talker) Err() error                                            { return nil }
func (x *talker) Discover(context.Context) (*mcp.DiscoverResult, error) { return x.server, nil }

func (x *talker) Call(ctx context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
	return x.call(ctx, r)
}

func (x *talker) Listen(ctx context.Context, wanted *mcp.Filter, tell func(mcp.Change)) (mcp.Listening, error) {
	return x.listen(ctx, wanted, tell)
}

// talks is a client of an exchange, which is closed with the test.
func talks(o *mcp.ClientOptions, x *talker) *mcp.Client {
	c := mcp.NewClient(o)
	c.Attach(x)
	return c
}
