package main

import (
	_ "embed"
	"slices"

	"isthmus.internal/jsonrpc"
)

// The eras and transports of runs.
const (
	legacy = "legacy"
	modern = "modern"
	stdio  = "stdio"
	http   = "HTTP"
	sse    = "HTTP+SSE" // the deprecated one of 2024-11-05, which has no modern era
)

// revisions are what a client has to speak with a server that has them all.
var revisions = map[string]string{legacy: "2025-11-25", modern: "2026-07-28"}

// transports are those that each client takes.
var transports = []string{stdio, http, sse}

// client is a published client.
type client struct {
	pkg    string // its name at npm
	what   string // for people
	script string
	eras   []string
}

var (
	sdk1      = client{"@modelcontextprotocol/sdk", "TypeScript SDK 1.x", "sdk1.mjs", []string{legacy}}
	client2   = client{"@modelcontextprotocol/client", "TypeScript client 2.x", "client2.mjs", []string{legacy, modern}}
	inspector = client{"@modelcontextprotocol/inspector", "inspector, command line", "inspector.mjs", []string{legacy, modern}}
)

// run is one client that walks through one server.
type run struct {
	client         client
	era, transport string
}

// runs are all of them, in the order of the table.
func runs() []run {
	var all []run
	for _, c := range []client{sdk1, client2, inspector} {
		for _, era := range c.eras {
			for _, transport := range transports {
				if era == legacy || transport != sse {
					all = append(all, run{c, era, transport})
				}
			}
		}
	}
	return all
}

// step is one thing that a client does. An empty era, transport or package means each.
type step struct {
	name, what          string // what is for people
	era, transport, pkg string
}

var steps = []step{
	{name: "connect", what: "the handshake or `server/discover`; name, version, capabilities and instructions of the server"},
	{name: "ping", what: "`ping`", era: legacy},
	{name: "modern era", what: "it is among the revisions that the client knows", era: legacy, pkg: sdk1.pkg},
	{name: "list tools", what: "all pages of `tools/list`, ten tools each; one tool as a whole, with its schemas"},
	{name: "list resources", what: "`resources/list`"},
	{name: "list templates", what: "`resources/templates/list`"},
	{name: "list prompts", what: "`prompts/list`; one prompt as a whole"},
	{name: "call", what: "`tools/call`: structured content, characters of all kinds, 300,000 letters"},
	{name: "calls at the same time", what: "fifty calls before the first answer; each gets its own"},
	{name: "content", what: "images, sound, links and resources in the result of a tool"},
	{name: "errors", what: "a tool that fails, arguments that do not fit, a panic, a tool and a resource that do not exist"},
	{name: "read", what: "`resources/read`: text, a blob, a template"},
	{name: "prompt", what: "`prompts/get`"},
	{name: "complete", what: "`completion/complete` for a prompt and for a template"},
	{name: "progress", what: "reports during a call, which put off the client's time-out; without that the call times out, and the server sees it cancelled"},
	{name: "progress at once", what: "reports that come just before the answer"},
	{name: "cancel", what: "a call that is cancelled under way; the server has stopped working on it"},
	{name: "log", what: "log messages of a level and above"},
	{name: "subscribe", what: "a changed resource and a changed list of tools, and silence after the end of a subscription"},
	{name: "elicit", what: "a form that the user fills in, declines or cancels"},
	{name: "elicit with defaults", what: "a form that the client fills with its defaults"},
	{name: "sample", what: "a question to the client's model"},
	{name: "roots", what: "the client's roots"},
	{name: "ask several times", what: "three questions in a row, three at once, and a state that goes there and back"},
	{name: "ask in a prompt", what: "a question before a prompt is there"},
	{name: "mirrored headers", what: "method, name and an argument stand in headers, in Base64 where they have to; the server compares", era: modern, transport: http},
	{name: "error statuses", what: "errors in bodies of 200, 400 and 404: what the client makes of each", era: modern, transport: http},
	{name: "resume", what: "the server closes the stream of a call, and the client comes back with `Last-Event-ID`", era: legacy, transport: http},
	{name: "end the session", what: "`DELETE`; what comes behind it gets 404", era: legacy, transport: http},
	{name: "close", what: "the end of the connection; on stdio the server's process ends with it"},
}

// of reports whether the step is one of the run.
func (s step) of(r run) bool {
	return (s.era == "" || s.era == r.era) && (s.transport == "" || s.transport == r.transport) && (s.pkg == "" || s.pkg == r.client.pkg)
}

// limit is what a client cannot do. No transports means each.
type limit struct {
	client     client
	transports []string
	steps      []string
	why        string
}

var limits = []limit{
	{sdk1, nil, []string{"modern era"}, "this generation ends with 2025-11-25"},
	{sdk1, []string{stdio, sse}, []string{"progress at once"}, lostReports},
	{client2, []string{stdio, sse}, []string{"progress at once"}, lostReports},
	{inspector, nil, []string{"ping", "complete", "cancel", "subscribe"}, "the command line has no such method"},
	{inspector, nil, []string{"progress", "progress at once", "log"}, "it prints results alone, and none of the notifications before them"},
	{inspector, nil, []string{"elicit", "elicit with defaults", "sample", "ask several times", "ask in a prompt"},
		"it declares neither elicitation nor sampling, and is told that the server needs them"},
	{inspector, nil, []string{"end the session", "close"}, "each step has a connection of its own"},
}

// lostReports is a reason.
const lostReports = "reports that arrive in one read with the answer find no call any more: " +
	"the client looks at the answer first, and tells its `onerror` of an unknown token"

// limit returns the limit that keeps the client of the run from a step, or nil.
func (r run) limit(step string) *limit {
	for i, l := range limits {
		here := len(l.transports) == 0 || slices.Contains(l.transports, r.transport)
		if l.client.pkg == r.client.pkg && here && slices.Contains(l.steps, step) {
			return &limits[i]
		}
	}
	return nil
}

//go:embed package.json
var packages string

// version is the pinned version of a package.
func version(pkg string) string {
	text, _ := member(member(jsonrpc.Raw(packages), "dependencies"), pkg).Text()
	return text
}
