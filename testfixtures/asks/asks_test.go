package asks_test

import (
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
	"isthmus.internal/testfixtures/asks"
	"isthmus.internal/testfixtures/mcptest"
)

// always answers what the server asks: forms by the name of their first property.
func always(a mcptest.Ask) (string, *jsonrpc.Error) {
	switch a.Method {
	case "sampling/createMessage":
		return `{"role":"assistant","content":{"type":"text","text":"a poem"},"model":"m","stopReason":"endTurn"}`, nil
	case "roots/list":
		return `{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b%20c"}]}`, nil
	}
	if a.At("url") != nil {
		return `{"action":"accept"}`, nil
	}
	content := map[string]string{"name": `"Ada"`, "age": `36`, "color": `"#f00"`, "colors": `["#f00","#0f0"]`}
	for o := jsonrpc.ReadObject(a.At("requestedSchema", "properties")); o.Next(); {
		name := string(o.Name())
		return fmt.Sprintf(`{"action":"accept","content":{%q:%s}}`, name, content[name]), nil
	}
	return `{"action":"accept"}`, nil
}

// text is the text of a result, or the error.
func text(r *mcptest.Response) string {
	if r.Error != nil {
		return fmt.Sprintf("%d %s %s", r.Error.Code, r.Error.Message, r.Error.Data)
	}
	t, _ := r.At("content", 0, "text").Text()
	if failed, _ := r.At("isError").Bool(); failed {
		return "failed: " + t
	}
	if t == "" {
		return string(r.Result)
	}
	return t
}

var keys = func() *seal.Keys {
	k, err := seal.NewKeys([]byte("a secret of the tests, 32 bytes!"))
	if err != nil {
		panic(err)
	}
	return k
}()

// each runs body in each revision, with a fresh server that shares nothing but its keys
// with those that its retries go to.
func each(t *testing.T, o mcptest.Options, body func(t *testing.T, s *asks.Server, c *mcptest.Client)) {
	t.Helper()
	var s *asks.Server
	o.Replica = func() *mcp.Server { return asks.NewServer(keys, nil).Server }
	m := mcptest.Matrix{Options: o}
	m.Each(t, func(testing.TB) *mcp.Server {
		s = asks.NewServer(keys, nil)
		return s.Server
	}, func(t *testing.T, c *mcptest.Client) { body(t, s, c) })
}

// unasked is what a tool says in a revision that cannot ask for what it wants.
func unasked(c *mcptest.Client, capability string) string {
	return "failed: this needs a client with the capability " + capability + ", which revision " + c.Revision() + " of the protocol does not have"
}

func TestAnswers(t *testing.T) {
	const all = "2024-11-05"
	tests := []struct {
		tool, since, needs, want string
	}{
		{"name", "2025-06-18", "elicitation.form", "hello Ada"},
		{"three", "2025-06-18", "elicitation.form", "Ada, 36, ticket 1: a poem"},
		{"look", "2025-06-18", "elicitation.form", "#f00 "},
		{"page", "2025-11-25", "elicitation.url", "agreed"},
		{"sample", all, "", "m: a poem endTurn"},
		{"tools", "2025-11-25", "sampling.tools", "a poem"},
		{"roots", all, "", "file:///a A, file:///b%20c "},
		{"all", "2025-06-18", "elicitation.form", "Ada a poem 2"},
		{"explicit", "2025-06-18", "elicitation.form", `second{"action":"accept","content":{"name":"Ada"}}{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b%20c"}]}{"action":"accept","content":{"age":36}}`},
		{"without", all, "", "Ada"},
		{"many", "2025-06-18", "elicitation.form", "Ada Ada Ada Ada Ada Ada Ada Ada Ada Ada"},
		{"swallow", all, "", "age 36"},
		{"palette", "2025-11-25", "", "[#f00 #0f0]"},
	}
	each(t, mcptest.Options{Answer: always}, func(t *testing.T, s *asks.Server, c *mcptest.Client) {
		for _, tt := range tests {
			want := tt.want
			switch {
			case c.Revision() < tt.since && tt.needs != "":
				want = unasked(c, tt.needs)
			case tt.tool == "palette" && c.Revision() == "2025-06-18":
				want = "failed: this needs a client with the capability elicitation.form, and revision 2025-06-18 of the protocol has no choice of several values (colors)"
			case tt.tool == "palette" && c.Revision() < tt.since:
				want = unasked(c, "elicitation.form")
			case tt.tool == "without" && c.Revision() < "2025-06-18":
				want = "somebody, for want of elicitation.form"
			case tt.tool == "swallow" && c.Revision() < "2025-06-18":
				want = "age 0"
			}
			if got := text(c.Call(tt.tool, "")); got != want {
				t.Errorf("%s\n got %s\nwant %s", tt.tool, got, want)
			}
		}
	})
}

func TestPromptAndResource(t *testing.T) {
	each(t, mcptest.Options{Answer: always}, func(t *testing.T, s *asks.Server, c *mcptest.Client) {
		prompt, resource := c.Prompt("name", ""), c.Read("asks://name")
		if c.Revision() < "2025-06-18" {
			for _, r := range []*mcptest.Response{prompt, resource} {
				if got := text(r); !strings.HasPrefix(got, "-32600 This needs a client with the capability elicitation.form") {
					t.Errorf("got %s", got)
				}
			}
			return
		}
		if got := prompt.At("messages", 0, "content", "text"); !got.Is("hello Ada") {
			t.Errorf("prompt: got %s", prompt)
		}
		if got := resource.At("contents", 0, "text"); !got.Is("hello Ada") {
			t.Errorf("resource: got %s", resource)
		}
		if c.Revision() == mcptest.Modern && (string(resource.At("ttlMs")) != "0" || !resource.At("cacheScope").Is("private")) {
			t.Errorf("the result of a retry may be cached: %s", resource)
		}
	})
}

// TestNoToPromptAndResource: that the user says no is told as that, and not as a fault of
// the server (2026-07-28 client/elicitation, Error Handling).
func TestNoToPromptAndResource(t *testing.T) {
	for action, want := range map[string]string{"decline": "-32603 The user has declined ", "cancel": "-32603 The user has cancelled "} {
		no := func(mcptest.Ask) (string, *jsonrpc.Error) { return `{"action":"` + action + `"}`, nil }
		m := mcptest.Matrix{
			Except:  map[string]string{"2024-11-05": "it has no elicitation", "2025-03-26": "it has no elicitation"},
			Options: mcptest.Options{Answer: no},
		}
		m.Each(t, func(testing.TB) *mcp.Server { return asks.NewServer(nil, nil).Server }, func(t *testing.T, c *mcptest.Client) {
			for _, r := range []*mcptest.Response{c.Prompt("name", ""), c.Read("asks://name")} {
				if got := text(r); got != want {
					t.Errorf("%s: got %s, want %s", action, got, want)
				}
			}
		})
	}
}
