package mcp_test

import (
	"fmt"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// A client reads a page of tools.
func ExampleRead() {
	raw := jsonrpc.Raw(`{"tools":[{"name":"add","inputSchema":{"type":"object"}}],"nextCursor":"2"}`)
	page, err := mcp.Read[mcp.Page[mcp.Tool]](raw, "result")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(page.Items[0].Name, *page.NextCursor)

	_, err = mcp.Read[mcp.Page[mcp.Tool]](jsonrpc.Raw(`{"tools":[null]}`), "result")
	fmt.Println(err)
	// Output:
	// add 2
	// mcp: result.tools[0] must be an object
}
