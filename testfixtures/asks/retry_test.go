package asks_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
	"isthmus.internal/testfixtures/asks"
	"isthmus.internal/testfixtures/mcptest"
)

// modern is a client of the modern revision that answers nothing by itself.
func modern(t testing.TB, s *asks.Server, principal *mcp.Principal) *mcptest.Client {
	return mcptest.Dial(t, s.Server, &mcptest.Options{Principal: principal})
}

// bubble runs body in a bubble of synctest with a server that has keys.
func bubble(t *testing.T, body func(t *testing.T, s *asks.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { body(t, asks.NewServer(keys, nil)) })
}

// first calls a tool and returns the state that comes with what it asks.
func first(t testing.TB, c *mcptest.Client, params string) string {
	t.Helper()
	r := c.Request("tools/call", params)
	state := string(r.At("requestState"))
	if !r.InputRequired() || len(state) < 10 {
		t.Fatalf("%s: got %s, want input_required with a state", params, r)
	}
	return state
}

const ada = `"inputResponses":{"name":{"action":"accept","content":{"name":"Ada"}}}`

// TestRetry: the rows of the conformance suite for a retry with one question, and what
// else a client may send with it.
func TestRetry(t *testing.T) {
	const asked = `{"resultType":"input_required","inputRequests":{"name":{"method":"elicitation/create","params":{"mode":"form","message":"Who are you?",` +
		`"requestedSchema":{"type":"object","properties":{"name":{"type":"string","description":"what to call you","minLength":1}},"required":["name"]}}}},"requestState":"`
	const refusedState = "-32602 params.requestState is not valid: it was altered, has expired, or belongs to another request; send the request again without it "
	tests := []struct{ name, more, want string }{
		{"basic-elicitation, round 1", ``, asked},
		{"basic-elicitation", ada, "hello Ada"},
		{"with the state", ada + `,"requestState":STATE`, "hello Ada"},
		{"another _meta", ada + `,"requestState":STATE,"_meta":{"progressToken":7}`, "hello Ada"},
		{"missing-input-response", `"inputResponses":{"wrong_key":{"action":"accept","content":{}}}`, asked},
		{"missing, with the state", `"inputResponses":{},"requestState":STATE`, asked},
		{"the state alone", `"requestState":STATE`, asked},
		{"ignore-extra-params", `"inputResponses":{"name":{"action":"accept","content":{"name":"Ada","x":1},"y":2},"z":null}`, "hello Ada"},
		{"result-type", `"inputResponses":{"x":1}`, asked},
		{"validate-input: a number", `"inputResponses":{"name":12345}`, "-32602 params.inputResponses.name must be an object "},
		{"validate-input: null", `"inputResponses":null`, "-32602 params.inputResponses must be an object "},
		{"an array", `"inputResponses":[]`, "-32602 params.inputResponses must be an object "},
		{"an answer twice", `"inputResponses":{"name":1,"name":2}`, `-32602 params.inputResponses has a member twice `},
		{"an answer that is null", `"inputResponses":{"name":null}`, "-32602 params.inputResponses.name must be an object "},
		{"no action", `"inputResponses":{"name":{"content":{"name":"Ada"}}}`, "-32602 params.inputResponses.name.action must be there "},
		{"an unknown action", `"inputResponses":{"name":{"action":"Accept"}}`, `-32602 params.inputResponses.name.action must be "accept", "decline" or "cancel" `},
		{"an action that is no text", `"inputResponses":{"name":{"action":true}}`, "-32602 params.inputResponses.name.action must be a string "},
		{"content of another type", `"inputResponses":{"name":{"action":"accept","content":{"name":7}}}`, "-32602 params.inputResponses.name.content.name: expected a string, got the number 7 "},
		{"content without a field", `"inputResponses":{"name":{"action":"accept"}}`, `-32602 params.inputResponses.name.content: expected the required member "name", got an empty object `},
		{"content that is too short", `"inputResponses":{"name":{"action":"accept","content":{"name":""}}}`, "-32602 params.inputResponses.name.content.name: expected"},
		{"content that is null", `"inputResponses":{"name":{"action":"accept","content":null}}`, "-32602 params.inputResponses.name.content: expected an object, got null "},
		{"in other letters", `"inputResponses":{"name":{"action":"accept","content":{"Name":"Ada"}}}`, "-32602 params.inputResponses.name.content: expected"},
		{"B203 decline", `"inputResponses":{"name":{"action":"decline"}}`, "failed: the user has declined"},
		{"B203 decline with content", `"inputResponses":{"name":{"action":"decline","content":{"name":7}}}`, "failed: the user has declined"},
		{"B203 cancel", `"inputResponses":{"name":{"action":"cancel"}}`, "failed: the user has cancelled"},
		{"tampered-state", ada + `,"requestState":"STATE-TAMPERED"`, refusedState},
		{"the state of nobody", ada + `,"requestState":"abc"`, refusedState},
		{"an empty state", ada + `,"requestState":""`, refusedState},
		{"a state that is no text", ada + `,"requestState":7`, "-32602 params.requestState must be a string "},
		{"a state that is null", ada + `,"requestState":null`, "-32602 params.requestState must be a string "},
		{"B133 other arguments", ada + `,"requestState":STATE,"arguments":{"a":2}`, refusedState},
	}
	bubble(t, func(t *testing.T, s *asks.Server) {
		c := modern(t, s, nil)
		state := first(t, c, `{"name":"name","arguments":{"a":1}}`)
		for _, tt := range tests {
			more := strings.ReplaceAll(strings.ReplaceAll(tt.more, `"STATE-`, strings.TrimSuffix(state, `"`)+`-`), "STATE", state)
			params := `{"name":"name"`
			if !strings.Contains(more, `"arguments"`) {
				params += `,"arguments":{"a":1}`
			}
			if more != "" {
				params += "," + more
			}
			got := text(c.Request("tools/call", params+"}"))
			open := tt.want == asked || strings.HasSuffix(tt.want, ": expected") // only the beginning is known
			if got != tt.want && !(open && strings.HasPrefix(got, tt.want)) {
				t.Errorf("%s: %s\n got %s\nwant %s", tt.name, more, got, tt.want)
			}
			if strings.HasPrefix(got, `{`) && (strings.Contains(got, "ttlMs") || strings.Contains(got, "cacheScope")) {
				t.Errorf("%s: a result that asks may not be cached: %s", tt.name, got)
			}
		}
	})
}

// TestStateIsBound (B133): a state is good for one principal, tool and set of arguments,
// and for as long as a question is.
func TestStateIsBound(t *testing.T) {
	alice, bob := &mcp.Principal{ID: "alice"}, &mcp.Principal{ID: "bob"}
	const call = `{"name":"name","arguments":{"a":1,"b":{"c":"\u00e9","d":[1,2.50]}}}`
	retry := func(params, state string) string {
		return strings.TrimSuffix(params, "}") + `,` + ada + `,"requestState":` + state + "}"
	}
	tests := []struct {
		name   string
		from   *mcp.Principal
		params string
		after  time.Duration
		ok     bool
	}{
		{"the same", alice, call, 0, true},
		{"in another order, with space, without escapes", alice, `{"arguments": {"b": {"d":[1, 2.50],"c":"é"},"a":1}, "name":"name"}`, 0, true},
		{"just before it expires", alice, call, 29 * time.Minute, true},
		{"expired", alice, call, 31 * time.Minute, false},
		{"another principal", bob, call, 0, false},
		{"nobody", nil, call, 0, false},
		{"a principal without an id", &mcp.Principal{}, call, 0, false},
		{"another tool", alice, strings.Replace(call, `"name":"name"`, `"name":"three"`, 1), 0, false},
		{"another argument", alice, strings.Replace(call, `"a":1`, `"a":2`, 1), 0, false},
		{"another spelling of a number", alice, strings.Replace(call, `2.50`, `2.5`, 1), 0, false},
		{"an argument more", alice, strings.Replace(call, `"a":1`, `"a":1,"e":null`, 1), 0, false},
		{"another order of a list", alice, strings.Replace(call, `[1,2.50]`, `[2.50,1]`, 1), 0, false},
		{"no arguments", alice, `{"name":"name"}`, 0, false},
		{"another member of params", alice, strings.Replace(call, `{`, `{"x":1,`, 1), 0, false},
	}
	for _, tt := range tests {
		for _, with := range []struct {
			name string
			keys mcp.Sealer
		}{{"keys", keys}, {"no keys", nil}} {
			t.Run(tt.name+"/"+with.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := asks.NewServer(with.keys, nil)
					state := first(t, modern(t, s, alice), call)
					<-time.After(tt.after)
					got := text(modern(t, s, tt.from).Request("tools/call", retry(tt.params, state)))
					if ok := got == "hello Ada"; ok != tt.ok || !ok && !strings.HasPrefix(got, "-32602 params.requestState is not valid") {
						t.Errorf("got %s, want it taken: %t", got, tt.ok)
					}
				})
			})
		}
	}
}

// TestStateIsOfItsKeys: what a server cannot have made it refuses, whatever the keys.
func TestStateIsOfItsKeys(t *testing.T) {
	const call = `{"name":"name"}`
	rotated, err := seal.NewKeys([]byte("a newer secret of the tests, 32 b"), []byte("a secret of the tests, 32 bytes!"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name     string
		from, to mcp.Sealer
		ok       bool
	}{
		{"shared", keys, keys, true},
		{"rotated", keys, rotated, true},
		{"not rotated yet", rotated, keys, false},
		{"others", seal.RandomKeys(), keys, false},
		{"none here", keys, nil, false},
		{"none there", nil, keys, false},
		{"none at all", nil, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				state := first(t, modern(t, asks.NewServer(tt.from, nil), nil), call)
				got := text(modern(t, asks.NewServer(tt.to, nil), nil).Request("tools/call", `{"name":"name",`+ada+`,"requestState":`+state+`}`))
				if ok := got == "hello Ada"; ok != tt.ok || !ok && !strings.HasPrefix(got, "-32602 params.requestState is not valid") {
					t.Errorf("got %s, want it taken: %t", got, tt.ok)
				}
			})
		})
	}
}

// TestRounds: three questions one after the other, each round on a server of its own,
// with a state that is new each time; what is done once stays done.
func TestRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := []string{
			`"name":{"action":"accept","content":{"name":"Ada"}}`,
			`"age":{"action":"accept","content":{"age":36.0}}`,
			`"poem":{"role":"assistant","content":[{"type":"text","text":"a "},{"type":"text","text":"poem"}],"model":"m"}`,
		}
		states := map[string]bool{}
		params, done := `{"name":"three"}`, int64(0)
		for round := range 4 {
			s := asks.NewServer(keys, nil)
			s.Done.Store(int64(round) * 10) // so that doing it again would show
			r := modern(t, s, nil).Request("tools/call", params)
			done += s.Done.Load() - int64(round)*10
			if round == 3 {
				if got := text(r); got != "Ada, 36, ticket 11: a poem" || done != 1 {
					t.Errorf("got %s, done %d times; want it done once, in the second round", got, done)
				}
				return
			}
			state := string(r.At("requestState"))
			if !r.InputRequired() || states[state] {
				t.Fatalf("round %d: got %s, want input_required with a new state", round, r)
			}
			states[state] = true
			params = `{"name":"three","inputResponses":{` + answers[round] + `},"requestState":` + state + `}`
		}
	})
}

// TestAnswerTwice: what was answered in an earlier round stays as it was.
func TestAnswerTwice(t *testing.T) {
	bubble(t, func(t *testing.T, s *asks.Server) {
		c := modern(t, s, nil)
		r := c.Request("tools/call", `{"name":"three",`+ada+`}`)
		r = c.Request("tools/call", `{"name":"three","inputResponses":{"name":{"action":"accept","content":{"name":"Eve"}},"age":{"action":"accept","content":{"age":1}}},"requestState":`+string(r.At("requestState"))+`}`)
		if got, _ := r.At("inputRequests", "poem", "params", "messages", 0, "content", "text").Text(); got != "Ada is 1" {
			t.Errorf("got %s", r)
		}
	})
}

// TestSwallowed: a handler that does not mind an answer that is missing or wrong does not
// change what becomes of the request.
func TestSwallowed(t *testing.T) {
	tests := []struct{ more, want string }{
		{``, `{"resultType":"input_required"`},
		{`,"inputResponses":{"age":{"action":"accept","content":{"age":"x"}}}`, `-32602 params.inputResponses.age.content.age: expected an integer`},
		{`,"inputResponses":{"age":{"action":"accept","content":{"age":1.5}}}`, `-32602 params.inputResponses.age.content.age: expected an integer`},
		{`,"inputResponses":{"age":{"action":"accept","content":{"age":151}}}`, `-32602 params.inputResponses.age.content.age: expected`},
		{`,"inputResponses":{"age":{"action":"decline"}}`, `age 0`},
	}
	bubble(t, func(t *testing.T, s *asks.Server) {
		c := modern(t, s, nil)
		for _, tt := range tests {
			if got := text(c.Request("tools/call", `{"name":"swallow"`+tt.more+`}`)); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s\n got %s\nwant %s", tt.more, got, tt.want)
			}
		}
	})
}

// TestBounds: a request does not ask for ever, nor carry more than it may.
func TestBounds(t *testing.T) {
	const tooOften = "-32603 The request has asked for input 3 times, which is the most "
	m := mcptest.Matrix{Options: mcptest.Options{Answer: always}}
	m.Each(t, func(testing.TB) *mcp.Server {
		return asks.NewServer(keys, &mcp.AskOptions{Rounds: 3, StateSize: 1000}).Server
	}, func(t *testing.T, c *mcptest.Client) {
		if got := text(c.Call("endless", "")); got != tooOften {
			t.Errorf("got %s, want %s", got, tooOften)
		}
		if c.Revision() != mcptest.Modern {
			return
		}
		long := fmt.Sprintf(`{"name":"three","inputResponses":{"name":{"action":"accept","content":{"name":%q}}}}`, strings.Repeat("a", 1000))
		if got := text(c.Request("tools/call", long)); !strings.HasPrefix(got, "-32603 The answers and results of the request so far come to 1") {
			t.Errorf("got %s", got)
		}
	})
}

// TestToolLoopEnds: a model that never stops using tools is stopped, in either era
// (2026-07-28 client/sampling, Security Considerations).
func TestToolLoopEnds(t *testing.T) {
	const use = `{"role":"assistant","content":{"type":"tool_use","id":"u","name":"weather","input":{}},"model":"m","stopReason":"toolUse"}`
	m := mcptest.Matrix{
		Except:  map[string]string{"2024-11-05": "it has no tools in sampling", "2025-03-26": "it has no tools in sampling", "2025-06-18": "it has no tools in sampling"},
		Options: mcptest.Options{Answer: func(mcptest.Ask) (string, *jsonrpc.Error) { return use, nil }},
	}
	m.Each(t, func(testing.TB) *mcp.Server { return asks.NewServer(keys, &mcp.AskOptions{Rounds: 3}).Server }, func(t *testing.T, c *mcptest.Client) {
		if got, want := text(c.Call("tools", "")), "-32603 The request has asked for input 3 times, which is the most "; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if n := len(c.Asks()); n != 3 {
			t.Errorf("the model was asked %d times, want 3", n)
		}
	})
}

// TestNeverElsewhere: lists are not asked back about, whatever comes with them.
func TestNeverElsewhere(t *testing.T) {
	bubble(t, func(t *testing.T, s *asks.Server) {
		c := modern(t, s, nil)
		for _, method := range []string{"tools/list", "prompts/list", "resources/list"} {
			r := c.Request(method, `{"inputResponses":7,"requestState":8}`)
			if !r.At("resultType").Is("complete") {
				t.Errorf("%s: got %s", method, r)
			}
		}
	})
}

// TestCapabilities: what the client has not declared is not asked (table 4b,
// capability-check; 2026-07-28 basic/index, Per-request protocol fields).
func TestCapabilities(t *testing.T) {
	tests := []struct{ tool, declared, want string }{
		{"name", `{}`, `-32021 This needs the client capability elicitation.form {"requiredCapabilities":{"elicitation":{"form":{}}}}`},
		{"name", `{"elicitation":{"url":{}}}`, `-32021 This needs the client capability elicitation.form {"requiredCapabilities":{"elicitation":{"form":{}}}}`},
		{"name", `{"elicitation":{}}`, `{"resultType":"input_required"`},
		{"page", `{"elicitation":{}}`, `-32021 This needs the client capability elicitation.url {"requiredCapabilities":{"elicitation":{"url":{}}}}`},
		{"page", `{"elicitation":{"url":{}}}`, `{"resultType":"input_required"`},
		{"sample", `{"elicitation":{}}`, `-32021 This needs the client capability sampling {"requiredCapabilities":{"sampling":{}}}`},
		{"sample", `{"sampling":{}}`, `{"resultType":"input_required"`},
		{"tools", `{"sampling":{}}`, `-32021 This needs the client capability sampling.tools {"requiredCapabilities":{"sampling":{"tools":{}}}}`},
		{"tools", `{"sampling":{"tools":{}}}`, `{"resultType":"input_required"`},
		{"roots", `{"sampling":{}}`, `-32021 This needs the client capability roots {"requiredCapabilities":{"roots":{}}}`},
		{"all", `{"elicitation":{},"sampling":{}}`, `-32021 This needs the client capability roots {"requiredCapabilities":{"roots":{}}}`},
		{"explicit", `{"elicitation":{}}`, `-32021 This needs the client capability roots {"requiredCapabilities":{"roots":{}}}`},
		{"all", `{}`, `-32021 This needs the client capabilities elicitation.form, sampling, roots {"requiredCapabilities":{"elicitation":{"form":{}},"sampling":{},"roots":{}}}`},
		{"all", `{"sampling":{}}`, `-32021 This needs the client capabilities elicitation.form, roots {"requiredCapabilities":{"elicitation":{"form":{}},"roots":{}}}`},
		{"explicit", `{}`, `-32021 This needs the client capabilities elicitation.form, roots {"requiredCapabilities":{"elicitation":{"form":{}},"roots":{}}}`},
		{"tools", `{}`, `-32021 This needs the client capability sampling.tools {"requiredCapabilities":{"sampling":{"tools":{}}}}`},
		{"without", `{}`, `somebody, for want of elicitation.form`},
	}
	synctest.Test(t, func(t *testing.T) {
		for _, revision := range []string{mcptest.Modern, "2025-11-25"} {
			for _, tt := range tests {
				c := mcptest.Dial(t, asks.NewServer(keys, nil).Server, &mcptest.Options{Revision: revision, Capabilities: tt.declared, Answer: answerIn(revision)})
				want := tt.want
				if _, rest, ok := strings.Cut(want, "capabilit"); ok && revision != mcptest.Modern {
					_, rest, _ = strings.Cut(rest, " ")
					names, _, _ := strings.Cut(rest, " {")
					const undeclared = ", which this client has not declared"
					want = "failed: this needs a client with the capability " +
						strings.ReplaceAll(names, ", ", undeclared+"; and with the capability ") + undeclared
				} else if revision != mcptest.Modern {
					want = strings.TrimPrefix(want, `{"resultType":"input_required"`)
				}
				if got := text(c.Call(tt.tool, "")); !strings.HasPrefix(got, want) || strings.HasPrefix(got, "failed") && got != want {
					t.Errorf("%s: %s with %s\n got %s\nwant %s", revision, tt.tool, tt.declared, got, want)
				}
			}
		}
	})
}

// answerIn answers in the legacy era alone.
func answerIn(revision string) func(mcptest.Ask) (string, *jsonrpc.Error) {
	if revision == mcptest.Modern {
		return nil
	}
	return always
}

// TestExplicitRetry: answers that a handler reads itself are held against what it has
// asked, by the state that it comes back with.
func TestExplicitRetry(t *testing.T) {
	const (
		name  = `"name":{"action":"accept","content":{"name":"Ada"}}`
		roots = `"roots":{"roots":[]}`
		round = `{"resultType":"input_required","inputRequests":{"age":`
	)
	tests := []struct{ answers, want string }{
		{name + `,` + roots, round},
		{`"name":{"action":"decline"},` + roots, round},
		{roots, `{"resultType":"input_required","inputRequests":{"name":`},
		{`"name":{"action":"accept","content":{"name":7}},` + roots, "-32602 params.inputResponses.name.content.name: expected a string, got the number 7 "},
		{`"name":{"action":"accept"},` + roots, "-32602 params.inputResponses.name.content: expected"},
		{`"name":7,` + roots, "-32602 params.inputResponses.name must be an object "},
		{name + `,"roots":{"roots":[{"uri":"/a"}]}`, "-32602 params.inputResponses.roots.roots[0].uri must be a uri that begins with file:// "},
		{name + `,"roots":{}`, "-32602 params.inputResponses.roots.roots must be there "},
	}
	bubble(t, func(t *testing.T, s *asks.Server) {
		c := modern(t, s, nil)
		state := first(t, c, `{"name":"explicit"}`)
		for _, tt := range tests {
			got := text(c.Request("tools/call", `{"name":"explicit","inputResponses":{`+tt.answers+`},"requestState":`+state+`}`))
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s\n got %s\nwant %s", tt.answers, got, tt.want)
			}
		}
	})
}

// TestExplicitKinds: every kind of question can be asked so.
func TestExplicitKinds(t *testing.T) {
	tests := []struct{ answer, want string }{
		{`"page":{"action":"accept"}`, "page "},
		{`"page":{"action":"no"}`, `-32602 params.inputResponses.page.action must be "accept", "decline" or "cancel" `},
		{`"a model":{"role":"assistant","content":[],"model":"m"}`, "a model "},
		{`"a model":{"role":"assistant","content":[]}`, `-32602 params.inputResponses["a model"].model must be there `},
		{`"other":[],"page":{"action":"accept"}`, "page "}, // it was not asked
		{`"other":{},"page":{"action":"accept"}`, "page "},
	}
	bubble(t, func(t *testing.T, s *asks.Server) {
		c := modern(t, s, nil)
		state := first(t, c, `{"name":"kinds"}`)
		for _, tt := range tests {
			got := text(c.Request("tools/call", `{"name":"kinds","inputResponses":{`+tt.answer+`},"requestState":`+state+`}`))
			if got != tt.want {
				t.Errorf("%s\n got %s\nwant %s", tt.answer, got, tt.want)
			}
		}
	})
}
