package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// TestOnceThatFails: neither a panic nor an error nor a question inside of Once counts as
// done, and nobody who waits for it waits for ever.
func TestOnceThatFails(t *testing.T) {
	tries := 0
	got := asks(t, &asking{results: map[string]string{"k": `{"action":"accept","content":{"name":"Ada"}}`}}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		do := func() (n int, err error) {
			tries++
			switch tries {
			case 1:
				panic("boom")
			case 2:
				return 0, errors.New("not yet")
			}
			_, err = mcp.Ask[person](ctx, c, "k", "Who?")
			return tries, err
		}
		once := func() (n int, err error) {
			defer func() {
				if v := recover(); v != nil {
					err = fmt.Errorf("panic %v", v)
				}
			}()
			return mcp.Once(c, "o", do)
		}
		waits := make(chan error)
		for range 4 {
			go func() {
				_, err := once()
				waits <- err
			}()
		}
		failures := 0
		for range 4 {
			if <-waits != nil {
				failures++
			}
		}
		n, err := once()
		return mcp.TextResult(fmt.Sprint(failures, " failed, ", n, " ", err)), nil
	})
	same(t, "Once", got, ok("2 failed, 3 <nil>"))
}

// TestToolsOfSamplesBalance: each use of a tool has its result in the message behind, and
// nothing else stands there (2026-07-28 client/sampling, Tool Use and Result Balance).
func TestToolsOfSamplesBalance(t *testing.T) {
	use := func(id string) mcp.SamplingContent {
		return &mcp.ToolUse{ID: id, Name: "t", Input: jsonrpc.Raw(`{}`)}
	}
	result := func(id string) mcp.SamplingContent {
		return &mcp.ToolResult{ToolUseID: id, Content: []mcp.Content{&mcp.TextContent{Text: "x"}}}
	}
	text := func() mcp.SamplingContent { return &mcp.TextContent{Text: "x"} }
	says := func(role mcp.Role, blocks ...mcp.SamplingContent) mcp.SamplingMessage {
		return mcp.SamplingMessage{Role: role, Content: blocks}
	}
	const u, a = mcp.RoleUser, mcp.RoleAssistant
	tests := []struct {
		name     string
		messages []mcp.SamplingMessage
		good     bool
	}{
		{"balanced", []mcp.SamplingMessage{says(u, text()), says(a, text(), use("1"), use("2")), says(u, result("2"), result("1"))}, true},
		{"no result", []mcp.SamplingMessage{says(u, text()), says(a, use("1")), says(u, text())}, false},
		{"at the end", []mcp.SamplingMessage{says(u, text()), says(a, use("1"))}, false},
		{"one of two", []mcp.SamplingMessage{says(u, text()), says(a, use("1"), use("2")), says(u, result("1"))}, false},
		{"of another use", []mcp.SamplingMessage{says(u, text()), says(a, use("1")), says(u, result("2"))}, false},
		{"a result too many", []mcp.SamplingMessage{says(u, text()), says(a, use("1")), says(u, result("1"), result("1"))}, false},
		{"the same use twice", []mcp.SamplingMessage{says(u, text()), says(a, use("1"), use("1")), says(u, result("1"), result("1"))}, false},
		{"text beside the result", []mcp.SamplingMessage{says(u, text()), says(a, use("1")), says(u, result("1"), text())}, false},
		{"a result of no use", []mcp.SamplingMessage{says(u, result("1"))}, false},
		{"a result by the assistant", []mcp.SamplingMessage{says(u, text()), says(a, use("1")), says(a, result("1"))}, false},
		{"a use by the user", []mcp.SamplingMessage{says(u, use("1")), says(u, result("1"))}, false},
		{"a message between", []mcp.SamplingMessage{says(u, text()), says(a, use("1")), says(a, text()), says(u, result("1"))}, false},
	}
	for _, tt := range tests {
		var err error
		asks(t, &asking{}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			_, err = c.Sample(ctx, "s", &mcp.SampleRequest{Messages: tt.messages, MaxTokens: 1, Tools: []mcp.Tool{{Name: "t"}}})
			return nil, err
		})
		if errors.Is(err, mcp.ErrInputRequired) != tt.good {
			t.Errorf("%s: got %v, want that the client is asked: %v", tt.name, err, tt.good)
		}
	}
}
