// Command mcp-echo is an MCP server with one tool, echo, that answers in both
// eras of the protocol. It is meant for trying out clients. Run mcp-echo -h.
package main

import (
	"context"
	"os"

	"isthmus.internal/testfixtures/echo"
	"isthmus.internal/testfixtures/fixture/web"
)

func main() {
	os.Exit(echo.Program("mcp-echo", web.New()).Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}
