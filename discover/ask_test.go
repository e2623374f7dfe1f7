package discover_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"isthmus.internal/mcp"
)

// rootless has a tool that asks for the roots, and says how many there are.
func rootless() *mcp.Server {
	s := mcp.NewServer("asking", "1", &mcp.ServerOptions{Logger: quiet(), Static: true})
	s.AddTool(mcp.Tool{Name: "roots"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		roots, err := c.Roots(ctx, "where")
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(fmt.Sprint(len(roots))), nil
	})
	return s
}

const (
	hello      = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"%s","capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"0"}}}`
	nowReady   = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	legacyCall = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"roots"}}`
	modernCall = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"roots"%s,"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}}}}}`
	oneRoot = `{"roots":[{"uri":"file:///a"}]}`
)

// TestAskInABatch: questions of calls in a batch go out on their own, and the batch is
// answered when all have come back (2025-03-26 basic/index, Batching).
func TestAskInABatch(t *testing.T) {
	bubble(t, rootless, func(w *wire) {
		w.send(fmt.Sprintf(hello, "2025-03-26"), nowReady)
		got := w.send("[" + fmt.Sprintf(legacyCall, 7) + "," + fmt.Sprintf(legacyCall, 8) + "]")
		slices.Sort(got) // they are sent at once
		if want := []string{`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, `{"jsonrpc":"2.0","id":2,"method":"roots/list"}`}; !slices.Equal(got, want) {
			w.t.Errorf("the questions\n got %q\nwant %q", got, want)
		}
		w.want("the first answer", `{"jsonrpc":"2.0","id":2,"result":`+oneRoot+`}`)
		w.want("the second", `{"jsonrpc":"2.0","id":1,"result":`+oneRoot+`}`,
			`[{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"1"}]}},{"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text","text":"1"}]}}]`)
	})
}

// TestAskInBothEras: a legacy call that waits for its answer, and a modern one that has
// been asked back, on one connection: neither knows of the other.
func TestAskInBothEras(t *testing.T) {
	const serverInfo = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"asking","version":"1"}}`
	state := regexp.MustCompile(`"requestState":"([^"]+)"`)
	bubble(t, rootless, func(w *wire) {
		w.send(fmt.Sprintf(hello, "2025-11-25"), nowReady)
		w.want("legacy", fmt.Sprintf(legacyCall, 7), `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		got := w.send(fmt.Sprintf(modernCall, 8, ""))
		if len(got) != 1 || !state.MatchString(got[0]) {
			w.t.Fatalf("modern: got %q", got)
		}
		want := `{"jsonrpc":"2.0","id":8,"result":{"resultType":"input_required","inputRequests":{"where":{"method":"roots/list"}},"requestState":"…",` + serverInfo + `}}`
		if line := state.ReplaceAllString(got[0], `"requestState":"…"`); line != want {
			w.t.Errorf("modern\n got %s\nwant %s", line, want)
		}
		w.want("the retry", fmt.Sprintf(modernCall, 9, `,"inputResponses":{"where":`+oneRoot+`},"requestState":"`+state.FindStringSubmatch(got[0])[1]+`"`),
			`{"jsonrpc":"2.0","id":9,"result":{"resultType":"complete","content":[{"type":"text","text":"1"}],`+serverInfo+`}}`)
		w.want("no answer of the session's", `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`,
			`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"0"}]}}`)
	})
}
