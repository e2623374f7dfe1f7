// Package stdio speaks MCP over streams of bytes on which each message is one
// line: the process's standard streams, a Unix socket, loopback TCP, or anything
// else that reads and writes (2026-07-28 basic/transports/stdio; the legacy
// revisions frame the same way, and both eras may share a stream). It has the side of
// the server and that of the client.
//
// # Standard streams
//
// [Serve] is the whole life of a server that a client starts as its child:
//
//	if err := stdio.Serve(ctx, server, nil); err != nil {
//		if !errors.Is(err, stdio.ErrPeerGone) { // else nobody is left to be told
//			log.Print(err)
//		}
//		os.Exit(1)
//	}
//
// It returns nil when its input ends, when ctx ends, and on the first SIGTERM or
// SIGINT, each time after what was read is answered; [Options.Drain] bounds that.
// A second signal ends the process at once, as if nobody caught it. When the
// client no longer reads, Serve returns [ErrPeerGone]: there is nobody left to
// tell, so a main exits quietly and with a status that is not 0.
//
// Only messages go to standard output. What people should know goes to the
// server's logger.
//
// # Other streams
//
// [ServeStream] serves one stream and closes it in the end. [Listen] opens a
// socket that only this user, or only this machine, can reach, and
// [ServeListener] serves whoever connects. Each connection has a legacy session
// of its own; modern requests need none.
//
// # Clients
//
// [Command] starts a server as a child process, [Dial] connects to a socket, and [Stream]
// takes what is open already. Each gives a transport, and [discover.Connect] makes a
// client of it:
//
//	c, _, err := discover.Connect(ctx, stdio.Command(exec.Command("server"), nil), nil)
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer c.Close()
//
// Both eras go over the same stream. When the server goes, each call that waits fails at
// once, and the error says how a child has ended and what it wrote last to its standard
// error. Close ends a child in steps and within a bounded time: see [Command]. Nothing is
// left of it then, neither a process nor a descriptor nor a goroutine.
//
// A call whose context ends returns at once, also when the server does not read. A line
// that has begun to go out is always finished, as soon as the server reads: the request
// is then followed by its cancellation. What waits for a server that does not read is
// bounded; beyond that calls wait for room, and send nothing if there never is any.
//
// A line that is no message goes to the log and is never answered. If it began as the answer to
// a call, that call fails, since no other answer will come. Answers to nothing, and second
// ones, are passed over.
//
// # Cancelling
//
// There is one channel, so on every stream a client gives a request up by sending
// notifications/cancelled with its id (2026-07-28 basic/transports/stdio,
// Cancellation). Nothing more is sent for that request. Closing the stream cancels
// nothing: what was read is answered first.
//
// # Framing
//
// LF ends a message and nothing else does, so U+2028 and a CR may stand in one. A
// byte order mark at the front of the stream is dropped, blank lines are skipped,
// and the last line needs no LF: tools on every system write such streams. A server answers
// a line that is no message with one error, and serves the next line. So
// it does with a line longer than [Options.MaxMessage], of which nothing is kept.
//
// # Concurrency
//
// The functions of this package may be called from several goroutines at once,
// also with the same server. Each returns when its connections have ended and
// their goroutines with them. The exceptions are a handler that ignores its
// context, and a goroutine in a read of a stream that the system cannot interrupt:
// see [Serve].
package stdio
