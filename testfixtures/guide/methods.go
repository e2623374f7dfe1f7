package guide

import (
	"context"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// NewMethods makes a server with a method and a notification of its own.
func NewMethods(viewed func(page string)) *mcp.Server {
	s := mcp.NewServer("pages", "1.0.0", nil)
	s.Handle("com.example/count", mcp.Both, func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
		text, ok := c.Param("text").Text()
		if !ok {
			return mcp.Reply{}, jsonrpc.Errorf(jsonrpc.InvalidParams, "params.text must be a string")
		}
		members := jsonrpc.AppendInt([]byte(`"bytes":`), int64(len(text)))
		return mcp.NewReply(members, nil), nil
	})
	s.HandleNotification("notifications/com.example/viewed", mcp.Both, func(ctx context.Context, n *mcp.Notice) {
		if page, ok := n.Param("page").Text(); ok {
			viewed(page)
		}
	})
	return s
}
