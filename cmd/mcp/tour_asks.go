package main

import (
	"fmt"
	"strings"

	"isthmus.internal/jsonrpc"
)

// askForm is the form with which the tool ask asks for a name.
const askForm = `{"type":"object","properties":{"name":{"type":"string","description":"your name"}},"required":["name"]}`

// userDoes is what the user of the tour does when asked, and what ask then says.
var userDoes = []struct{ what, answer, said string }{
	{"accepts", `{"action":"accept","content":{"name":"Ada"}}`, `"hello Ada"`},
	{"declines", `{"action":"decline"}`, `"declined"`},
	{"cancels", `{"action":"cancel"}`, `"cancelled"`},
}

// ask calls the tool.
var ask = trial{method: "tools/call", params: `"name":"ask"`}

// inquiry is the question of ask, in the request of the legacy era.
var inquiry = []arrival{{"elicitation/create", []expectation{
	{"it asks: What is your name?", "params message", equal, `"What is your name?"`},
	{"it asks with a form", "params mode", equal, `"form"`},
	{"the form is " + askForm, "params requestedSchema", equal, askForm},
}}}

// legacyAsks: the server sends a request of its own while the call runs.
func legacyAsks(e *era) (steps []*step) {
	for _, user := range userDoes {
		id := quote("ask, user " + user.what)
		answer := e.step(&trial{says: user.said, expect: noFault})
		answer.id, answer.answer = id, func(last jsonrpc.Raw) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, orNull(at(last, "id")), user.answer)
		}
		steps = append(steps, &step{send: e.request(id, ask.method, ask.params), also: inquiry}, answer)
	}
	return steps
}

// modernAsks: the call is answered with the question, and sent again with the answer
// (2026-07-28 basic/patterns/mrtr).
func modernAsks(bare *era) []*step {
	able := *bare
	able.meta = strings.Replace(bare.meta, `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{}}`, 1)
	e := &able
	var steps []*step
	for _, user := range userDoes {
		id := "ask, user " + user.what
		steps = append(steps, question(e, id),
			retry(e, id, user.answer, asItWas, &trial{says: user.said, expect: noFault}))
	}
	return append(steps, question(e, "ask, state altered"),
		retry(e, "ask, state altered", userDoes[0].answer, altered, &alteredState), bare.step(&unable))
}

// question is the first round of a call of ask.
func question(e *era, id string) *step {
	s := e.step(ask.as(quote(id)))
	s.expect = inquired
	return s
}

// inquired is the question, in the result of the modern era.
var inquired = []expectation{
	{"resultType is input_required", "result resultType", equal, `"input_required"`},
	{"it is asked for an elicitation", "result inputRequests name method", equal, `"elicitation/create"`},
	{"it asks: What is your name?", "result inputRequests name params message", equal, `"What is your name?"`},
	{"it asks with a form", "result inputRequests name params mode", equal, `"form"`},
	{"the form is " + askForm, "result inputRequests name params requestedSchema", equal, askForm},
	{"requestState is a text", "result requestState", filled, ""},
	{"there is no content", "result content", absent, ""},
}

// alteredState is how a call ends that has another state than the first round gave it, and
// unable one of a client that did not say that it can be asked.
var (
	alteredState = trial{code: -32602, message: "params.requestState is not valid: it was altered, has expired, or belongs to another request; send the request again without it"}
	unable       = trial{id: `"ask, who cannot be asked"`, method: "tools/call", params: `"name":"ask"`, code: -32021,
		message: "This needs the client capability elicitation.form", expect: []expectation{
			{"data names the capability", "error data requiredCapabilities", equal, `{"elicitation":{"form":{}}}`}}}
)

// retry is the second round: the same call with the answer, and the state that the
// first one gave, which change may alter. It ends as t does.
func retry(e *era, id, answer string, change func(state string) string, t *trial) *step {
	s := e.step(t)
	s.id = quote(id + ", again")
	s.answer = func(last jsonrpc.Raw) string {
		state, _ := at(last, "result requestState").Text()
		return e.request(s.id, ask.method, fmt.Sprintf(`%s,"inputResponses":{"name":%s},"requestState":%s`, ask.params, answer, quote(change(state))))
	}
	return s
}

func asItWas(state string) string { return state }

// altered has another first letter.
func altered(state string) string {
	if strings.HasPrefix(state, "A") {
		return "B" + state[1:]
	}
	return "A" + state[min(1, len(state)):]
}
