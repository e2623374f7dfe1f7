package httpmcp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// TestEcho: what answers each POST with its own body is no MCP server, in either era.
func TestEcho(t *testing.T) {
	for _, kind := range []string{"application/json", "text/event-stream"} {
		for _, era := range []mcp.Eras{mcp.Both, mcp.Modern, mcp.Legacy} {
			t.Run(fmt.Sprint(kind, " ", era), func(t *testing.T) {
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					w.Header().Set("Content-Type", kind)
					if kind == "text/event-stream" {
						body = fmt.Appendf(nil, "data: %s\n\n", body)
					}
					w.Write(body)
				}))
				defer s.Close()
				c, verdict, err := discover.Connect(t.Context(), httpmcp.Dial(s.URL, nil), &discover.ConnectOptions{Era: era})
				if err == nil {
					c.Close()
					t.Fatalf("Connect has found %v, want an error", verdict)
				}
				if !errors.Is(err, jsonrpc.ErrEchoed) {
					t.Errorf("Connect: %v\nwant ErrEchoed", err)
				}
			})
		}
	}
}
