package cli_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"isthmus.internal/cmd/mcp/cli"
	"isthmus.internal/mcp"
)

// TestListenTellsOfWhat: listen says to what of that which was asked for it listens, and of each uri
// that it is not told of that this is so, in both eras.
func TestListenTellsOfWhat(t *testing.T) {
	const refused = ": the server does not tell of it (mcp resources lists what there is)\n"
	for _, tt := range []struct{ name, uris, want string }{
		{"none", "", "listening to the list of resources\n"},
		{"one that is there", "a:b", "listening to the list of resources, a:b\n"},
		{"one that is not", "no:such", "listening to the list of resources\nnot to no:such" + refused},
		{"one of three", "no:1 a:b no:2", "listening to the list of resources, a:b\nnot to no:1" + refused + "not to no:2" + refused},
	} {
		for _, era := range []string{"legacy", "modern"} {
			t.Run(tt.name+", "+era, func(t *testing.T) {
				s := mcp.NewServer("s", "1", nil)
				s.AddResource(mcp.Resource{URI: "a:b", Name: "b"}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
					return nil, nil
				})
				args := []string{"listen", "--era", era, overHTTP(t, s)}
				for _, uri := range strings.Fields(tt.uris) {
					args = append(args, "--uri", uri)
				}
				ctx, interrupt := context.WithCancel(context.Background())
				defer interrupt()
				terminal, ended := newScreen(), make(chan int, 1)
				go func() {
					ended <- cli.Run(ctx, args, &cli.Env{In: strings.NewReader(""), Out: io.Discard, Err: terminal})
				}()
				terminal.await(t, tt.want)
				interrupt()
				select {
				case status := <-ended:
					if got := terminal.String(); status != cli.ExitOK || got != tt.want {
						t.Errorf("mcp %q\n got: %d %q\nwant: %d %q", args, status, got, cli.ExitOK, tt.want)
					}
				case <-time.After(patience):
					t.Fatalf("mcp %q does not end when it is interrupted", args)
				}
			})
		}
	}
}
