package everything_test

import (
	"log/slog"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
	"isthmus.internal/testfixtures/everything"
	"isthmus.internal/testfixtures/mcptest"
)

// answering is a matrix whose client answers an ask by what its message or method says.
func answering(answers map[string]string) *mcptest.Matrix {
	return &mcptest.Matrix{Options: mcptest.Options{Answer: func(a mcptest.Ask) (string, *jsonrpc.Error) {
		message, _ := a.At("message").Text()
		for part, answer := range answers {
			if a.Method == part || message != "" && strings.Contains(message, part) {
				return answer, nil
			}
		}
		return "", jsonrpc.Errorf(-32603, "the test has no answer to %s %s", a.Method, a.Params)
	}}}
}

const (
	said    = `{"role":"assistant","content":{"type":"text","text":"Paris"},"model":"m","stopReason":"endTurn"}`
	roots   = `{"roots":[{"uri":"file:///a","name":"a"},{"uri":"file:///b"}]}`
	accept  = `{"action":"accept","content":`
	decline = `{"action":"decline"}`
	cancel  = `{"action":"cancel"}`
)

// all answers all questions of the fixture.
var all = map[string]string{
	"name":                   accept + `{"name":"Ada"}}`,
	"colour":                 accept + `{"colour":"red"}}`,
	"color":                  accept + `{"color":"blue"}}`,
	"sure":                   accept + `{"ok":true}}`,
	"go on":                  accept + `{"ok":true}}`,
	"about":                  accept + `{"context":"tea"}}`,
	"sampling/createMessage": said,
	"roots/list":             roots,
}

// withoutForms are the revisions in which a user cannot be asked.
var withoutForms = map[string]string{
	"2024-11-05": "it has no elicitation",
	"2025-03-26": "it has no elicitation",
}

// TestAsk (B203): what the user does reaches the handler as what it is.
func TestAsk(t *testing.T) {
	for answer, want := range map[string]string{
		accept + `{"name":"Ada"}}`: "hello Ada",
		decline:                    "declined",
		cancel:                     "cancelled",
	} {
		m := answering(map[string]string{"name": answer})
		m.Except = withoutForms
		m.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
			for _, tool := range []string{"ask", "test_streaming_elicitation"} {
				r := c.Call(tool, "")
				same(t, tool, r.Text(), want)
			}
			if asks := c.Asks(); len(asks) != 2 {
				t.Errorf("the client was asked %d times, want 2", len(asks))
			}
		})
	}
}

// TestOpenPage: what the user does with a page reaches the handler, in the revisions that have pages.
func TestOpenPage(t *testing.T) {
	for answer, want := range map[string]string{
		`{"action":"accept"}`: "the user has agreed to open the page", decline: "declined", cancel: "cancelled",
	} {
		m := answering(map[string]string{"page": answer})
		m.Options.Capabilities = `{"elicitation":{"url":{}}}`
		m.Except = map[string]string{"2024-11-05": "it has no elicitation", "2025-03-26": "it has no elicitation", "2025-06-18": "it has forms alone"}
		m.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
			same(t, answer, c.Call("open_page", "").Text(), want)
		})
	}
}

// TestAskWrongly (B203): an answer that does not fit what was asked is not taken.
func TestAskWrongly(t *testing.T) {
	m := &mcptest.Matrix{Except: withoutForms}
	rounds := 0
	m.Options.Answer = func(mcptest.Ask) (string, *jsonrpc.Error) {
		if rounds++; rounds == 1 {
			return accept + `{"name":7}}`, nil
		}
		return decline, nil
	}
	m.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		rounds = 0
		r := c.Call("ask", "")
		if modern := c.Revision() == mcptest.Modern; modern && r.Code() != jsonrpc.InvalidParams || !modern && !r.IsError() {
			t.Errorf("got %s, want -32602 in the modern revision and a failed call in the others", r.Line)
		}
	})
}

// TestAsks: each tool that asks gets its answers, with as many rounds as it has
// questions in a row.
func TestAsks(t *testing.T) {
	for _, row := range []struct {
		tool, arguments, want string
		rounds                int // of asking
		forms                 bool
	}{
		{"test_sampling", `{"prompt":"x"}`, "LLM response: Paris", 1, false},
		{"test_missing_capability", "", "LLM response: Paris", 1, false},
		{"test_elicitation", `{"message":"Your name?"}`, "", 1, true},
		{"interview", "", "number 1: Ada likes red, sure: true", 3, true},
		{"test_input_required_result_elicitation", "", "Hello, Ada!", 1, true},
		{"test_input_required_result_sampling", "", "The model says: Paris", 1, false},
		{"test_input_required_result_list_roots", "", "Roots: file:///a, file:///b", 1, false},
		{"test_input_required_result_request_state", "", "state-ok: asked", 1, true},
		{"test_input_required_result_multiple_inputs", "", "Ada, the model says: Paris; roots: file:///a, file:///b", 1, true},
		{"test_input_required_result_multi_round", "", "Ada likes blue", 2, true},
		{"test_input_required_result_tampered_state", "", "state-ok: asked", 1, true},
	} {
		t.Run(row.tool, func(t *testing.T) {
			m := answering(all)
			want := row.want
			if row.forms {
				m.Except = withoutForms
			}
			if row.tool == "test_elicitation" {
				m = answering(map[string]string{"name": accept + `{"username":"ada","email":"ada@example.com"}}`})
				m.Except = withoutForms
				want = "User response: ada <ada@example.com>"
			}
			m.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
				r := c.Call(row.tool, row.arguments)
				if r.IsError() || r.Text() != want {
					t.Errorf("got  %s\nwant %s", r, want)
				}
				if c.Revision() == mcptest.Modern && r.Rounds != row.rounds+1 {
					t.Errorf("%d rounds, want %d", r.Rounds, row.rounds+1)
				}
			})
		})
	}
}

// TestCapabilities: nothing is asked that the client has not declared.
func TestCapabilities(t *testing.T) {
	for capabilities, want := range map[string]string{
		`{}`: "asked 0 things", `{"sampling":{}}`: "asked 1 things", `{"elicitation":{"url":{}}}`: "asked 0 things",
		`{"elicitation":{"url":{}},"sampling":{},"roots":{}}`: "asked 1 things",
	} {
		m := answering(all)
		m.Options.Capabilities = capabilities
		m.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
			same(t, capabilities, c.Call("test_input_required_result_capabilities", "").Text(), want)
		})
	}
	m := answering(all)
	m.Except = withoutForms
	m.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		same(t, "all", c.Call("test_input_required_result_capabilities", "").Text(), "asked 2 things")
	})
}

// TestUndeclared: to need what the client cannot do is -32021 in the modern revision,
// with what is needed, and a failed call in the others.
func TestUndeclared(t *testing.T) {
	m := answering(all)
	m.Options.Capabilities = `{}`
	m.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		for tool, want := range map[string]string{
			"ask": "elicitation", "test_missing_capability": "sampling", "test_input_required_result_list_roots": "roots",
		} {
			r := c.Call(tool, "")
			if c.Revision() == mcptest.Modern {
				needed := mcptest.At(r.Error.Data, "requiredCapabilities", want)
				if r.Code() != -32021 || needed.Kind() != jsonrpc.KindObject {
					t.Errorf("%s: got %s, want -32021 that requires %s", tool, r.Line, want)
				}
				continue
			}
			if !r.IsError() || !strings.Contains(r.Text(), want) {
				t.Errorf("%s: got %s, want a failed call that names %s", tool, r, want)
			}
		}
	})
}

// TestForms: the forms go out as they are written, where the revision has all of it.
func TestForms(t *testing.T) {
	m := answering(map[string]string{"form": decline})
	m.Except = map[string]string{
		"2024-11-05": "it has no elicitation", "2025-03-26": "it has no elicitation",
		"2025-06-18": "it has no defaults but those of booleans, and no choices of several",
	}
	m.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		c.Call("test_elicitation_sep1034_defaults", "")
		c.Call("test_elicitation_sep1330_enums", "")
		forms := c.Asks()
		if len(forms) != 2 {
			t.Fatalf("asked %d times, want 2", len(forms))
		}
		property := func(a mcptest.Ask, path ...any) string {
			return string(a.At(append([]any{"requestedSchema", "properties"}, path...)...))
		}
		for name, want := range map[string]string{"name": `"John Doe"`, "age": "30", "score": "95.5", "status": `"active"`, "verified": "true"} {
			same(t, name, property(forms[0], name, "default"), want)
		}
		for _, row := range []struct {
			name string
			path []any
			want string
		}{
			{"untitledSingle", []any{"enum"}, `["option1","option2","option3"]`},
			{"titledSingle", []any{"oneOf", 0}, `{"const":"value1","title":"First option"}`},
			{"titledSingle", []any{"enum"}, ``},
			{"legacyEnum", []any{"enumNames"}, `["Option one","Option two"]`},
			{"untitledMulti", []any{"items"}, `{"type":"string","enum":["option1","option2","option3"]}`},
			{"titledMulti", []any{"items", "anyOf", 1}, `{"const":"value2","title":"Second choice"}`},
			{"titledMulti", []any{"items", "enum"}, ``},
		} {
			same(t, row.name, property(forms[1], append([]any{row.name}, row.path...)...), row.want)
		}
	})
}

// TestPromptAsks: prompts ask like tools.
func TestPromptAsks(t *testing.T) {
	m := answering(all)
	m.Except = withoutForms
	m.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		r := c.Prompt("test_input_required_result_prompt", "")
		same(t, "the prompt", string(r.At("messages", 0, "content", "text")), `"Use this context: tea"`)
	})
}

// TestReplicas: each round of a request is answered by another server, which shares the
// key and nothing else. (That what Once does is done once is for package asks, whose
// servers count from different numbers.)
func TestReplicas(t *testing.T) {
	keys, err := seal.NewKeys([]byte("the key that all replicas share"))
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	replica := func() *mcp.Server {
		made++
		return everything.NewServer(&everything.Options{Logger: slog.New(slog.DiscardHandler), Keys: keys})
	}
	m := answering(all)
	m.Options.Replica = replica
	m.Except = map[string]string{"2024-11-05": "it has no rounds", "2025-03-26": "it has no rounds", "2025-06-18": "it has no rounds", "2025-11-25": "it has no rounds"}
	m.Each(t, func(testing.TB) *mcp.Server { return replica() }, func(t *testing.T, c *mcptest.Client) {
		made = 1
		r := c.Call("interview", "")
		same(t, "interview", r.Text(), "number 1: Ada likes red, sure: true")
		if made != 4 || r.Rounds != 4 {
			t.Errorf("%d servers answered %d rounds, want 4 and 4", made, r.Rounds)
		}
	})
}

// TestState (B133): a state that is altered, or comes with another request or principal,
// is refused; as it was, it is taken.
func TestState(t *testing.T) {
	m := &mcptest.Matrix{Except: map[string]string{"2024-11-05": "it has no state", "2025-03-26": "it has no state", "2025-06-18": "it has no state", "2025-11-25": "it has no state"}}
	m.Options.Principal = &mcp.Principal{ID: "ada"}
	m.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		const tool = "test_input_required_result_tampered_state"
		first := c.Call(tool, "")
		state, ok := first.At("requestState").Text()
		if !ok || !first.InputRequired() {
			t.Fatalf("the first round: %s", first)
		}
		retry := func(c *mcptest.Client, tool, state string) *mcptest.Response {
			return c.Request("tools/call", `{"name":"`+tool+`","inputResponses":{"confirm":`+all["go on"]+`},"requestState":"`+state+`"}`)
		}
		for i := range state {
			flipped := state[:i] + string(state[i]^1) + state[i+1:]
			if r := retry(c, tool, flipped); r.Error == nil {
				t.Fatalf("with byte %d altered: %s", i, r)
			}
		}
		other := mcptest.Dial(t, c.Server(), &mcptest.Options{Principal: &mcp.Principal{ID: "bob"}})
		for what, r := range map[string]*mcptest.Response{
			"with more behind it":    retry(c, tool, state+"-TAMPERED"),
			"with nothing":           retry(c, tool, ""),
			"for another tool":       retry(c, "test_input_required_result_request_state", state),
			"from another principal": retry(other, tool, state),
		} {
			if r.Error == nil {
				t.Errorf("%s: %s", what, r)
			}
		}
		same(t, "as it was", retry(c, tool, state).Text(), "state-ok: asked")
	})
}

// TestRetries: what a client may bring to the second round, as outside suites try it.
func TestRetries(t *testing.T) {
	m := &mcptest.Matrix{Except: map[string]string{"2024-11-05": "it has no rounds", "2025-03-26": "it has no rounds", "2025-06-18": "it has no rounds", "2025-11-25": "it has no rounds"}}
	m.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		const tool = `"name":"test_input_required_result_elicitation"`
		for _, row := range []struct{ name, responses, want string }{
			{"right", `{"user_name":` + all["name"] + `}`, "complete"},
			{"right, and more", `{"user_name":` + all["name"] + `,"other":{"action":"decline"}}`, "complete"},
			{"under another key", `{"wrong_key":` + all["name"] + `}`, "input_required"},
			{"none", `{}`, "input_required"},
			{"a number", `{"user_name":12345}`, ""},
			{"null", `null`, ""},
			{"an array", `[]`, ""},
		} {
			state := string(c.Request("tools/call", `{`+tool+`}`).At("requestState"))
			r := c.Request("tools/call", `{`+tool+`,"inputResponses":`+row.responses+`,"requestState":`+state+`}`)
			got, _ := r.At("resultType").Text()
			if got != row.want || row.want == "" && r.Code() != -32602 {
				t.Errorf("%s: %s, want %q or an error", row.name, r, row.want)
			}
		}
	})
}
