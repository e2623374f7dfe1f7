package main

// graveLogs are the messages of the tool log that a client gets which wants to hear of
// warnings and what is graver.
var graveLogs = []arrival{
	{"notifications/message", []expectation{
		{"its level is warning", "params level", equal, `"warning"`},
		{"it says so", "params data text", equal, `"This is a message of the level warning."`},
	}},
	{"notifications/message", []expectation{
		{"its level is error", "params level", equal, `"error"`},
		{"it says so", "params data text", equal, `"This is a message of the level error."`},
	}},
	{"notifications/message", []expectation{
		{"its level is critical", "params level", equal, `"critical"`},
		{"it says so", "params data text", equal, `"This is a message of the level critical."`},
	}},
	{"notifications/message", []expectation{
		{"its level is alert", "params level", equal, `"alert"`},
		{"it says so", "params data text", equal, `"This is a message of the level alert."`},
	}},
	{"notifications/message", []expectation{
		{"its level is emergency", "params level", equal, `"emergency"`},
		{"it says so", "params data text", equal, `"This is a message of the level emergency."`},
	}},
}

// done expects a result that says nothing else.
var done = []expectation{{"the result is {}", "result", equal, `{}`}}

// legacyLogs: the level is the session's.
var legacyLogs = []trial{
	{id: `"level"`, method: "logging/setLevel", params: `"level":"warning"`, expect: done},
	{id: `"log"`, method: "tools/call", params: `"name":"log"`, says: `"logged"`, also: graveLogs},
}

// modernLogs: the level is that of each request.
var modernLogs = []trial{
	{id: `"log"`, method: "tools/call", params: `"name":"log"`, meta: `"io.modelcontextprotocol/logLevel":"warning"`, says: `"logged"`, also: graveLogs},
}

// legacyChanges: lists that change are told of, resources when they are subscribed to.
var legacyChanges = []trial{
	{id: `"subscribe"`, method: "resources/subscribe", params: `"uri":` + readme, expect: done},
	{id: `"touch 1"`, method: "tools/call", params: `"name":"touch"`, says: `"changed"`, also: []arrival{
		{"notifications/tools/list_changed", nil},
		{"notifications/resources/updated", []expectation{{"its uri is " + readme, "params uri", equal, readme}}},
	}},
	touched,
	{id: `"unsubscribe"`, method: "resources/unsubscribe", params: `"uri":` + readme, expect: done},
	{id: `"touch 2"`, method: "tools/call", params: `"name":"touch"`, says: `"changed"`, also: []arrival{
		{"notifications/tools/list_changed", nil},
	}},
}

// touched reads the resource that the tool touch updates.
var touched = trial{id: `"read"`, method: "resources/read", params: `"uri":` + readme, kept: true, expect: []expectation{
	{"the text says so: touched 1 times", "result contents 0 text", mentions, "Touched 1 times"}}}

// modernChanges: a stream tells of what it was asked for, and has the id of its request
// in each message (2026-07-28 basic/patterns/subscriptions). Nothing comes once it is
// cancelled: the end of the section would show it.
func modernChanges(e *era) []*step {
	return []*step{
		{send: e.request(`"listen"`, "subscriptions/listen", `"notifications":`+listened), also: listening},
		e.step(&streamed),
		e.step(&touched),
		{send: e.notice("notifications/cancelled", `"requestId":"listen"`)},
		e.step(touch.as(`"touch 2"`)),
	}
}

const (
	listened = `{"toolsListChanged":true,"resourceSubscriptions":[` + readme + `]}`
	streamID = "params _meta io.modelcontextprotocol/subscriptionId"
)

var listening = []arrival{{"notifications/subscriptions/acknowledged", []expectation{
	{"it belongs to the stream listen", streamID, equal, `"listen"`},
	{"all is acknowledged that was asked for", "params notifications", equal, listened},
}}}

// touch calls the tool that changes things, and streamed does while the stream is there.
var touch = trial{method: "tools/call", params: `"name":"touch"`, says: `"changed"`}

var streamed = trial{id: `"touch 1"`, method: "tools/call", params: `"name":"touch"`, says: `"changed"`, also: []arrival{
	{"notifications/tools/list_changed", []expectation{
		{"it belongs to the stream listen", streamID, equal, `"listen"`},
	}},
	{"notifications/resources/updated", []expectation{
		{"it belongs to the stream listen", streamID, equal, `"listen"`},
		{"its uri is " + readme, "params uri", equal, readme},
	}},
}}
