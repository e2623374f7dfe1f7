// Package mcptest tests servers without a process, a socket or a pipe of the system:
// a server and a client of any of the five revisions stand in one process, with the
// real thing between them: a [jsonrpc.Conn] and a [discover.Router], or an [httpmcp.Endpoint]
// behind an [net/http.Server].
//
// # One behaviour, every revision, every transport
//
// [Each] runs a test with a client of each revision over each transport, every time
// with a fresh server, in a bubble of [testing/synctest]: a tool that waits a minute
// costs no time, and a test that waits for what never comes fails at once
// ([Options.Patience]). A test that cannot hold somewhere says so, with the reason, in
// [Matrix.Except].
//
//	mcptest.Each(t, newServer, func(t *testing.T, c *mcptest.Client) {
//		r := c.Call("add", `{"a":1,"b":2}`)
//		if got := r.Text(); got != `{"sum":3}` { … }
//	})
//
// [Response.Text] is there in every revision; structured content ([Response.At]) is not
// before 2025-06-18.
//
// # A client that looks at what it gets
//
// [Client] speaks one revision: with the handshake in the legacy ones, with _meta in
// each request in the modern one. It answers what the server asks, by requests of the
// server or by input_required and a retry, with one function ([Options.Answer]). What
// it receives it holds against the hand-kept table of package revisions, and it fails
// its test when something arrives that was not asked for: an answer to a cancelled
// request, progress without a token, a log message without a level, a change that
// nobody listens to, or one for the other era.
//
// # A kit for handlers
//
// [Conform] puts any server through all revisions and checks what every server owes
// its clients, whatever it offers: one call in a test of yours.
//
// # Over HTTP
//
// [HTTP] posts each message with the headers that go with it, and holds status, headers
// and events of the answers to the specification. Cancelling a modern request closes the
// stream of its answer. Messages of different requests have no order there; one that is sent
// when the one before has been taken in comes behind it.
//
// # Faults
//
// [Faults] has a connection fail on purpose: a client that never reads, a write that
// breaks, one byte a read.
package mcptest
