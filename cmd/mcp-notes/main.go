// Command mcp-notes is an MCP server that holds a few notes, as a tool and as
// resources, and answers in both eras of the protocol. It is meant for trying
// out clients. Run mcp-notes -h.
package main

import (
	"context"
	"os"

	"isthmus.internal/testfixtures/fixture/web"
	"isthmus.internal/testfixtures/notes"
)

func main() {
	os.Exit(notes.Program("mcp-notes", web.New()).Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}
