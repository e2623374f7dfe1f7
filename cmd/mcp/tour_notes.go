package main

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
	legacy, modern := legacyEra(), modernEra(notesInfo)
	return []section{{
		title:  "notes-server, legacy era, " + legacyVersion,
		server: notesServer,
		parts:  [][]*step{handshake("1", legacyVersion, notesIs...), notesSteps(legacy)},
	}, {
		title:  "notes-server, modern era, " + modernVersion,
		server: notesServer,
		parts:  [][]*step{discovery(modern, notesCapabilities), notesSteps(modern), misfits("resources/list")},
	}}
}

// notesIs is what the server says of itself.
var notesIs = []expectation{
	{"serverInfo is " + notesInfo, "result serverInfo", equal, notesInfo},
	{"capabilities are " + notesCapabilities, "result capabilities", equal, notesCapabilities},
}

// notesSteps are those that go the same way in both eras.
func notesSteps(e *era) []*step {
	steps := e.steps(notesLists)
	for _, q := range queries {
		steps = append(steps, e.step(&trial{id: q.id, method: "tools/call", params: q.params, expect: []expectation{
			{"the content is one block", "result content", length, "1"},
			{"its type is text", "result content 0 type", equal, `"text"`},
			{"its text is " + q.finds, "result content 0 text", holdsJSON, q.finds},
			noFault[0],
		}}))
	}
	for _, r := range reads {
		uri := quote(r.uri)
		steps = append(steps, e.step(&trial{id: r.id, method: "resources/read", params: `"uri":` + uri, kept: true, expect: []expectation{
			{"there is one piece of contents", "result contents", length, "1"},
			{"its uri is " + r.uri, "result contents 0 uri", equal, uri},
			{"its mimeType is application/json", "result contents 0 mimeType", equal, `"application/json"`},
			{"its text is " + r.text, "result contents 0 text", holdsJSON, r.text},
		}}))
	}
	return append(steps, e.steps(notesRefusals)...)
}

var notesLists = []trial{
	{id: `2`, method: "tools/list", kept: true, expect: []expectation{
		{"there is one tool", "result tools", length, "1"},
		{"its name is notes_query", "result tools 0 name", equal, `"notes_query"`},
		{"its arguments are an object", "result tools 0 inputSchema type", equal, `"object"`},
		{"tag is a string", "result tools 0 inputSchema properties tag type", equal, `"string"`},
		{"nothing is required", "result tools 0 inputSchema required", absentOrEqual, `[]`},
		{"there is no further page", "result nextCursor", absent, ""},
	}},
	{id: `3`, method: "resources/list", kept: true, expect: []expectation{
		{"there is one resource", "result resources", length, "1"},
		{"its uri is notes://all", "result resources 0 uri", equal, `"notes://all"`},
		{"its name is all-notes", "result resources 0 name", equal, `"all-notes"`},
		{"its mimeType is application/json", "result resources 0 mimeType", equal, `"application/json"`},
		{"there is no further page", "result nextCursor", absent, ""},
	}},
	{id: `4`, method: "resources/templates/list", kept: true, expect: []expectation{
		{"there is one template", "result resourceTemplates", length, "1"},
		{"its uriTemplate is notes://{id}", "result resourceTemplates 0 uriTemplate", equal, `"notes://{id}"`},
	}},
}

// queries are calls of the tool, and the notes that each finds.
var queries = []struct{ id, params, finds string }{
	{`5`, `"name":"notes_query","arguments":{}`, allNotes},
	{`6`, `"name":"notes_query"`, allNotes},
	{`7`, `"name":"notes_query","arguments":{"tag":"release"}`, `[` + note1 + `,` + note3 + `]`},
	{`8`, `"name":"notes_query","arguments":{"tag":"incident"}`, `[` + note2 + `]`},
	{`9`, `"name":"notes_query","arguments":{"tag":"Release"}`, `[]`},
}

// reads are the resources, and what stands in each.
var reads = []struct{ id, uri, text string }{
	{`10`, "notes://all", allNotes},
	{`11`, "notes://2", note2},
}

var notesRefusals = []trial{
	{id: `12`, method: "tools/call", params: `"name":"notes_query","arguments":{"tag":7}`, code: -32602, message: "arguments.tag must be a string"},
	{id: `13`, method: "tools/call", params: `"name":"nope","arguments":{}`, code: -32602, message: "Unknown tool: nope"},
	{id: `14`, method: "resources/read", params: `"uri":"notes://99"`, code: -32602, message: "Unknown resource: notes://99"},
	{id: `15`, method: "resources/read", params: `"uri":"other://all"`, code: -32602, message: "Unknown resource: other://all"},
	{id: `16`, method: "no/such", code: -32601, message: "Method not found: no/such"},
}
