// Command hello is the first client of docs/client.md: it starts a server, lists its tools, and
// calls one.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"

	"isthmus.internal/discover"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: hello COMMAND [ARGS]: the server")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := hello(ctx, exec.Command(os.Args[1], os.Args[2:]...)); err != nil {
		log.Fatal(err)
	}
}

func hello(ctx context.Context, server *exec.Cmd) error {
	c, verdict, err := discover.Connect(ctx, stdio.Command(server, nil), &discover.ConnectOptions{
		Client: &mcp.ClientOptions{Info: mcp.Implementation{Name: "hello", Version: "1.0.0"}},
	})
	if err != nil {
		return err
	}
	defer c.Close()
	fmt.Println(verdict)
	for tool, err := range c.Tools(ctx) {
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s\n", tool.Name, tool.Description)
	}
	text, err := mcp.CallTool[string](ctx, c, "echo", map[string]any{"text": "hello"}, nil)
	fmt.Println(text)
	return err
}
