package stdio_test

import (
	"context"
	"fmt"
	"net"
	"os/exec"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// A server as a child process. Whichever era it speaks, the calls are the same.
func ExampleCommand() {
	ctx := context.Background()
	c, verdict, err := discover.Connect(ctx, stdio.Command(exec.Command("my-server", "--quiet"), nil), nil)
	if err != nil {
		fmt.Println(err) // it has what the server wrote to its standard error
		return
	}
	defer c.Close()
	fmt.Println(verdict.Evidence)
	for tool, err := range c.Tools(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(tool.Name)
	}
}

// Client and server in one process, with a pipe between them.
func ExampleStream() {
	s := mcp.NewServer("echo", "1.0.0", nil)
	s.AddTool(mcp.Tool{Name: "echo", InputSchema: []byte(`{"type":"object"}`)},
		func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			text, _ := c.Argument("text").Text()
			return mcp.TextResult("echo: " + text), nil
		})
	ours, theirs := net.Pipe()
	served := make(chan error)
	go func() { served <- stdio.ServeStream(context.Background(), theirs, s, nil) }()

	ctx := context.Background()
	c, _, err := discover.Connect(ctx, stdio.Stream(ours, nil), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := c.CallTool(ctx, "echo", jsonrpc.Raw(`{"text":"hello"}`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Content[0].(*mcp.TextContent).Text)
	fmt.Println(c.Close(), <-served)
	// Output:
	// echo: hello
	// <nil> <nil>
}
