// Package jsonrpc is a JSON-RPC 2.0 engine: a strict codec that works on spans of
// the input, a handler table, and a duplex connection. It knows nothing of MCP.
//
// # Messages
//
// [Scanner.Scan] reads one message in one pass and without allocation. It finds
// the envelope (jsonrpc, id, method, params), the members of params, and the
// members of two inner objects that the caller names, all as spans of the input.
// What is found is decoded only when somebody asks: [Message.Param] and
// [Message.Inner] give a [Raw], and a Raw gives its text or its integer.
//
// The codec is strict where peers could otherwise read one message in two ways:
//
//   - text is UTF-8, and JSON to the letter of RFC 8259;
//   - names match exactly, never by folding case;
//   - no member of an envelope, of params or of an inner object stands twice;
//   - nesting is bounded;
//   - an [ID] is a string or an integer, and is echoed as the bytes received.
//
// [Object] and [Array] read other protocol objects under the same rules.
// encoding/json is not used for any of them: it folds case and lets the last of
// two members win.
//
// Encoding appends to a buffer ([AppendString], [AppendMessage], [AppendError] and
// their kin). Every message is one line.
//
// # Connections
//
// A [Conn] serves a [Handler] over a [Source] of messages and a writer. Its
// promises:
//
//   - Reading never waits for a handler for longer than a few milliseconds, unless
//     the request is one that [Options.InOrder] names.
//   - Requests are looked at in the order in which they arrive. They run beside
//     each other, and are answered, in any order.
//   - A notification's handler has returned, or has outlived its slice of time,
//     before the next message is looked at. So a cancellation takes effect before
//     anything behind it.
//   - Answers to different requests, and notifications about them, leave in any
//     order.
//   - Messages leave whole, one line each. What a handler sends through its [Peer]
//     leaves before the handler's answer.
//   - A request that the peer cancelled is never answered.
//   - A long-lived request ([Options.LongLived]) holds up nothing, takes no slot of
//     those in flight, and learns at once when the connection ends ([Peer.Ending]).
//   - At the end of the input, what was read is answered within a bounded time, and
//     no goroutine stays behind that can be ended
//     ([Conn.Serve] names those that cannot).
//
// # Errors
//
// An [*Error] is for the peer; every other error is for the log. [Invoke] is the
// one place where the one becomes the other, and it serves every transport.
//
// Unreadable text is answered with [ParseError] and no id; a message that is read
// but may not stand as it is, with its id whenever that was readable. Responses
// and notifications are never answered, whatever is wrong with them, so that two
// peers cannot send errors to and fro.
package jsonrpc
