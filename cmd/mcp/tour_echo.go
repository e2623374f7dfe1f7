package main

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
		parts:  [][]*step{handshake("1", legacyVersion, echoIs...), legacy.steps(echoTrials), {legacy.step(&ping)}},
	}}
	for _, version := range []string{"2025-06-18", "2025-03-26", "2024-11-05"} {
		sections = append(sections, section{
			title:  "echo-server, legacy era, " + version,
			server: echoServer,
			parts:  [][]*step{handshake("1", version), {legacy.step(&hello)}},
		})
	}
	return append(sections, section{
		title:  "echo-server, modern era, " + modernVersion,
		server: echoServer,
		parts:  [][]*step{discovery(modern, echoCapabilities), modern.steps(echoTrials), misfits("tools/list")},
	})
}

// mixedSections has both eras use one process in turn: neither sees the other.
func mixedSections() []section {
	legacy, modern := legacyEra(), modernEra(echoInfo)
	return []section{{
		title:  "echo-server, both eras in turn in one process",
		server: echoServer,
		parts: [][]*step{
			{modern.step(inTurn.as(`1`))},
			handshake("2", legacyVersion),
			{
				legacy.step(inTurn.as(`3`)), modern.step(inTurn.as(`4`)),
				legacy.step(found.as(`5`)), modern.step(found.as(`6`)),
			},
		},
	}}
}

// echoIs is what the server says of itself.
var echoIs = []expectation{
	{"serverInfo is " + echoInfo, "result serverInfo", equal, echoInfo},
	{"capabilities are " + echoCapabilities, "result capabilities", equal, echoCapabilities},
}

// echoTrials go the same way in both eras. The ids are of every kind that a client may
// choose.
var echoTrials = []trial{
	{id: `2`, method: "tools/list", kept: true, expect: []expectation{
		{"there is one tool", "result tools", length, "1"},
		{"its name is echo", "result tools 0 name", equal, `"echo"`},
		{"its arguments are an object", "result tools 0 inputSchema type", equal, `"object"`},
		{"text is a string", "result tools 0 inputSchema properties text type", equal, `"string"`},
		{"text is required", "result tools 0 inputSchema required", equal, `["text"]`},
		{"there is no further page", "result nextCursor", absent, ""},
	}},
	{id: `3`, method: "tools/call", params: `"name":"echo","arguments":{"text":"hello"}`, says: `"echo: hello"`, expect: noFault},
	{id: `"call-4"`, method: "tools/call", params: `"name":"echo","arguments":{"text":"<ä & \"ö\">\u2028\n日本"}`,
		says: `"echo: <ä & \"ö\">\u2028\n日本"`},
	{id: `9007199254740993`, method: "tools/call", params: `"name":"echo","arguments":{"text":""}`, says: `"echo: "`},
	{id: `5`, method: "tools/call", params: `"name":"nope","arguments":{"text":"hello"}`, code: -32602, message: "Unknown tool: nope"},
	{id: `6`, method: "tools/call", params: `"name":"echo","arguments":{}`, code: -32602, message: "arguments.text must be a string"},
	{id: `7`, method: "tools/call", params: `"name":"echo","arguments":{"text":5}`, code: -32602, message: "arguments.text must be a string"},
	{id: `8`, method: "no/such", code: -32601, message: "Method not found: no/such"},
}

// What the era, or the revision, makes no difference to.
var (
	hello  = trial{id: `2`, method: "tools/call", params: `"name":"echo","arguments":{"text":"hello"}`, says: `"echo: hello"`}
	inTurn = trial{method: "tools/call", params: `"name":"echo","arguments":{"text":"in turn"}`, says: `"echo: in turn"`}
	found  = trial{method: "tools/list", kept: true, expect: []expectation{{"the tool echo is there", "result tools 0 name", equal, `"echo"`}}}
)

// ping is of the legacy era alone.
var ping = trial{id: `9`, method: "ping", expect: []expectation{{"the result is {}", "result", equal, `{}`}}}
