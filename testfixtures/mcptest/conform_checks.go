package mcptest

// checks are all of them, in the order in which they run. Each function stands in the
// file of its topic: conform_lists.go, conform_calls.go, conform_wire.go.
var checks = []check{
	{"lists keep one order", "a client compares a list with the one it has, and a model's cache depends on it (server/tools, Capabilities)", (*kit).listsKeepOrder},
	{"lists are complete", "what stands on no page cannot be found, and what stands on two is shown twice (server/utilities/pagination)", (*kit).listsAreComplete},
	{"cursors are checked", "a cursor that the server did not give out is -32602, and not the first page again (server/utilities/pagination, Error Handling)", (*kit).cursorsAreChecked},
	{"capabilities hold", "a client asks for what is declared and for nothing else: the one must work, the other is -32601 (server/discover, basic/lifecycle)", (*kit).capabilitiesHold},
	{"tools can be called", "a tool without a legal name, or with a schema that is none, makes some clients drop the whole list (server/tools, Tool Names and Data Types)", (*kit).toolsCanBeCalled},
	{"resources can be read", "what a server lists it has: reading gives at least one content, each with a uri (server/resources, Reading Resources)", (*kit).resourcesCanBeRead},
	{"prompts are described", "a user picks a prompt by its name and fills in arguments by theirs (server/prompts, Data Types)", (*kit).promptsAreDescribed},
	{"unknown names are refused", "a name that nothing has is the caller's mistake, -32602, and says which; a resource that is not there is -32002 up to 2025-11-25 (Error Handling of server/tools, server/prompts, server/resources)", (*kit).unknownNames},
	{"wrong arguments are told", "a model can mend its call only when the failed call names the argument (server/tools, Error Handling)", (*kit).wrongArguments},
	{"missing prompt arguments are refused", "a prompt with a gap in it is worse than none: -32602 (server/prompts, Implementation Considerations)", (*kit).missingPromptArguments},
	{"malformed params are refused", "params that are not what the method takes are -32602, whatever handler they would go to (basic/index, Error Codes)", (*kit).malformedParams},
	{"completion holds", "suggestions are at most 100 texts, and what is completed must exist (server/utilities/completion)", (*kit).completionHolds},
	{"changes are told to who asks", "a client waits for what it was granted, so a server grants what it declares and nothing else (basic/patterns/subscriptions, Acknowledgment; server/resources, Subscriptions)", (*kit).changesAreTold},
	{"unknown methods are refused", "a method that the revision or the server does not have is -32601 (JSON-RPC 2.0, section 5.1)", (*kit).unknownMethods},
	{"ids come back", "a client finds its request by the id, which must be the same value of the same type (basic/index, Responses)", (*kit).idsComeBack},
	{"ping is answered", "legacy clients end a connection that does not answer ping with {}; the modern revision has no ping (basic/utilities/ping)", (*kit).pingIsAnswered},
	{"notifications are not answered", "nothing is ever sent back for a notification, known or not (JSON-RPC 2.0, section 4.1)", (*kit).notificationsAreNot},
	{"log levels are checked", "a level that is none of the eight is -32602 (server/utilities/logging, Error Handling)", (*kit).logLevels},
	{"cancelled calls end", "a cancelled call ends soon and is never answered (basic/patterns/cancellation, Behavior Requirements)", (*kit).cancelledCallsEnd},
}
