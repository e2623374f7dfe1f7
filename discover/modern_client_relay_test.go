package discover_test

import (
	"context"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// TestModernRelay: a request that is another client's says so, and gets what the server asks
// as its result.
func TestModernRelay(t *testing.T) {
	const asks = `{"resultType":"input_required","requestState":"s"}`
	s := &fakeServer{t: t, answer: func(context.Context, sent) (string, error) { return asks, nil }}
	c := modernClient(t, s, nil)
	who := mcp.NewBehalf(mcp.Implementation{Name: "other", Version: "2"}, mcp.ClientCapabilities{Roots: &mcp.RootsCapability{}}, mcp.LogError)
	got, err := c.Relay(t.Context(), "tools/call", jsonrpc.Raw(`{"name":"a","inputResponses":{}}`), who, nil)
	if err != nil || string(got) != asks {
		t.Errorf("got %s, %v, want %s", got, err, asks)
	}
	for _, want := range []string{
		`"io.modelcontextprotocol/clientInfo":{"name":"other","version":"2"}`, `"io.modelcontextprotocol/clientCapabilities":{"roots":{}}`,
		`"io.modelcontextprotocol/logLevel":"error"`, `"name":"a","inputResponses":{}`,
	} {
		if !strings.Contains(s.all[0].params, want) {
			t.Errorf("%s is missing in %s", want, s.all[0].params)
		}
	}
	s.answer = func(context.Context, sent) (string, error) { return `{"resultType":"strange"}`, nil }
	if _, err := c.Relay(t.Context(), "tools/call", jsonrpc.Raw(`{"name":"a"}`), who, nil); err == nil {
		t.Error("a result of an unknown type: no error")
	}
}
