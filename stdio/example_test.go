package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// One server, one line of each era. In and Out stand for the process's streams.
func ExampleServe() {
	s := mcp.NewServer("echo", "1.0.0", nil)
	schema := `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`
	s.AddTool(mcp.Tool{Name: "echo", InputSchema: []byte(schema)},
		func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			text, ok := c.Argument("text").Text()
			if !ok {
				return nil, errors.New("text must be a string")
			}
			return mcp.TextResult("echo: " + text), nil
		})

	input := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"old"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"new"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
	}, "\n")
	err := stdio.Serve(context.Background(), s, &stdio.Options{In: strings.NewReader(input), Out: os.Stdout})
	fmt.Println("ended:", err)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"echo","version":"1.0.0"}}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"echo: old"}]}}
	// {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"echo: new"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"echo","version":"1.0.0"}}}}
	// ended: <nil>
}

// A Unix socket that only this user can reach, served until the process is told to
// end.
func ExampleListen() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	l, err := stdio.Listen("unix", "/tmp/echo.sock")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := stdio.ServeListener(ctx, l, mcp.NewServer("echo", "1.0.0", nil), nil); err != nil {
		fmt.Println(err)
	}
}
