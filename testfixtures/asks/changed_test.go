package asks_test

import (
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/asks"
	"isthmus.internal/testfixtures/mcptest"
)

// TestChangedMeanwhile: what is asked about changes while the user reads the question. The
// modern handler, which runs again, asks again; the legacy one has waited, and does what the
// user has agreed to. Nobody's consent is used for another question.
func TestChangedMeanwhile(t *testing.T) {
	var s *asks.Server
	var read []string // by the user
	m := mcptest.Matrix{}
	m.Options.Answer = func(a mcptest.Ask) (string, *jsonrpc.Error) {
		message, _ := a.At("message").Text()
		read = append(read, message)
		if len(read) == 1 {
			s.Price.Store(1250)
		}
		return `{"action":"accept","content":{"sure":true}}`, nil
	}
	m.Except = map[string]string{"2024-11-05": "it has no elicitation", "2025-03-26": "it has no elicitation"}
	m.Each(t, func(testing.TB) *mcp.Server {
		s, read = asks.NewServer(keys, nil), nil
		s.Price.Store(5)
		return s.Server
	}, func(t *testing.T, c *mcptest.Client) {
		want, said := "Delete it for 5 cents?", "deleted for 5: true"
		if c.Revision() == mcptest.Modern {
			want, said = want+" Delete it for 1250 cents?", "deleted for 1250: true"
		}
		if got := text(c.Call("deletes", "")); got != said {
			t.Errorf("got %s, want %s", got, said)
		}
		if got := strings.Join(read, " "); got != want {
			t.Errorf("the user was asked %s, want %s", got, want)
		}
	})
}

// TestConsentToSomethingElse: what a client can send in place of an answer to the question.
func TestConsentToSomethingElse(t *testing.T) {
	const (
		sure  = `"inputResponses":{"sure":{"action":"accept","content":{"sure":true}}}`
		asked = `{"resultType":"input_required","inputRequests":{"sure":{"method":"elicitation/create","params":{"mode":"form","message":"Delete it for `
		done  = "deleted for 1250: true"
	)
	bubble(t, func(t *testing.T, s *asks.Server) {
		c := modern(t, s, nil)
		s.Price.Store(5)
		cheap := first(t, c, `{"name":"deletes"}`)
		s.Price.Store(1250)
		dear := first(t, c, `{"name":"deletes"}`)
		for _, tt := range []struct{ name, more, want string }{
			{"the answer to it", sure + `,"requestState":` + dear, done},
			{"an answer to an earlier question", sure + `,"requestState":` + cheap, asked + "1250 cents?"},
			{"an earlier question declined", `"inputResponses":{"sure":{"action":"decline"}},"requestState":` + cheap, asked + "1250 cents?"},
			{"an earlier question answered badly", `"inputResponses":{"sure":7},"requestState":` + cheap, asked + "1250 cents?"},
			{"a client that says yes unasked", sure, done}, // see the guide: consent is as good as the client
		} {
			if got := text(c.Request("tools/call", `{"name":"deletes",`+tt.more+`}`)); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s\n got %s\nwant %s", tt.name, got, tt.want)
			}
		}
		s.Price.Store(5)
		if got := text(c.Request("tools/call", `{"name":"deletes",`+sure+`,"requestState":`+cheap+`}`)); got != "deleted for 5: true" {
			t.Errorf("when the question is what it was: got %s", got)
		}
	})
}
