package mcp_test

import (
	"context"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// TestRelay: a request goes out for another client, with the marks of its tool, and the result
// comes back as it is.
func TestRelay(t *testing.T) {
	const tools = `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"Region"}}}}]}`
	who := mcp.NewBehalf(mcp.Implementation{Name: "other", Version: "2"}, mcp.ClientCapabilities{}, mcp.LogError)
	refuses, lists := 0, 0
	x := &talker{form: form("2026-07-28")}
	x.call = func(_ context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
		switch {
		case r.Method == "tools/list":
			lists++
			return jsonrpc.Raw(tools), nil
		case r.As != who || who.Info().Name != "other" || who.LogLevel() != mcp.LogError || who.Capabilities().Roots != nil:
			t.Errorf("%s: as %v", r.Method, r.As)
		case len(r.Marks) == 0 && r.Method == "tools/call":
			refuses++
			return nil, &jsonrpc.Error{Code: -32020}
		}
		return jsonrpc.Raw(`{"resultType":"input_required","got":` + string(r.Params) + `}`), nil
	}
	const params = `{"name":"a","requestState":"s"}`
	tests := []struct {
		name, method   string
		list           bool // relayed before
		refuses, lists int
	}{
		{"another method", "x/y", false, 0, 0},
		{"a tool that was never listed", "tools/call", false, 1, 1},
		{"a tool that was listed", "tools/call", true, 0, 1},
	}
	for _, test := range tests {
		refuses, lists = 0, 0
		c := talks(nil, x)
		if test.list {
			if got, err := c.Relay(t.Context(), "tools/list", nil, who, nil); err != nil || string(got) != tools {
				t.Errorf("%s: the list is %s, %v", test.name, got, err)
			}
		}
		got, err := c.Relay(t.Context(), test.method, jsonrpc.Raw(params), who, nil)
		if err != nil || refuses != test.refuses || lists != test.lists {
			t.Errorf("%s: %v, refused %d times, listed %d times; want %d and %d", test.name, err, refuses, lists, test.refuses, test.lists)
		}
		same(t, test.name, string(got), `{"resultType":"input_required","got":`+params+`}`)
	}
	if _, err := talks(nil, x).Relay(t.Context(), "x/y", jsonrpc.Raw(`[]`), who, nil); err == nil {
		t.Error("params that are no object: no error")
	}
}
