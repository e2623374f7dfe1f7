package main

// webSections is what only HTTP can show: what a header says of a message must be what its
// body says, or whoever stands between would be deceived (2026-07-28
// basic/transports/streamable-http, Server Validation).
func webSections() []section {
	legacy, modern := legacyEra(), modernEra(echoInfo)
	steps := []*step{legacy.step(atOneURL.as(`2`)), modern.step(atOneURL.as(`3`))}
	for _, d := range deceits {
		s := modern.step(&trial{id: d.id, method: "tools/call", params: `"name":"echo","arguments":{"text":"no"}`, code: -32020, expect: []expectation{
			{"the message names the header " + d.header, "error message", mentions, d.header},
		}})
		s.headers = []string{d.header + ": " + d.value}
		steps = append(steps, s)
	}
	// The same may be said in Base64 (same page, Value Encoding).
	encoded := modern.step(atOneURL.as(`7`))
	encoded.headers = []string{"Mcp-Name: =?base64?ZWNobw==?="}
	return []section{{
		title:  "echo-server, headers beside bodies, both eras at one URL",
		server: echoServer,
		parts:  [][]*step{handshake("1", legacyVersion), append(steps, encoded)},
	}}
}

var atOneURL = trial{method: "tools/call", params: `"name":"echo","arguments":{"text":"at one URL"}`, says: `"echo: at one URL"`}

// deceits are headers that say something else than the body.
var deceits = []struct{ id, header, value string }{
	{`4`, "Mcp-Method", "tools/list"},
	{`5`, "Mcp-Name", "another"},
	{`6`, "MCP-Protocol-Version", legacyVersion},
}
