package asks_test

import (
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/asks"
	"isthmus.internal/testfixtures/mcptest"
)

// TestTTL: the option says how long a question is good for, in either era.
func TestTTL(t *testing.T) {
	o := &mcp.AskOptions{TTL: 10 * time.Second}
	tests := []struct {
		name           string
		wait           time.Duration
		legacy, modern string
	}{
		{"in time", 9 * time.Second, "hello Ada", "hello Ada"},
		{"too late", 11 * time.Second, "failed: the client has not answered in time",
			"-32602 params.requestState is not valid: it was altered, has expired, or belongs to another request; send the request again without it "},
	}
	for _, tt := range tests {
		for revision, want := range map[string]string{"2025-11-25": tt.legacy, mcptest.Modern: tt.modern} {
			t.Run(tt.name+"/"+revision, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					slow := func(a mcptest.Ask) (string, *jsonrpc.Error) {
						<-time.After(tt.wait)
						return always(a)
					}
					c := mcptest.Dial(t, asks.NewServer(keys, o).Server, &mcptest.Options{Revision: revision, Answer: slow})
					if got := text(c.Call("name", "")); got != want {
						t.Errorf("got %s, want %s", got, want)
					}
					<-time.After(time.Minute) // until the late answer is on its way
				})
			})
		}
	}
}

// TestDeclinedAmongOthers: that one of several questions is declined is an answer to it.
func TestDeclinedAmongOthers(t *testing.T) {
	decline := func(a mcptest.Ask) (string, *jsonrpc.Error) {
		if a.Method == "elicitation/create" {
			return `{"action":"decline"}`, nil
		}
		return always(a)
	}
	m := mcptest.Matrix{
		Except:  map[string]string{"2024-11-05": "it has no elicitation", "2025-03-26": "it has no elicitation"},
		Options: mcptest.Options{Answer: decline},
	}
	m.Each(t, func(testing.TB) *mcp.Server { return asks.NewServer(nil, nil).Server }, func(t *testing.T, c *mcptest.Client) {
		if got := text(c.Call("all", "")); got != "failed: the user has declined" {
			t.Errorf("got %s", got)
		}
		if asked := c.Asks(); c.Revision() != mcptest.Modern && len(asked) != 3 {
			t.Errorf("asked %v, want three questions", asked)
		}
	})
}

// TestMissingElsewhere: prompts and resources have no result that could tell.
func TestMissingElsewhere(t *testing.T) {
	want := map[string]string{
		mcptest.Modern: `-32021 This needs the client capability elicitation.form {"requiredCapabilities":{"elicitation":{"form":{}}}}`,
		"2025-11-25":   "-32600 This needs a client with the capability elicitation.form, which this client has not declared ",
	}
	for revision, want := range want {
		synctest.Test(t, func(t *testing.T) {
			c := mcptest.Dial(t, asks.NewServer(nil, nil).Server, &mcptest.Options{Revision: revision, Capabilities: `{}`})
			for _, r := range []*mcptest.Response{c.Prompt("name", ""), c.Read("asks://name")} {
				if got := text(r); got != want {
					t.Errorf("%s\n got %s\nwant %s", revision, got, want)
				}
			}
		})
	}
}
