package mcp_test

import (
	"context"
	"strings"
	"testing"

	"isthmus.internal/mcp"
)

func TestHandlePanics(t *testing.T) {
	h := func(context.Context, *mcp.Call) (mcp.Reply, error) { return mcp.Reply{}, nil }
	n := func(context.Context, *mcp.Notice) {}
	tests := []struct {
		name string
		do   func(s *mcp.Server)
		want string
	}{
		{"no name", func(s *mcp.Server) { s.Handle("", mcp.Both, h) }, `method ""`},
		{"no handler", func(s *mcp.Server) { s.Handle("a/b", mcp.Both, nil) }, `method "a/b": no handler`},
		{"no era", func(s *mcp.Server) { s.Handle("a/b", 0, h) }, `method "a/b": it must exist in`},
		{"unknown era", func(s *mcp.Server) { s.Handle("a/b", 4, h) }, `method "a/b": it must exist in`},
		{"one of the protocol's", func(s *mcp.Server) { s.Handle("tools/call", mcp.Both, h) }, `method "tools/call" is empty or taken`},
		{"one of the exchange's", func(s *mcp.Server) { s.Handle("ping", mcp.Both, h) }, `method "ping" is the protocol's own`},
		{"twice", func(s *mcp.Server) { s.Handle("a/b", mcp.Both, h); s.Handle("a/b", mcp.Modern, h) }, `method "a/b" is empty or taken`},
		{"notification without a name", func(s *mcp.Server) { s.HandleNotification("", mcp.Both, n) }, `notification ""`},
		{"notification without a handler", func(s *mcp.Server) { s.HandleNotification("a", mcp.Both, nil) }, `notification "a": no handler`},
		{"notification without an era", func(s *mcp.Server) { s.HandleNotification("a", 0, n) }, `notification "a": it must exist in`},
		{"notification twice", func(s *mcp.Server) { s.HandleNotification("a", mcp.Both, n); s.HandleNotification("a", mcp.Both, n) }, `notification "a" is empty or taken`},
		{"cancellation", func(s *mcp.Server) { s.HandleNotification("notifications/cancelled", mcp.Both, n) }, `the engine's own`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := panicOf(func() { test.do(quiet(mcp.ServerOptions{})) })
			if !strings.Contains(got, test.want) {
				t.Errorf("got panic %q, want one with %q", got, test.want)
			}
		})
	}
}
