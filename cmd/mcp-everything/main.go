// Command mcp-everything is an MCP server that does all a server can do, in both eras
// of the protocol. It is meant for trying out clients. Run mcp-everything -h.
package main

import (
	"context"
	"os"

	"isthmus.internal/testfixtures/everything"
	"isthmus.internal/testfixtures/fixture/web"
)

func main() {
	os.Exit(everything.Program("mcp-everything", web.New()).Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}
