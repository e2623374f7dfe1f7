package main

// webSections is what only HTTP can show: what a header says of a message must be what its
// body says, or whoever stands between would be deceived (2026-07-28
// basic/transports/streamable-http, Server Validation).
func webSections() []section {
	legacy, modern := legacyEra(), modernEra(echoInfo)
	const call = `"name":"echo","arguments":{"text":"at one URL"}`
	const answer = `"echo: at one URL"`
	return []section{{
		title:  "echo-server, headers beside bodies, both eras at one URL",
		server: echoServer,
		steps: append(append(handshake("1", legacyVersion),
			legacy.result("2", "tools/call", call, echoes(answer)),
			modern.result("3", "tools/call", call, echoes(answer)),
			deceit(modern, "4", "Mcp-Method", "tools/list"),
			deceit(modern, "5", "Mcp-Name", "another"),
			deceit(modern, "6", "MCP-Protocol-Version", legacyVersion),
		), encoded(modern, "7", answer)),
	}}
}

// deceit has a header say something else than the body.
func deceit(e era, id, header, value string) step {
	s := step{send: e.request(id, "tools/call", `"name":"echo","arguments":{"text":"no"}`), kind: "error", expect: []expectation{
		codeIs(-32020),
		{"the message names the header " + header, "error message", mentions(header)},
	}}
	s.headers = []string{header + ": " + value}
	return s
}

// encoded has a header say the same in Base64 (same page, Value Encoding).
func encoded(e era, id, answer string) step {
	s := e.result(id, "tools/call", `"name":"echo","arguments":{"text":"at one URL"}`, echoes(answer))
	s.headers = []string{"Mcp-Name: =?base64?ZWNobw==?="}
	return s
}
