package guide_test

import (
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/guide"
	"isthmus.internal/testfixtures/mcptest"
)

// newPost makes the server anew for each client.
func newPost(testing.TB) *mcp.Server { return guide.NewAsks() }

// TestPost puts the server through every revision and checks what every server owes.
func TestPost(t *testing.T) { mcptest.Conform(t, newPost, nil) }

// TestSendParcel tests one tool in every revision that can ask, over every transport.
func TestSendParcel(t *testing.T) {
	for answer, want := range map[string]string{
		`{"action":"accept","content":{"name":"Ada"}}`: "sent to Ada, normal",
		`{"action":"decline"}`:                         "The user does not want to send it. Nothing was sent.",
		`{"action":"cancel"}`:                          "The user has made no choice. Nothing was sent; ask again later.",
	} {
		m := &mcptest.Matrix{Except: map[string]string{
			"2024-11-05": "it has no elicitation",
			"2025-03-26": "it has no elicitation",
		}}
		m.Options.Answer = func(mcptest.Ask) (string, *jsonrpc.Error) { return answer, nil }
		m.Each(t, newPost, func(t *testing.T, c *mcptest.Client) {
			if got := c.Call("send_parcel", "").Text(); got != want {
				t.Errorf("the user answers %s: got %q, want %q", answer, got, want)
			}
		})
	}
}
