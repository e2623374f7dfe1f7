package stdio_test

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// TestEcho: a program that sends back what it is sent is no server, which Connect says, in either era and
// also where something comes before.
func TestEcho(t *testing.T) {
	tests := []struct {
		name, first string
		opts        *discover.ConnectOptions
		want        string // the beginning of the error
	}{
		{"any era", "", nil, "discover: server/discover: "},
		{"any era, behind a line that is no message", "hello\n", nil, "discover: server/discover: "},
		{"modern", "", &discover.ConnectOptions{Era: mcp.Modern}, "discover: server/discover: "},
		{"legacy", "", &discover.ConnectOptions{Era: mcp.Legacy}, `legacy: initialize for version "2025-11-25": `},
		{"found legacy before", "", &discover.ConnectOptions{Known: &discover.Verdict{Era: mcp.Legacy, Version: "2024-11-05"}}, `legacy: initialize for version "2025-11-25": `},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				go func() {
					defer theirs.Close()
					io.WriteString(theirs, tt.first)
					io.Copy(theirs, theirs)
				}()
				start := time.Now()
				c, verdict, err := discover.Connect(t.Context(), stdio.Stream(ours, nil), tt.opts)
				if err == nil {
					c.Close()
					t.Fatalf("Connect has found %v, want an error", verdict)
				}
				if took := time.Since(start); took != 5*time.Second {
					t.Errorf("Connect took %v, want 5 s", took)
				}
				if !errors.Is(err, jsonrpc.ErrEchoed) || !strings.HasPrefix(err.Error(), tt.want) || errors.As(err, new(*jsonrpc.Error)) {
					t.Errorf("Connect: %v\nwant %s… and ErrEchoed, and no error of a server", err, tt.want)
				}
			})
		})
	}
}
