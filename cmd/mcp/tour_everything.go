package main

import (
	"slices"
	"strconv"

	"isthmus.internal/jsonrpc"
)

const (
	everythingServer       = "everything-server"
	everythingInfo         = `{"name":"everything-server","title":"Everything","version":"1.0.0"}`
	everythingCapabilities = `{"logging":{},"completions":{},"prompts":{"listChanged":true},` +
		`"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}}`

	readme = `"file://docs/readme"`
)

// everythingSections is the tour of the server that does everything, in the newest
// revision of each era, and of lists in pages in both.
func everythingSections() []section {
	legacy, modern := legacyEra(), modernEra(everythingInfo)
	return []section{{
		title:  "everything-server, legacy era, " + legacyVersion,
		server: everythingServer,
		steps: slices.Concat(
			handshakeOf(`{"elicitation":{}}`, "1", legacyVersion,
				expectation{"serverInfo is " + everythingInfo, "result serverInfo", equal(everythingInfo)},
				expectation{"capabilities are " + everythingCapabilities, "result capabilities", equal(everythingCapabilities)},
			),
			additions(legacy),
			legacyAsks(legacy),
			greetings(legacy),
			waits(legacy),
			legacyLogs(legacy),
			legacyChanges(legacy),
		),
	}, {
		title:  "everything-server, modern era, " + modernVersion,
		server: everythingServer,
		steps: slices.Concat(
			[]step{discovery(modern, everythingCapabilities)},
			additions(modern),
			modernAsks(modern),
			greetings(modern),
			waits(modern),
			modernLogs(modern),
			modernChanges(modern),
		),
	}, {
		title:  "everything-server, lists in pages, both eras in turn in one process",
		server: everythingServer,
		args:   []string{"-page", "4"},
		steps: slices.Concat(
			handshake("1", legacyVersion),
			pages(legacy, "legacy"),
			pages(modern, "modern"),
		),
	}}
}

// additions call a typed tool: a Go function with a struct of arguments.
func additions(e era) []step {
	const wrong = `Invalid arguments for tool add: arguments.b: expected an integer, got the string "two"`
	return []step{
		e.result(`"add"`, "tools/call", `"name":"add","arguments":{"a":9007199254740993,"b":1}`,
			expectation{"structuredContent is the sum, to the last digit", "result structuredContent", equal(`{"sum":9007199254740994}`)},
			expectation{"the content holds the same as text", "result content 0 text", equal(`"{\"sum\":9007199254740994}"`)},
			noFault(),
		),
		e.result(`"add two"`, "tools/call", `"name":"add","arguments":{"a":1,"b":"two"}`,
			expectation{"isError is true: the model may try again", "result isError", equal(`true`)},
			echoes(quote(wrong)),
			expectation{"there is no structuredContent", "result structuredContent", absent()},
		),
	}
}

// greetings get a prompt, and complete its argument.
func greetings(e era) []step {
	const greet = `"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":`
	return []step{
		e.result(`"greet"`, "prompts/get", `"name":"greet","arguments":{"name":"Ada"}`,
			expectation{"the description is A greeting for Ada", "result description", equal(`"A greeting for Ada"`)},
			expectation{"there is one message, from the user", "result messages",
				equal(`[{"role":"user","content":{"type":"text","text":"Greet Ada in one sentence."}}]`)},
		),
		e.refusal(`"greet nobody"`, "prompts/get", `"name":"greet"`, -32602, "Missing arguments of prompt greet: name"),
		e.result(`"complete al"`, "completion/complete", greet+`"al"}`,
			expectation{"Alan alone begins with al", "result completion", equal(`{"values":["Alan"],"total":1}`)}),
		e.result(`"complete x"`, "completion/complete", greet+`"x"}`,
			expectation{"nothing begins with x", "result completion values", length(0)}),
	}
}

// waits call slow: once to its end, and once until it is cancelled. The last call of it
// gives the cancelled one the time to count itself.
func waits(e era) []step {
	const started = `{"started":3,"done":2,"cancelled":1}`
	return []step{
		e.with(`"progressToken":"wait-1"`).result(`"wait"`, "tools/call", `"name":"slow","arguments":{"ms":300}`,
			echoes(`"done"`), noFault()).with(progress("wait-1", 300)),
		step{send: e.with(`"progressToken":"wait-2"`).request(`"never"`, "tools/call", `"name":"slow","arguments":{"ms":60000}`)}.
			with(progress("wait-2", 60000)),
		{send: e.notice("notifications/cancelled", `"requestId":"never","reason":"The tour goes on"`)},
		e.result(`"wait again"`, "tools/call", `"name":"slow","arguments":{"ms":100}`, echoes(`"done"`)),
		e.result(`"stats"`, "tools/call", `"name":"stats"`,
			expectation{"of three calls two were done and one was cancelled", "result structuredContent", equal(started)}),
	}
}

// progress expects the first report of slow.
func progress(token string, total int) arrival {
	return arrival{"notifications/progress", []expectation{
		{"it is about the request with the token " + token, "params progressToken", equal(quote(token))},
		{"progress is 50", "params progress", equal(`50`)},
		{"total is what was asked for", "params total", equal(strconv.Itoa(total))},
	}}
}

// pages reads a list in two pages.
func pages(e era, id string) []step {
	first := e.kept(quote(id+" 1"), "prompts/list", "",
		expectation{"there are four prompts on the first page", "result prompts", length(4)},
		expectation{"there is a further page", "result nextCursor", text()},
	)
	second := e.kept(quote(id+" 2"), "prompts/list", "",
		expectation{"there are two on the second page", "result prompts", length(2)},
		expectation{"the last one is greet", "result prompts 1 name", equal(`"greet"`)},
		expectation{"there is no further page", "result nextCursor", absent()},
	)
	second.answer = func(last jsonrpc.Raw) string {
		return e.request(quote(id+" 2"), "prompts/list", `"cursor":`+orNull(at(last, "result nextCursor")))
	}
	second.id = quote(id + " 2")
	return []step{first, second,
		e.refusal(quote(id+" 3"), "prompts/list", `"cursor":"page 2"`, -32602, "params.cursor is not one that this server gave out")}
}
