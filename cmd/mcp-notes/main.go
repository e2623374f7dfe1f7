// Command mcp-notes is an MCP server that holds a few notes, as a tool and as
// resources, and answers in both eras of the protocol. It is meant for trying
// out clients, and misbehaves in the way that -fault names. Run mcp-notes -h.
package main

import (
	"context"
	"os"

	"isthmus.internal/testfixtures/fixture"
	"isthmus.internal/testfixtures/fixture/fault"
	"isthmus.internal/testfixtures/notes"
)

func main() {
	program := fault.Program(os.Stderr, func(http fixture.Transport) *fixture.Program { return notes.Program("mcp-notes", http) })
	os.Exit(program.Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}
