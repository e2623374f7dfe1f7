package main

import (
	"fmt"
	"slices"
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

// form expects the question of ask, at a place in a message.
func form(path string) []expectation {
	return []expectation{
		{"it asks: What is your name?", path + " message", equal(`"What is your name?"`)},
		{"it asks with a form", path + " mode", equal(`"form"`)},
		{"the form is " + askForm, path + " requestedSchema", equal(askForm)},
	}
}

// legacyAsks: the server sends a request of its own while the call runs.
func legacyAsks(e era) (steps []step) {
	for _, user := range userDoes {
		id := quote("ask, user " + user.what)
		answer := e.result(id, "", "", echoes(user.said), noFault())
		answer.id, answer.answer = id, func(last jsonrpc.Raw) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, orNull(at(last, "id")), user.answer)
		}
		steps = append(steps,
			step{send: e.request(id, "tools/call", `"name":"ask"`)}.with(arrival{"elicitation/create", form("params")}),
			answer)
	}
	return steps
}

// modernAsks: the call is answered with the question, and sent again with the answer
// (2026-07-28 basic/patterns/mrtr).
func modernAsks(bare era) []step {
	e := bare
	e.meta = strings.Replace(e.meta, `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{}}`, 1)
	var steps []step
	for _, user := range userDoes {
		id := "ask, user " + user.what
		steps = append(steps, question(e, id),
			retry(e, id, user.answer, asItWas, e.result("", "", "", echoes(user.said), noFault())))
	}
	const refused = "params.requestState is not valid: it was altered, has expired, or belongs to another request; send the request again without it"
	steps = append(steps, question(e, "ask, state altered"),
		retry(e, "ask, state altered", userDoes[0].answer, altered, e.refusal("", "", "", -32602, refused)))
	unable := bare.refusal(`"ask, who cannot be asked"`, "tools/call", `"name":"ask"`, -32021, "This needs the client capability elicitation.form")
	unable.expect = append(unable.expect, expectation{"data names the capability", "error data requiredCapabilities", equal(`{"elicitation":{"form":{}}}`)})
	return append(steps, unable)
}

// question is the first round of a call of ask.
func question(e era, id string) step {
	const inquiry = "result inputRequests name"
	return step{send: e.request(quote(id), "tools/call", `"name":"ask"`), kind: "result", expect: slices.Concat(
		[]expectation{
			{"resultType is input_required", "result resultType", equal(`"input_required"`)},
			{"it is asked for an elicitation", inquiry + " method", equal(`"elicitation/create"`)},
		},
		form(inquiry+" params"),
		[]expectation{
			{"requestState is a text", "result requestState", text()},
			{"there is no content", "result content", absent()},
		},
	)}
}

// retry is the second round: the same call with the answer, and the state that the
// first one gave, which change may alter.
func retry(e era, id, answer string, change func(state string) string, s step) step {
	s.id = quote(id + ", again")
	s.answer = func(last jsonrpc.Raw) string {
		state, _ := at(last, "result requestState").Text()
		return e.request(s.id, "tools/call", fmt.Sprintf(`"name":"ask","inputResponses":{"name":%s},"requestState":%s`, answer, quote(change(state))))
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
