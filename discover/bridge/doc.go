// Package bridge makes an [mcp.Server] of a server that is elsewhere, so that clients of
// either era reach it, whatever era it speaks itself:
//
//	b, err := bridge.New(ctx, dial, nil)
//	if err != nil {
//		return err
//	}
//	defer b.Close()
//	return stdio.Serve(ctx, b.Server(), nil)
//
// Lists, calls, reads, prompts, completion, methods of extensions, progress, log messages,
// changes, hints on caching, cancellation and errors pass, and so do the server's name,
// instructions and capabilities. What passes is read by its type and written in the
// revision of the client that gets it: what that revision does not have is left out.
//
// # Connections
//
// A modern server has one connection, since each request says who makes it: requests go
// there as those of the client that has sent them. A legacy server is told once, in the
// handshake, who its client is and what that can be asked, and what it asks names no
// request. So there each legacy session of a client has a connection, and with that a
// session, of its own. Modern clients have no sessions: requests of the same client (by
// principal, name and capabilities) share connections, and one that may be asked something
// has one for itself as long as it takes. So what a server asks reaches the client whose
// request is under way there, and never another one. Where the bridge has a single client
// ([Options.Single]), one connection does for all of that, but for calls that can be asked more
// than its first request said.
//
// A connection that has ended fails the requests under way, and is opened again for the next
// one or for who listens, after a growing pause where it goes on ending.
//
// # Changes
//
// What clients listen for the server is asked for once on a connection, however many they are,
// and in a bounded number of subscriptions. Where the server ends one of these, or was away, a
// stream of a modern client ends, so that its client listens again; a legacy session cannot be
// told, so the server is asked again for it, and it is told of all that it may have missed. A
// change of a part of a resource is told as one of the whole that was subscribed to. Streams
// that alone hold a connection which a call needs are ended for it.
//
// # Questions
//
// What a legacy server asks a modern client comes between rounds: its call stays under way at
// the server while the client answers with a retry. A token in the sealed requestState stands
// for the call; when the client does not come back in time, the call is cancelled. What a
// modern server asks a modern client passes as it is, state included, and nothing of it is
// kept here. A legacy client is asked by requests, in either case.
//
// Log messages and notifications of extensions name no request either: they go to the newest
// request that is under way on their connection. Over a connection that several clients share,
// or requests of clients that no principal tells apart, they pass only while there is one such
// request, and none was cancelled before that the server may still speak of. What is told to a
// client that does not read holds up no other one.
package bridge
