package mcp_test

import (
	"context"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// A method of the program's own, for clients of both eras. It stands in the same table
// as tools/call, behind the same middleware, and its params are read with exact names.
func ExampleServer_Handle() {
	s := mcp.NewServer("text", "1.0.0", nil)
	s.Handle("com.example/reverse", mcp.Both, func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
		text, ok := c.Param("text").Text()
		if !ok {
			return mcp.Reply{}, jsonrpc.Errorf(jsonrpc.InvalidParams, "params.text must be a string")
		}
		var reversed strings.Builder
		for runes := []rune(text); len(runes) > 0; runes = runes[:len(runes)-1] {
			reversed.WriteRune(runes[len(runes)-1])
		}
		return mcp.NewReply(jsonrpc.AppendString([]byte(`"text":`), reversed.String()), nil), nil
	})
}

// An extension: its capability, a method, a notification from clients and one to them.
// Capabilities have a place for extensions in the modern era alone, so the method exists
// there alone, too. A client that has not declared the extension hears nothing of it.
func ExampleServer_HandleNotification() {
	const extension = "com.example/presence"
	s := mcp.NewServer("board", "1.0.0", &mcp.ServerOptions{
		Extensions: map[string]jsonrpc.Raw{extension: jsonrpc.Raw(`{"version":1}`)},
	})
	cursors := make(chan string, 100)

	// From clients: where a user points to. Nobody is told when something is wrong with
	// a notification, so it is dropped.
	s.HandleNotification("notifications/com.example/cursor", mcp.Modern, func(ctx context.Context, n *mcp.Notice) {
		if where, ok := n.Param("where").Text(); ok {
			select {
			case cursors <- where:
			default: // nobody watches
			}
		}
	})

	// To clients: what others point to, until the client has seen enough and cancels.
	s.Handle("com.example/watch", mcp.Modern, func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
		if _, declared := c.ClientCapabilities().Extensions[extension]; !declared {
			e := jsonrpc.Errorf(mcp.MissingRequiredClientCapability, "The client must declare the extension %s", extension)
			e.Data = jsonrpc.Raw(`{"requiredCapabilities":{"extensions":{"` + extension + `":{}}}}`)
			return mcp.Reply{}, e
		}
		for {
			select {
			case where := <-cursors:
				params := append(jsonrpc.AppendString([]byte(`{"where":`), where), '}')
				if err := c.Notify("notifications/com.example/cursor", params); err != nil {
					return mcp.Reply{}, err
				}
			case <-ctx.Done():
				return mcp.Reply{}, ctx.Err()
			}
		}
	})
}
