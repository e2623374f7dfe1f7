package main

import "isthmus.internal/jsonrpc"

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
		parts: [][]*step{
			handshakeOf(`{"elicitation":{}}`, "1", legacyVersion, everythingIs...),
			legacy.steps(additions),
			legacyAsks(legacy),
			legacy.steps(greetings),
			waits(legacy),
			legacy.steps(legacyLogs),
			legacy.steps(legacyChanges),
		},
	}, {
		title:  "everything-server, modern era, " + modernVersion,
		server: everythingServer,
		parts: [][]*step{
			discovery(modern, everythingCapabilities),
			modern.steps(additions),
			modernAsks(modern),
			modern.steps(greetings),
			waits(modern),
			modern.steps(modernLogs),
			modernChanges(modern),
		},
	}, {
		title:  "everything-server, lists in pages, both eras in turn in one process",
		server: everythingServer,
		args:   []string{"-page", "4"},
		parts: [][]*step{
			handshake("1", legacyVersion),
			pages(legacy, "legacy"),
			pages(modern, "modern"),
		},
	}}
}

// everythingIs is what the server says of itself.
var everythingIs = []expectation{
	{"serverInfo is " + everythingInfo, "result serverInfo", equal, everythingInfo},
	{"capabilities are " + everythingCapabilities, "result capabilities", equal, everythingCapabilities},
}

// additions call a typed tool: a Go function with a struct of arguments.
var additions = []trial{
	{id: `"add"`, method: "tools/call", params: `"name":"add","arguments":{"a":9007199254740993,"b":1}`, expect: []expectation{
		{"structuredContent is the sum, to the last digit", "result structuredContent", equal, `{"sum":9007199254740994}`},
		{"the content holds the same as text", "result content 0 text", equal, `"{\"sum\":9007199254740994}"`},
		{"isError is absent or false", "result isError", absentOrEqual, `false`},
	}},
	{id: `"add two"`, method: "tools/call", params: `"name":"add","arguments":{"a":1,"b":"two"}`,
		says: `"Invalid arguments for tool add: arguments.b: expected an integer, got the string \"two\""`, expect: []expectation{
			{"isError is true: the model may try again", "result isError", equal, `true`},
			{"there is no structuredContent", "result structuredContent", absent, ""},
		}},
}

// greetings get a prompt, and complete its argument.
var greetings = []trial{
	{id: `"greet"`, method: "prompts/get", params: `"name":"greet","arguments":{"name":"Ada"}`, expect: []expectation{
		{"the description is A greeting for Ada", "result description", equal, `"A greeting for Ada"`},
		{"there is one message, from the user", "result messages", equal,
			`[{"role":"user","content":{"type":"text","text":"Greet Ada in one sentence."}}]`},
	}},
	{id: `"greet nobody"`, method: "prompts/get", params: `"name":"greet"`, code: -32602, message: "Missing arguments of prompt greet: name"},
	{id: `"complete al"`, method: "completion/complete", params: greet + `"al"}`, expect: []expectation{
		{"Alan alone begins with al", "result completion", equal, `{"values":["Alan"],"total":1}`}}},
	{id: `"complete x"`, method: "completion/complete", params: greet + `"x"}`, expect: []expectation{
		{"nothing begins with x", "result completion values", length, "0"}}},
}

const greet = `"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":`

// waits call slow: once to its end, and once until it is cancelled. The last call of it
// gives the cancelled one the time to count itself.
func waits(e *era) []*step {
	never := e.step(&unending)
	never.kind, never.expect = "", nil
	return append([]*step{
		e.step(&slow), never,
		{send: e.notice("notifications/cancelled", `"requestId":"never","reason":"The tour goes on"`)},
	}, e.steps(counted)...)
}

// slow is that call to its end, unending the one that has none, and counted what follows.
var (
	slow = trial{id: `"wait"`, method: "tools/call", params: `"name":"slow","arguments":{"ms":300}`, meta: `"progressToken":"wait-1"`,
		says: `"done"`, expect: noFault, also: []arrival{{"notifications/progress", []expectation{
			{"it is about the request with the token wait-1", "params progressToken", equal, `"wait-1"`},
			{"progress is 50", "params progress", equal, `50`},
			{"total is what was asked for", "params total", equal, `300`},
		}}}}
	unending = trial{id: `"never"`, method: "tools/call", params: `"name":"slow","arguments":{"ms":60000}`, meta: `"progressToken":"wait-2"`,
		also: []arrival{{"notifications/progress", []expectation{
			{"it is about the request with the token wait-2", "params progressToken", equal, `"wait-2"`},
			{"progress is 50", "params progress", equal, `50`},
			{"total is what was asked for", "params total", equal, `60000`},
		}}}}
	counted = []trial{
		{id: `"wait again"`, method: "tools/call", params: `"name":"slow","arguments":{"ms":100}`, says: `"done"`},
		{id: `"stats"`, method: "tools/call", params: `"name":"stats"`, expect: []expectation{
			{"of three calls two were done and one was cancelled", "result structuredContent", equal, `{"started":3,"done":2,"cancelled":1}`}}},
	}
)

// pages reads a list in two pages. The request for the second one has the cursor that came
// with the first.
func pages(e *era, id string) []*step {
	second := e.step(pageTrials[1].as(quote(id + " 2")))
	second.id = quote(id + " 2")
	second.answer = func(last jsonrpc.Raw) string {
		return e.request(second.id, "prompts/list", `"cursor":`+orNull(at(last, "result nextCursor")))
	}
	return []*step{e.step(pageTrials[0].as(quote(id + " 1"))), second, e.step(pageTrials[2].as(quote(id + " 3")))}
}

var pageTrials = [...]trial{
	{method: "prompts/list", kept: true, expect: []expectation{
		{"there are four prompts on the first page", "result prompts", length, "4"},
		{"there is a further page", "result nextCursor", filled, ""},
	}},
	{kept: true, expect: []expectation{
		{"there are two on the second page", "result prompts", length, "2"},
		{"the last one is greet", "result prompts 1 name", equal, `"greet"`},
		{"there is no further page", "result nextCursor", absent, ""},
	}},
	{method: "prompts/list", params: `"cursor":"page 2"`, code: -32602, message: "params.cursor is not one that this server gave out"},
}
