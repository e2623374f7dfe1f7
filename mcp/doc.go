// Package mcp holds the vocabulary of the Model Context Protocol and the [Server] that
// offers tools, resources and prompts. It knows neither eras nor transports.
//
// docs/guide.md shows how to write a server, with an example for each thing. This page
// is the map of the package: what there is, and what it promises.
//
// # A server
//
//	s := mcp.NewServer("echo", "1.0.0", nil)
//	type echo struct {
//		Text string `json:"text" mcp:"what to send back"`
//	}
//	mcp.AddTool(s, mcp.Tool{Name: "echo", Description: "Echoes text."},
//		func(ctx context.Context, c *mcp.Call, in echo) (string, error) {
//			return "echo: " + in.Text, nil
//		})
//	err := stdio.Serve(context.Background(), s, nil)
//
// Package stdio shows what a main does with the error. Registration panics on a
// definition that cannot be sent, naming it; nothing can go wrong with it later.
// Everything beyond a name is in [ServerOptions].
//
// # Tools
//
// [AddTool] takes a handler of Go values. Their types become schemas, which are told to
// clients and enforced, before the handler and behind it. A struct as the result is
// structured content, a string a block of text, and a [*Result] all that a result can be.
// [Server.AddTool] is the level below: schemas are told and not enforced, and the handler
// reads [Call.Arguments] itself. [ToolAnnotations] are hints and guard nothing.
//
// # Resources
//
// Resources stand one by one ([Server.AddResource]), in families behind a template of
// RFC 6570 ([Server.AddResourceTemplate]), or are the files of a folder
// ([Server.AddFiles]). What none of them answers to, the handler of
// [Server.HandleUnknownResource] may. A uri is read by the first of these that knows it.
//
// # Prompts and completion
//
// A prompt is a template for messages, with arguments that are strings. They are
// checked before its handler runs ([Server.AddPrompt]). A [Completer] suggests values
// for an argument, or for a variable of a resource template, while a user types.
//
// # Lists
//
// Lists keep the order of registration. They are one page, or pages of
// [ServerOptions.PageSize]. What has a Visible function is shown to those alone whom it
// lets pass, and does not exist for all others. Hints on caching are private unless the
// options say otherwise.
//
// # Asking the client
//
// The handler of a tool, a prompt or a resource may ask its client: the user, by a form
// made of a Go type ([Ask]) or of a schema ([Call.Elicit]), or on a page
// ([Call.ElicitURL]); the client's model ([Call.Sample]); the client's roots
// ([Call.Roots]); several at once ([Call.AskAll]). It is the same code in both eras. In
// the modern one each round of questions ends the run of the handler, and it begins anew
// with the answers, in this process or in another one that has the same
// [ServerOptions.Keys]. So side effects stand behind the last question, or in [Once]. A
// handler may also keep its own account of the rounds ([Call.RequireInput]).
//
// # Changes
//
// What is registered may change while the server serves, and resources may read
// differently from one moment to the next:
//
//	s.RemoveTool("deploy")
//	s.AddTool(better, h)
//	s.ResourceUpdated("notes://all")
//
// Clients that have asked for it are told, in either era, and nobody else is. However
// often something changes while a client reads slowly, it is told once, after the last
// change. A server of which nothing ever changes sets [ServerOptions.Static]; replicas of
// one server share a [Bus].
//
// # The scope of a request
//
// A [Call] knows who asks ([Call.Principal], [Call.ClientInfo], [Call.Headers]), in
// which revision ([Call.ProtocolVersion]), and in which trace ([Call.TraceContext]). It
// tells the client how far the work is ([Call.Progress]) and what happened ([Call.Log],
// or a [slog.Logger] with [NewLogHandler]), where the client has asked for that, and at a
// bounded rate. Nothing of this has to be guarded by the handler: what the client does
// not want is not sent. What the operator is to see goes to [Call.Logger].
//
// The context ends when the client cancels, when the connection ends, and when the server
// shuts down and the time for that is over. What a handler returns once its request was
// cancelled is dropped, and nothing more is said about it (2026-07-28
// basic/patterns/cancellation, Behavior Requirements). So a handler that works long looks
// at ctx, passes it on, and returns ctx.Err().
//
// # Errors
//
// What the handlers of tools, resources, prompts and completions return, and what becomes
// of it:
//
//   - a [*jsonrpc.Error] is sent as a protocol error; codes that the client's
//     revision keeps for itself are replaced or hidden ([CodePolicy]), and those
//     from -32000 to -32019 should not be used at all (2026-07-28 basic/index,
//     Error Codes);
//   - any other error of a tool becomes a result with isError, for the model to
//     read, so its text must be fit for strangers;
//   - [ErrResourceNotFound] of a resource is sent in the code of the client's
//     revision;
//   - the errors of questions, returned as they are, do what their comments say
//     ([ErrInputRequired], [*MissingCapability], [*InvalidAnswer]);
//   - any other error of a resource, a prompt or a completion, and every panic, is
//     sent as an internal error with a correlation id, and stands in the log in full.
//
// # Concurrency and order
//
//   - Every method of a [Server] may be called from any goroutine, and at any time unless
//     its comment names one.
//   - Handlers run on any goroutine, as many at once as there are requests, also of one
//     client. They may block. Requests of one client may overtake each other, and answers
//     come in any order.
//   - A request sees what was registered when it was looked up: one that has found its
//     tool finishes, whatever is removed meanwhile. A request that comes in after a
//     change has returned sees that change.
//   - What a call says, progress, log messages and notifications, leaves in the order in
//     which it was said, before the answer and never behind it.
//   - A cancellation has taken effect before what the client has sent behind it is
//     looked at.
//   - Whoever changes something never waits for a client, and the last notification of a
//     change comes after the last change.
//   - A [Call] and a [Notice], with all that their methods give, are good until the handler
//     returns. The arguments that AddTool decodes are the handler's own.
//   - No lock that a request may need is held while a handler, or other code of the
//     program, runs.
//
// # A client
//
//	c, _, err := discover.Connect(ctx, stdio.Command(exec.Command("notes"), nil), nil)
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	sum, err := mcp.CallTool[int](ctx, c, "add", map[string]int{"a": 1, "b": 2}, nil)
//
// discover.Connect finds out which revision a server speaks; the [Client] that it gives is
// the same in all of them. Its methods are the requests of the protocol: lists page by page
// or as iterators over all pages ([Client.Tools]), calls of tools with Go values
// ([CallTool]) or with all that a result can be ([Client.CallTool]), and [Client.Do] for
// any method. Everything beyond is in [ClientOptions] and [CallOptions].
//
// What the server asks meanwhile, handlers in the options answer: [ClientOptions.Elicit],
// Sample and Roots. A client declares what it has handlers for. They serve requests of the
// server in the legacy era and rounds of input in the modern one, and know of neither.
//
// [Client.Listen] asks to be told of changes. Results that the server lets be kept are kept
// until it says that they have changed, or their time is over; [CallOptions.Fresh] asks anew.
//
//   - An error of the server is a [*jsonrpc.Error], a connection that has ended
//     [ErrLinkClosed], a time that is over context.DeadlineExceeded, to errors.As and
//     errors.Is. A tool that has failed is a result ([Result.IsError]), or a [*ToolError]
//     of CallTool. What the server may not send is a [*Malformed] or an [*InvalidResult];
//     single entries of lists that cannot be read are left out, and the log says so.
//   - Every method may be called from any goroutine, as many at once as there is need.
//   - When ctx ends, or a bound of time is reached, the request returns at once, and the
//     server is told that nobody waits for it any more.
//   - The functions that are told something (Log, Changed, Notice, Progress) run one at a
//     time, in the order in which it came, and never hold up what comes behind. A request
//     returns when its Progress has been told all that came before the answer.
//   - What a server sends is bounded before it is kept, and nothing of it is trusted:
//     descriptions, annotations and instructions are the server's own word.
//
// # Extending
//
// [Server.Handle] adds methods of the program's own, or of an extension, to the table
// that the protocol's stand in, and [Server.HandleNotification] takes notifications in;
// each says in which eras it exists. [ServerOptions.Extensions] declares extensions, and
// [Call.Notify] sends their notifications. [Middleware] stands around the whole table:
// for logs, limits, metrics. A program that stands between clients and a server has
// [Server.Forward] on the one side and [Client.Relay] on the other; package bridge is one.
//
// # Reading and writing
//
// Whoever is at the other end of a server, a client or a test, reads what came with
// [Read], by the type that it must be, and writes with [Append]: definitions, content,
// results, params, capabilities. See [Value].
//
// # One table, five revisions
//
// Behind a server is one handler table, from a method to its handler. An exchange,
// the legacy or the modern one, checks a request by the rules of its era, passes
// it to [Server.Answer] as a [Request], and names the [Form] in which the answer is
// to be written. A Form is data: what a revision can say. So nothing in this
// package asks which revision it serves. docs/revisions.md is the table of what differs,
// written from that data.
//
// Programs that serve need none of this: [Request], [Reply], [Form], [Asker], [Rounds],
// [Inquiry], [Listener] and the methods of Server that take or give them are for
// exchanges, and Reply for middleware, too. For exchanges of the client's side are
// [Exchange], [ClientRequest], [Link], [Outgoing] and the methods [Client.Attach],
// [Client.Answer] and [Client.Hear].
package mcp
