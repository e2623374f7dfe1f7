package main

import "slices"

const (
	notesServer       = "notes-server"
	notesInfo         = `{"name":"notes-server","version":"1.0.0"}`
	notesCapabilities = `{"tools":{},"resources":{}}`
)

// The notes that the server holds when it is given no other ones.
const (
	note1    = `{"id":1,"tag":"release","text":"v2.1 shipped with streaming fixes"}`
	note2    = `{"id":2,"tag":"incident","text":"gateway 502 spike traced to upstream pool"}`
	note3    = `{"id":3,"tag":"release","text":"v2.2 rolled out canary to 5%"}`
	allNotes = `[` + note1 + `,` + note2 + `,` + note3 + `]`
)

// notesSections is the tour of the notes server, in both eras.
func notesSections() []section {
	modern := modernEra(notesInfo)
	return []section{{
		title:  "notes-server, legacy era, " + legacyVersion,
		server: notesServer,
		steps: append(
			handshake("1", legacyVersion,
				expectation{"serverInfo is " + notesInfo, "result serverInfo", equal(notesInfo)},
				expectation{"capabilities are " + notesCapabilities, "result capabilities", equal(notesCapabilities)},
			),
			notesSteps(legacyEra())...,
		),
	}, {
		title:  "notes-server, modern era, " + modernVersion,
		server: notesServer,
		steps: slices.Concat(
			[]step{discovery(modern, notesCapabilities)},
			notesSteps(modern),
			misfits("resources/list"),
		),
	}}
}

// notesSteps are those that go the same way in both eras.
func notesSteps(e era) []step {
	return append(noteTools(e), noteResources(e)...)
}

func noteTools(e era) []step {
	return []step{
		e.kept("2", "tools/list", "",
			expectation{"there is one tool", "result tools", length(1)},
			expectation{"its name is notes_query", "result tools 0 name", equal(`"notes_query"`)},
			expectation{"its arguments are an object", "result tools 0 inputSchema type", equal(`"object"`)},
			expectation{"tag is a string", "result tools 0 inputSchema properties tag type", equal(`"string"`)},
			expectation{"nothing is required", "result tools 0 inputSchema required", absentOr(length(0))},
			expectation{"there is no further page", "result nextCursor", absent()},
		),
		e.result("3", "tools/call", `"name":"notes_query","arguments":{}`, finds(allNotes)...),
		e.result("4", "tools/call", `"name":"notes_query"`, finds(allNotes)...),
		e.result("5", "tools/call", `"name":"notes_query","arguments":{"tag":"release"}`, finds(`[`+note1+`,`+note3+`]`)...),
		e.result("6", "tools/call", `"name":"notes_query","arguments":{"tag":"incident"}`, finds(`[`+note2+`]`)...),
		e.result("7", "tools/call", `"name":"notes_query","arguments":{"tag":"Release"}`, finds(`[]`)...),
		e.refusal("8", "tools/call", `"name":"notes_query","arguments":{"tag":7}`, -32602, "arguments.tag must be a string"),
		e.refusal("9", "tools/call", `"name":"nope","arguments":{}`, -32602, "Unknown tool: nope"),
	}
}

// finds expects one block of text with these notes.
func finds(notes string) []expectation {
	return []expectation{
		{"the content is one block", "result content", length(1)},
		{"its type is text", "result content 0 type", equal(`"text"`)},
		{"its text is " + notes, "result content 0 text", holdsJSON(notes)},
		noFault(),
	}
}

func noteResources(e era) []step {
	return []step{
		e.kept("10", "resources/list", "",
			expectation{"there is one resource", "result resources", length(1)},
			expectation{"its uri is notes://all", "result resources 0 uri", equal(`"notes://all"`)},
			expectation{"its name is all-notes", "result resources 0 name", equal(`"all-notes"`)},
			expectation{"its mimeType is application/json", "result resources 0 mimeType", equal(`"application/json"`)},
			expectation{"there is no further page", "result nextCursor", absent()},
		),
		e.kept("11", "resources/templates/list", "",
			expectation{"there is one template", "result resourceTemplates", length(1)},
			expectation{"its uriTemplate is notes://{id}", "result resourceTemplates 0 uriTemplate", equal(`"notes://{id}"`)},
		),
		e.kept("12", "resources/read", `"uri":"notes://all"`, reads("notes://all", allNotes)...),
		e.kept("13", "resources/read", `"uri":"notes://2"`, reads("notes://2", note2)...),
		e.refusal("14", "resources/read", `"uri":"notes://99"`, -32602, "Unknown resource: notes://99"),
		e.refusal("15", "resources/read", `"uri":"other://all"`, -32602, "Unknown resource: other://all"),
		e.refusal("16", "no/such", "", -32601, "Method not found: no/such"),
	}
}

// reads expects the contents of one resource.
func reads(uri, text string) []expectation {
	return []expectation{
		{"there is one piece of contents", "result contents", length(1)},
		{"its uri is " + uri, "result contents 0 uri", equal(quote(uri))},
		{"its mimeType is application/json", "result contents 0 mimeType", equal(`"application/json"`)},
		{"its text is " + text, "result contents 0 text", holdsJSON(text)},
	}
}
