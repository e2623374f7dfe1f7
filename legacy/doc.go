// Package legacy speaks the era of MCP that opens with a handshake: revisions
// 2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25, on either side.
//
// A [Session] is a server's state of that era between it and one client: a connection
// on stdio, a session id over HTTP. It begins with initialize, in which the
// client names a revision and the server answers with the one that holds from
// then on (basic/lifecycle, Initialization). Everything later follows the answer,
// never the question.
//
// What the four revisions have and lack is data, in one table (revision.go). The
// code below it does not ask which revision it serves.
//
// The session answers ping and initialize itself and hands all else to the
// handler table of its [mcp.Server]. What handlers ask the client goes to it as requests
// of the server (ask.go), from notifications/initialized on, and so do the changes that
// it is told of (changes.go). The session does not look at the modern era: package
// discover decides which messages come here.
//
// A [Client] is the other side: the [mcp.Exchange] with which an [mcp.Client] speaks to a
// server of this era over an [mcp.Link]. It makes the handshake (client_handshake.go), gives
// tokens to those who want to hear of progress (client_call.go), takes in what the server
// asks and tells (client_hear.go), and makes of the changes that the server tells of what
// each listener has asked for (client_listen.go, client_subscribe.go). Where the server has
// forgotten the session it opens another one (client_renew.go).
package legacy
