// Command manytools is a server with 101 tools, for the benchmarks of tools/list. The tools have definitions
// of a usual size, and do nothing. It serves standard input and output, or HTTP with -http ADDRESS.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// tools is one more than a hundred, so that a server which splits lists at a round number would show.
const tools = 101

const schema = `{"type":"object","properties":{"query":{"type":"string","description":"what to look for"},` +
	`"limit":{"type":"integer","minimum":1,"maximum":100}},"required":["query"]}`

func main() {
	address := flag.String("http", "", "serve on `ADDRESS`, as in 127.0.0.1:0, and not on standard input and output")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, newServer(), *address); err != nil {
		fmt.Fprintln(os.Stderr, "manytools:", err)
		os.Exit(1)
	}
}

func newServer() *mcp.Server {
	s := mcp.NewServer("many-tools", "1.0.0", nil)
	for i := range tools {
		s.AddTool(mcp.Tool{
			Name:        fmt.Sprintf("search-%03d", i),
			Description: fmt.Sprintf("Looks for records in table %d and returns those that match.", i),
			InputSchema: jsonrpc.Raw(schema),
		}, search)
	}
	return s
}

func serve(ctx context.Context, s *mcp.Server, address string) error {
	if address == "" {
		return stdio.Serve(ctx, s, nil)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "manytools ready on http://%s/mcp\n", l.Addr())
	return httpmcp.Serve(ctx, l, httpmcp.Handler(s, nil), nil)
}

func search(context.Context, *mcp.Call) (*mcp.Result, error) {
	return mcp.TextResult("nothing found"), nil
}
