// Package discover decides which era of MCP a peer speaks, and speaks the modern
// one (revision 2026-07-28), on the side of a server and on that of a client.
//
// # Servers
//
// A [Router] stands between one connection and one [mcp.Server]. For each message
// it looks at how the message opens, in one function, by the rules of 2026-07-28
// basic/versioning, Backward Compatibility:
//
//	_meta has io.modelcontextprotocol/protocolVersion   modern, whatever its value
//	initialize without it                               legacy
//	anything else once a legacy session is open         legacy
//	any other notification                              modern
//	any other request                                   neither: -32602 (ping is answered)
//
// Over HTTP the header MCP-Protocol-Version is one more sign; see [EraOf].
//
// The presence of the key decides the era; its value only decides whether the
// version is served. Both eras may be in use on one connection at the same time,
// message by message and in any order, and neither sees the other's state: the
// modern exchange keeps none, the legacy session is the connection's.
//
// Below that function no code asks for the era. The modern exchange is here
// (modern.go), the legacy one is package legacy; each checks its envelope, hands
// the request to the server's one handler table, and has the answer written in
// its own form. What a modern client is asked goes out in place of a result, and its
// answers come with a retry (ask.go); a legacy one is sent requests.
//
// # Clients
//
// [Connect] finds out which era a server speaks, by what it answers to server/discover
// (probe.go), and gives the client an exchange of that era: the modern one is here
// (modern_client.go), the legacy one is [legacy.Client]. What is found, and why, is a [Verdict],
// which may be kept. A client that is given one asks nothing before its first request, and
// finds the era anew should the verdict prove wrong (presumed.go).
//
// A [Transport] brings the links. It knows which era it opens one for, since over HTTP they
// differ, and nothing else of eras.
package discover
