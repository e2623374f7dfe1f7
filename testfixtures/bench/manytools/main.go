// Command manytools is a server with 101 tools, for the benchmark of tools/list. The tools have definitions
// of a usual size, and do nothing.
package main

import (
	"context"
	"fmt"
	"os"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// tools is one more than a hundred, so that a server which splits lists at a round number would show.
const tools = 101

const schema = `{"type":"object","properties":{"query":{"type":"string","description":"what to look for"},` +
	`"limit":{"type":"integer","minimum":1,"maximum":100}},"required":["query"]}`

func main() {
	s := mcp.NewServer("many-tools", "1.0.0", nil)
	for i := range tools {
		s.AddTool(mcp.Tool{
			Name:        fmt.Sprintf("search-%03d", i),
			Description: fmt.Sprintf("Looks for records in table %d and returns those that match.", i),
			InputSchema: jsonrpc.Raw(schema),
		}, search)
	}
	if err := stdio.Serve(context.Background(), s, nil); err != nil {
		fmt.Fprintln(os.Stderr, "manytools:", err)
		os.Exit(1)
	}
}

func search(context.Context, *mcp.Call) (*mcp.Result, error) {
	return mcp.TextResult("nothing found"), nil
}
