package httpmcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// TestConnectionLost: of a connection that is lost in the middle of a call the error says so, in either
// era, and the client goes on.
func TestConnectionLost(t *testing.T) {
	tests := []struct {
		name     string
		response string // before the connection is cut
		is       error
	}{
		{"before the head", "", io.EOF},
		{"within a body", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", io.ErrUnexpectedEOF},
		{"within a stream", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {", io.ErrUnexpectedEOF},
	}
	for _, tt := range tests {
		for _, era := range []mcp.Eras{mcp.Modern, mcp.Legacy} {
			t.Run(fmt.Sprint(tt.name, " ", era), func(t *testing.T) {
				var cut atomic.Bool
				endpoint := httpmcp.Handler(benchServer(), nil)
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					if !cut.Load() || !bytes.Contains(body, []byte(`"tools/call"`)) {
						r.Body = io.NopCloser(bytes.NewReader(body))
						endpoint.ServeHTTP(w, r)
						return
					}
					c, _, err := http.NewResponseController(w).Hijack()
					if err != nil {
						t.Error(err)
						return
					}
					io.WriteString(c, tt.response)
					c.Close()
				}))
				defer s.Close()
				defer endpoint.Shutdown(context.Background()) // ends the streams that s would wait for
				c, _, err := discover.Connect(t.Context(), httpmcp.Dial(s.URL, nil), &discover.ConnectOptions{Era: era})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				call := func() error {
					_, err := c.CallTool(t.Context(), "echo", map[string]any{"text": "a"}, nil)
					return err
				}

				cut.Store(true)
				if err := call(); !errors.Is(err, mcp.ErrAnswerLost) || !errors.Is(err, tt.is) || errors.Is(err, mcp.ErrLinkClosed) {
					t.Errorf("the call that is cut off: %v\nwant ErrAnswerLost and %v, and that the link goes on", err, tt.is)
				}
				cut.Store(false)
				if err := call(); err != nil {
					t.Errorf("the next call: %v", err)
				}
			})
		}
	}
}

// TestNobodyListens: where there is no connection to begin with, nothing was lost with it.
func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	for _, era := range []mcp.Eras{mcp.Modern, mcp.Legacy} {
		_, _, err := discover.Connect(t.Context(), httpmcp.Dial("http://"+l.Addr().String(), nil), &discover.ConnectOptions{Era: era})
		var network *net.OpError
		if !errors.As(err, &network) || network.Op != "dial" || errors.Is(err, mcp.ErrAnswerLost) {
			t.Errorf("%v: %v\nwant a *net.OpError of the dialling, and not ErrAnswerLost", era, err)
		}
	}
}
