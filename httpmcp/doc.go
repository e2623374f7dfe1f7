// Package httpmcp serves MCP over Streamable HTTP, both eras at one URL, and calls servers
// of both (2026-07-28 basic/transports/streamable-http; legacy basic/transports).
//
//	s := mcp.NewServer("echo", "1.0.0", nil)
//	// mcp.AddTool(s, …)
//	err := httpmcp.Serve(ctx, l, httpmcp.Handler(s, nil), nil)
//
// [Handler] makes an [Endpoint], an [http.Handler] for any path, mux, middleware and
// server. [Serve] is a server with bounds that suit it and an end in order; it may be any
// other. [SSEHandler] is the transport of 2024-11-05, for clients that have no newer one.
//
// On the other side [Dial] is the way to a server, for [discover.Connect]:
//
//	c, _, err := discover.Connect(ctx, httpmcp.Dial("https://example.com/mcp", nil), nil)
//
// # The modern era
//
// A POST is a request, and its response is the answer: one JSON body, or a stream of
// events where the handler says something before it returns. Nothing is kept between
// requests, so any process may answer any of them. What headers say of a request must
// be what its body says. A client cancels by closing the connection, which ends the
// context of the handler. subscriptions/listen stays open.
//
// # The legacy era
//
// initialize opens a session, whose id goes with each further request. A POST is
// answered as above; the events have ids, are kept for a while in an [EventStore], and a
// client that has lost its connection takes the stream up again with GET and
// Last-Event-ID. So a broken connection cancels nothing there; notifications/cancelled
// does. The server's requests to the client go out on the stream of the call that asks,
// and are answered by a POST. A GET opens the stream for what belongs to no call. DELETE,
// time and the end of the endpoint end a session.
//
// The sessions are kept in the process. [Options.SessionKeys] and [Options.Stateless]
// are the ways to serve legacy clients from several processes, and say what these clients
// then miss.
//
// # Who may call
//
// Requests of web pages are held to their Origin, and requests to a loopback address to their
// Host, as the options allow. That keeps strange pages out and tells nothing of who asks: what
// stands in front of the endpoint finds that out, and [Options.Principal] says where it has
// left it. [Guard] is for what stands in front and answers requests itself. A session, an
// answer to a question and what is sealed are good for the principal they were made for.
//
// # Bounds
//
// Bodies, the time in which they arrive, each write, requests, streams and sessions have
// bounds, which [Options] names. What is refused is answered with a JSON-RPC error and the
// status that fits, and with Retry-After where to come back helps. There is no bound for the
// time of a call.
//
// # The client
//
// A modern client sends each message as a POST of its own, with headers that repeat what is in
// it, and reads one JSON body or a stream of events up to the answer. The end of the call's
// context closes the response, which is how the server is told. Nothing is taken up again: a
// response that breaks is an error of its call, and the request may have been carried out.
//
// A legacy client has a session from initialize on, and a stream of GET for what belongs to no
// call. A stream that breaks is taken up again with Last-Event-ID, after the time that the server
// has asked for. A context that ends is told with notifications/cancelled. When the server knows the
// session no more, another one is opened. A server that refuses the POST of initialize is
// asked for the stream of 2024-11-05.
//
// What a response is, is judged by its status and its Content-Type first. A JSON-RPC error in the body
// is a [*jsonrpc.Error] under any status but 401 and 403; everything else that is no answer is
// a [*mcp.Rejected], with the status and what came. Bodies, events and streams are bounded by
// [DialOptions]; time is bounded by contexts alone, but that a refusal is waited for no longer than
// 5 seconds, and a connection of the client's own comes about within 30. Redirects are followed within the origin of the URL and with the method that was
// sent (307 and 308), and nothing, credentials least of all, goes anywhere else.
//
// Connections are kept for the next request, and end with the last link of the [Dial] that they
// belong to, unless [DialOptions.Client] is given: those are the caller's. [DialOptions.Tap] shows
// what passes.
//
// # Concurrency
//
// Everything here may be used by several goroutines at once. A handler runs on the
// goroutine on which net/http serves its request, those of a batch on goroutines of their
// own; [Endpoint.Shutdown] waits for all. A stream on which nothing happens holds no buffer.
package httpmcp
