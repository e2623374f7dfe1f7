package main

import "slices"

// graveLogs are the messages of the tool log that a client gets which wants to hear of
// warnings and what is graver.
func graveLogs() (due []arrival) {
	for _, level := range []string{"warning", "error", "critical", "alert", "emergency"} {
		due = append(due, arrival{"notifications/message", []expectation{
			{"its level is " + level, "params level", equal(quote(level))},
			{"it says so", "params data text", equal(quote("This is a message of the level " + level + "."))},
		}})
	}
	return due
}

// legacyLogs: the level is the session's.
func legacyLogs(e era) []step {
	return []step{
		e.result(`"level"`, "logging/setLevel", `"level":"warning"`, expectation{"the result is {}", "result", equal(`{}`)}),
		e.result(`"log"`, "tools/call", `"name":"log"`, echoes(`"logged"`)).with(graveLogs()...),
	}
}

// modernLogs: the level is that of each request.
func modernLogs(e era) []step {
	return []step{
		e.with(`"io.modelcontextprotocol/logLevel":"warning"`).
			result(`"log"`, "tools/call", `"name":"log"`, echoes(`"logged"`)).with(graveLogs()...),
	}
}

// touch calls the tool that changes things, of which these are told.
func touch(e era, id string, told ...arrival) step {
	return e.result(id, "tools/call", `"name":"touch"`, echoes(`"changed"`)).with(told...)
}

// touched reads the resource that touch updates.
func touched(e era, id, times string) step {
	return e.kept(id, "resources/read", `"uri":`+readme,
		expectation{"the text says so: touched " + times + " times", "result contents 0 text", mentions("Touched " + times + " times")})
}

// told are the two changes of touch, which carry this besides.
func told(expect ...expectation) []arrival {
	return []arrival{
		{"notifications/tools/list_changed", expect},
		{"notifications/resources/updated", slices.Concat(expect, []expectation{{"its uri is " + readme, "params uri", equal(readme)}})},
	}
}

// legacyChanges: lists that change are told of, resources when they are subscribed to.
func legacyChanges(e era) []step {
	done := expectation{"the result is {}", "result", equal(`{}`)}
	return []step{
		e.result(`"subscribe"`, "resources/subscribe", `"uri":`+readme, done),
		touch(e, `"touch 1"`, told()...),
		touched(e, `"read"`, "1"),
		e.result(`"unsubscribe"`, "resources/unsubscribe", `"uri":`+readme, done),
		touch(e, `"touch 2"`, told()[0]),
	}
}

// modernChanges: a stream tells of what it was asked for, and has the id of its request
// in each message (2026-07-28 basic/patterns/subscriptions). Nothing comes once it is
// cancelled: the end of the section would show it.
func modernChanges(e era) []step {
	const asked = `{"toolsListChanged":true,"resourceSubscriptions":[` + readme + `]}`
	tag := expectation{"it belongs to the stream listen", "params _meta io.modelcontextprotocol/subscriptionId", equal(`"listen"`)}
	return []step{
		step{send: e.request(`"listen"`, "subscriptions/listen", `"notifications":`+asked)}.with(
			arrival{"notifications/subscriptions/acknowledged", []expectation{
				tag,
				{"all is acknowledged that was asked for", "params notifications", equal(asked)},
			}}),
		touch(e, `"touch 1"`, told(tag)...),
		touched(e, `"read"`, "1"),
		{send: e.notice("notifications/cancelled", `"requestId":"listen"`)},
		touch(e, `"touch 2"`),
	}
}
