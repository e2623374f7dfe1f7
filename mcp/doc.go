// Package mcp holds the vocabulary of the Model Context Protocol and the [Server]
// that offers tools, resources and prompts. It knows neither eras nor transports.
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
//	if err := stdio.Serve(context.Background(), s, nil); err != nil {
//		log.Fatal(err)
//	}
//
// Registration panics on a definition that cannot be sent, naming it; nothing can
// go wrong with it later. Lists keep the order of registration.
//
// # Handlers
//
// A handler sees a [Call] and returns an era-neutral result. It runs on any
// goroutine, as often at once as there are calls, and its context ends when the
// client cancels, when the connection ends, and when the server shuts down and the
// time for that is over. [AddTool] takes a handler of Go values and enforces the
// schemas; with [Server.AddTool] a handler checks its arguments itself. Its errors:
//
//   - a [*jsonrpc.Error] is sent as a protocol error; codes that the client's
//     revision keeps for itself are replaced or hidden ([CodePolicy]), and those
//     from -32000 to -32019 should not be used at all (2026-07-28 basic/index,
//     Error Codes);
//   - any other error of a tool becomes a result with isError, for the model to
//     read;
//   - [ErrResourceNotFound] of a resource is sent in the code of the client's
//     revision;
//   - any other error of a resource, a prompt or a completion, and every panic, is
//     sent as an internal error with a correlation id, and stands in the log in full.
//
// # Prompts and completion
//
// A prompt is a template for messages, with arguments that are strings. They are
// checked before its handler runs ([Server.AddPrompt]). A [Completer] suggests values
// for an argument, or for a variable of a resource template, while a user types.
//
// # While a request runs
//
// A [Call] knows who asks ([Call.Principal], [Call.ClientInfo], [Call.Headers]), in
// which revision ([Call.ProtocolVersion]), and in which trace ([Call.TraceContext]). It
// tells the client how far the work is ([Call.Progress]) and what happened ([Call.Log],
// or a [slog.Logger] with [NewLogHandler]), where the client has asked for that, at a
// bounded rate, and never behind the answer. Nothing of this has to be guarded by the
// handler: what the client does not want is not sent.
//
// Cancellation is the context. It ends when the client cancels; what the handler returns
// from then on is dropped, and nothing more is said about the request (2026-07-28
// basic/patterns/cancellation, Behavior Requirements). So a handler that works long
// looks at ctx, passes it on, and returns ctx.Err().
//
// # Asking the client
//
// A handler asks its client as it goes along: the user, with a form inferred from a Go
// type ([Ask]) or a page ([Call.ElicitURL]), the language model ([Call.Sample]), the roots
// ([Call.Roots]), several of them in one round ([Call.AskAll]).
//
//	in, err := mcp.Ask[contact](ctx, c, "contact", "How can we reach you?")
//	if err != nil {
//		return nil, err
//	}
//
// In the legacy era that is a request to the client, and the handler waits. In the modern
// era the call returns [ErrInputRequired], the client is asked in place of the result, and
// the handler runs again, from its top, when the client sends the request again with the
// answers (2026-07-28 basic/patterns/mrtr). What was answered before then returns at once.
// Three things follow for a handler that is to work in both:
//
//   - it returns the error of a question that it does not handle;
//   - the keys of its questions come out the same each time;
//   - it does what must not be done twice behind its last question, or in [Once].
//
// The answers of earlier rounds go to the client and come back as requestState. With
// [ServerOptions.Keys] that is sealed, and any process with the same keys takes the retry;
// without, it stays in this process and only its name travels.
//
// # Extending
//
// [Server.Handle] adds methods of the program's own, or of an extension, to the table
// that the protocol's stand in, and [Server.HandleNotification] takes notifications in;
// each says in which eras it exists. [ServerOptions.Extensions] declares extensions, and
// [Call.Notify] sends their notifications. [Middleware] stands around the whole table:
// for logs, limits, metrics.
//
// # Lists
//
// Lists are one page, or pages of [ServerOptions.PageSize]. What has a Visible function
// is shown to those alone whom it lets pass, and does not exist for all others. Hints on
// caching are private unless the options say otherwise.
//
// Resources stand one by one, in families behind a template ([ResourceTemplate]), or are
// the files of a folder ([Server.AddFiles]).
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
// Clients that have asked for it are told, in either era, and nobody else is. These
// calls never wait for a client. However often something changes while a client reads
// slowly, it is told once, after the last change. A server of which nothing ever changes
// sets [ServerOptions.Static]; replicas of one server share a [Bus].
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
// package asks which revision it serves:
//
//	                        2024-11-05  2025-03-26  2025-06-18  2025-11-25  2026-07-28
//	tool annotations             -           x           x           x           x
//	audio content                -           x           x           x           x
//	progress message             -           x           x           x           x
//	level of logging          session     session     session     session     request
//	titles, _meta                -           -           x           x           x
//	lastModified                 -           -           x           x           x
//	resource links               -           -           x           x           x
//	structured content           -           -         object      object       any
//	icons                        -           -           -           x           x
//	description, websiteUrl
//	  of an implementation       -           -           -           x           x
//	true, false as schemas
//	  of properties              -           -           -           -           x
//	completions declared         -           x           x           x           x
//	context of completion        -           -           x           x           x
//	elicitation: forms           -           -           x           x           x
//	elicitation: urls,
//	  defaults, choices of
//	  several                    -           -           -           x           x
//	sampling with tools          -           -           -           x           x
//	sampling, roots              x           x           x           x           x
//	extensions                   -           -           -           -           x
//	resultType, cache hints      -           -           -           -           x
//	serverInfo in each result    -           -           -           -           x
//	resource not found        -32002      -32002      -32002      -32002      -32602
package mcp
