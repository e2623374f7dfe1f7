package main_test

import (
	"context"
	"io"
	"os/exec"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/probed"
)

// The era is found right of each server as a process, also of those that the probe ends and
// that have to be started anew.
func TestClientStartsAnew(t *testing.T) {
	for _, row := range probed.Streams() {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			tr := stdio.Command(exec.Command(binary, row.Name), &stdio.ClientOptions{Stderr: io.Discard})
			o := &discover.ConnectOptions{ProbeTime: 10 * time.Second}
			if row.Quiet {
				o.ProbeTime = time.Second
			}
			c, verdict, err := discover.Connect(ctx, tr, o)
			if row.Era == probed.None {
				if err == nil {
					t.Errorf("got %v, want an error", verdict)
					c.Close()
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			result, err := c.CallTool(ctx, probed.Tool, nil, nil)
			if err != nil || len(result.Content) != 1 || result.Content[0].(*mcp.TextContent).Text != probed.Text {
				t.Errorf("the call: %+v, %v", result, err)
			}
			if got := verdict.Era.String(); got != row.Era {
				t.Errorf("the era: got %s, want %s", verdict, row.Era)
			}
			if err := c.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
	}
}
