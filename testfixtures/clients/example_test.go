package clients_test

import (
	"context"
	"fmt"
	"log"
	"net"

	"isthmus.internal/discover"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// A client of a server that is reached over a stream. stdio.Command starts one as a child
// process, stdio.Dial calls one at a socket, and httpmcp.Dial one at a URL; all else stays.
func Example() {
	ctx := context.Background()
	near, far := net.Pipe()
	go serveSums(ctx, far)

	c, verdict, err := discover.Connect(ctx, stdio.Stream(near, nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	fmt.Println("it speaks", verdict.Version)

	for tool, err := range c.Tools(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tool.Name+":", tool.Description)
	}

	sum, err := mcp.CallTool[struct{ Sum int64 }](ctx, c, "add", map[string]any{"a": 9007199254740992, "b": 1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Sum)

	// Output:
	// it speaks 2026-07-28
	// add: Adds two integers.
	// 9007199254740993
}

// serveSums is the server.
func serveSums(ctx context.Context, stream net.Conn) {
	type addends struct {
		A int64 `json:"a"`
		B int64 `json:"b"`
	}
	s := mcp.NewServer("sums", "1.0.0", nil)
	mcp.AddTool(s, mcp.Tool{Name: "add", Description: "Adds two integers."},
		func(ctx context.Context, c *mcp.Call, in addends) (struct{ Sum int64 }, error) {
			return struct{ Sum int64 }{in.A + in.B}, nil
		})
	if err := stdio.ServeStream(ctx, stream, s, nil); err != nil {
		log.Print(err)
	}
}
