package bridge

import (
	"context"
	"errors"
	"net"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// What clients are told when the server is not there. Why stands in the log.
var (
	errGone        = jsonrpc.Errorf(jsonrpc.InternalError, "The server behind the bridge has gone before it answered; it is connected to again for the next request")
	errUnreachable = jsonrpc.Errorf(jsonrpc.InternalError, "The server behind the bridge cannot be reached; try again later")
	errBroken      = jsonrpc.Errorf(jsonrpc.InternalError, "The server behind the bridge has not answered as the protocol has it")
	errBridgeEnds  = jsonrpc.Errorf(jsonrpc.InternalError, "The bridge ends")
)

// noResource is the code for a resource that is not there before 2026-07-28.
const noResource jsonrpc.Code = -32002

// refuse is what becomes of a request that has failed.
func (b *Bridge) refuse(ctx context.Context, c *mcp.Call, err error) (mcp.Reply, error) {
	var told *jsonrpc.Error
	var away *unreachable
	var rejected *mcp.Rejected
	var later *mcp.RetryAfter
	var network *net.OpError
	switch {
	case ctx.Err() != nil:
		return mcp.Reply{}, ctx.Err()
	case errors.Is(err, errBridgeClosed):
		return mcp.Reply{}, errBridgeEnds
	case errors.As(err, &away):
		return mcp.Reply{}, errUnreachable
	case errors.As(err, &told):
		return b.passError(c, told)
	case errors.Is(err, mcp.ErrLinkClosed), errors.Is(err, mcp.ErrAnswerLost):
		b.log.Error("the server has gone", "method", c.Method(), "error", err)
		return mcp.Reply{}, errGone
	case errors.As(err, &rejected):
		b.log.Error("the server has rejected a request", "method", c.Method(), "error", err)
		if errors.As(err, &later) {
			return mcp.Reply{}, jsonrpc.Errorf(jsonrpc.InternalError, "The server behind the bridge is busy; try again after %v", later.Wait)
		}
		return mcp.Reply{}, errUnreachable
	case errors.As(err, &network): // over HTTP, where each request may be the first to find out
		b.log.Error("the server cannot be reached", "method", c.Method(), "error", err)
		return mcp.Reply{}, errUnreachable
	}
	b.log.Error("a request has failed", "method", c.Method(), "error", err)
	return mcp.Reply{}, errBroken
}

// passError passes an error of the server, as the client's revision has it.
func (b *Bridge) passError(c *mcp.Call, told *jsonrpc.Error) (mcp.Reply, error) {
	f := formOf(c)
	passed := *told
	switch {
	case told.Code == mcp.MissingRequiredClientCapability && f.MissingCapability == 0:
		// There is no code for it, so it is told as a server of that revision tells it.
		if c.Method() == "tools/call" {
			return mcp.ToolReply(mcp.ErrorResult(told.Message)), nil
		}
		passed.Code, passed.Data = jsonrpc.InvalidRequest, nil
	case told.Code == jsonrpc.InvalidParams && b.modern() && isRead(c) && namesURI(told.Data):
		passed.Code = f.ResourceNotFound
	case told.Code == noResource && isRead(c):
		passed.Code = f.ResourceNotFound
	}
	return mcp.Reply{}, &passed
}

func isRead(c *mcp.Call) bool {
	return c.Method() == "resources/read" || c.Method() == "resources/subscribe"
}

// namesURI reports whether the data of an error names a resource (2026-07-28 server/resources,
// Error Handling).
func namesURI(data jsonrpc.Raw) bool {
	return data.Member("uri") != nil
}
