package main

import "slices"

const (
	echoServer       = "echo-server"
	echoInfo         = `{"name":"echo-server","version":"1.0.0"}`
	echoCapabilities = `{"tools":{}}`
)

// echoSections is the tour of the echo server: the newest legacy revision in
// full, the older ones in short, and the modern era in full.
func echoSections() []section {
	legacy, modern := legacyEra(), modernEra(echoInfo)
	sections := []section{{
		title:  "echo-server, legacy era, " + legacyVersion,
		server: echoServer,
		steps: slices.Concat(
			handshake("1", legacyVersion,
				expectation{"serverInfo is " + echoInfo, "result serverInfo", equal(echoInfo)},
				expectation{"capabilities are " + echoCapabilities, "result capabilities", equal(echoCapabilities)},
			),
			echoSteps(legacy),
			[]step{legacy.result("9", "ping", "", expectation{"the result is {}", "result", equal(`{}`)})},
		),
	}}
	for _, version := range []string{"2025-06-18", "2025-03-26", "2024-11-05"} {
		sections = append(sections, section{
			title:  "echo-server, legacy era, " + version,
			server: echoServer,
			steps: append(
				handshake("1", version),
				legacy.result("2", "tools/call", `"name":"echo","arguments":{"text":"hello"}`, echoes(`"echo: hello"`)),
			),
		})
	}
	return append(sections, section{
		title:  "echo-server, modern era, " + modernVersion,
		server: echoServer,
		steps: slices.Concat(
			[]step{discovery(modern, echoCapabilities)},
			echoSteps(modern),
			misfits("tools/list"),
		),
	})
}

// mixedSections has both eras use one process in turn: neither sees the other.
func mixedSections() []section {
	legacy, modern := legacyEra(), modernEra(echoInfo)
	const call = `"name":"echo","arguments":{"text":"in turn"}`
	const answer = `"echo: in turn"`
	return []section{{
		title:  "echo-server, both eras in turn in one process",
		server: echoServer,
		steps: slices.Concat(
			[]step{modern.result("1", "tools/call", call, echoes(answer))},
			handshake("2", legacyVersion),
			[]step{
				legacy.result("3", "tools/call", call, echoes(answer)),
				modern.result("4", "tools/call", call, echoes(answer)),
				legacy.result("5", "tools/list", "", expectation{"the tool echo is there", "result tools 0 name", equal(`"echo"`)}),
				modern.kept("6", "tools/list", "", expectation{"the tool echo is there", "result tools 0 name", equal(`"echo"`)}),
			},
		),
	}}
}

// echoSteps are those that go the same way in both eras. The ids are of every
// kind that a client may choose.
func echoSteps(e era) []step {
	const wrong = "arguments.text must be a string"
	return []step{
		e.kept("2", "tools/list", "",
			expectation{"there is one tool", "result tools", length(1)},
			expectation{"its name is echo", "result tools 0 name", equal(`"echo"`)},
			expectation{"its arguments are an object", "result tools 0 inputSchema type", equal(`"object"`)},
			expectation{"text is a string", "result tools 0 inputSchema properties text type", equal(`"string"`)},
			expectation{"text is required", "result tools 0 inputSchema required", equal(`["text"]`)},
			expectation{"there is no further page", "result nextCursor", absent()},
		),
		e.result("3", "tools/call", `"name":"echo","arguments":{"text":"hello"}`, echoes(`"echo: hello"`), noFault()),
		e.result(`"call-4"`, "tools/call", `"name":"echo","arguments":{"text":"<ä & \"ö\">\u2028\n日本"}`,
			echoes(`"echo: <ä & \"ö\">\u2028\n日本"`)),
		e.result("9007199254740993", "tools/call", `"name":"echo","arguments":{"text":""}`, echoes(`"echo: "`)),
		e.refusal("5", "tools/call", `"name":"nope","arguments":{"text":"hello"}`, -32602, "Unknown tool: nope"),
		e.refusal("6", "tools/call", `"name":"echo","arguments":{}`, -32602, wrong),
		e.refusal("7", "tools/call", `"name":"echo","arguments":{"text":5}`, -32602, wrong),
		e.refusal("8", "no/such", "", -32601, "Method not found: no/such"),
	}
}

// echoes expects one block of text.
// It stands in many places: inlined it is more code in each than the call.
//
//go:noinline
func echoes(text string) expectation {
	return expectation{"the content is one text block: " + text, "result content",
		equal(`[{"type":"text","text":` + text + `}]`)}
}

// noFault expects a tool's result that is not one of failure.
//
//go:noinline
func noFault() expectation {
	return expectation{"isError is absent or false", "result isError", absentOr(equal(`false`))}
}
