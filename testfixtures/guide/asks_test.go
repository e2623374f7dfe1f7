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
	for _, test := range []struct{ name, answer, want string }{
		{"accepted", `{"action":"accept","content":{"name":"Ada"}}`, "sent to Ada, normal"},
		{"declined", `{"action":"decline"}`, "The user does not want to send it. Nothing was sent."},
		{"cancelled", `{"action":"cancel"}`, "The user has made no choice. Nothing was sent; ask again later."},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := &mcptest.Matrix{Except: map[string]string{
				"2024-11-05": "it has no elicitation",
				"2025-03-26": "it has no elicitation",
			}}
			m.Options.Answer = func(mcptest.Ask) (string, *jsonrpc.Error) { return test.answer, nil }
			m.Each(t, newPost, func(t *testing.T, c *mcptest.Client) {
				if got := c.Call("send_parcel", "").Text(); got != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
			})
		})
	}
}
