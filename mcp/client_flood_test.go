package mcp_test

import (
	"context"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// What waits to be told of progress is bounded, whichever part of it is long.
func TestProgressThatWaitsIsBounded(t *testing.T) {
	const sent, each = 40, 1 << 20
	long := strings.Repeat("x", each)
	tests := []struct {
		name string
		told mcp.ProgressParams
	}{
		{"message", mcp.ProgressParams{Message: long}},
		{"meta", mcp.ProgressParams{Meta: mcp.Meta{"a": jsonrpc.Raw(`"` + long + `"`)}}},
		{"name in meta", mcp.ProgressParams{Meta: mcp.Meta{long: jsonrpc.Raw(`1`)}}},
		{"token", mcp.ProgressParams{Token: jsonrpc.Raw(`"` + long + `"`)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			release := make(chan struct{})
			c := talks(nil, &talker{form: form("2026-07-28"), call: func(_ context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
				for range sent {
					r.Progress(test.told)
				}
				close(release)
				return jsonrpc.Raw(`{"resultType":"complete","content":[]}`), nil
			}})
			told := 0
			_, err := c.CallTool(t.Context(), "t", nil, &mcp.CallOptions{Progress: func(mcp.ProgressParams) {
				<-release
				told++
			}})
			if err != nil || told == 0 || told > 17 {
				t.Errorf("%d of %d are told, of 1 MiB each, %v; want at most 16 MiB beside the first", told, sent, err)
			}
		})
	}
}
