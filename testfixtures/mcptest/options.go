package mcptest

import (
	"slices"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/revisions"
)

// Revisions returns all revisions, oldest first.
func Revisions() []string { return slices.Clone(revisions.All) }

// Modern is the newest revision, the one without a handshake.
const Modern = "2026-07-28"

// Options are who a client is and what it can do. A nil pointer, and every zero
// field, means the default that the field's comment gives.
type Options struct {
	// Revision is the one that the client speaks. Default: [Modern].
	Revision string
	// Transport is how it is connected. Default: [Memory].
	Transport Transport
	// Capabilities is what it declares, a JSON object. Default: all that the revision
	// knows ([Capabilities]).
	Capabilities string
	// Info is who it is, a JSON object. Default: mcptest 1.
	Info string
	// Principal is who the transport says is calling. Default: nobody is known.
	Principal *mcp.Principal
	// LogLevel is the level from which on it wants to be told: set once in the legacy
	// revisions, with each request in the modern one. Default: it does not ask.
	LogLevel string
	// Progress has each request carry a progress token.
	Progress bool
	// Answer answers what the server asks. Default: it must not ask. A legacy ask is
	// then refused and fails the test; a modern one ends the call, and [Client.Call]
	// returns the result that asks.
	Answer func(Ask) (result string, err *jsonrpc.Error)
	// Replica makes another server for each retry of a request that was answered with
	// input_required: the retry goes there, on a connection of its own. Default: it
	// goes to the same server.
	Replica func() *mcp.Server
	// Faults are those of the connection. Default: none.
	Faults Faults
	// Patience is how long it waits for an answer, or for a notification, before it fails
	// the test. Default: 30 seconds by the clock, and an hour in the bubbles of [Each],
	// where waiting takes no time.
	Patience time.Duration
	// Unchecked leaves what comes unchecked against the table of package revisions.
	// It is for servers with methods or members of their own.
	Unchecked bool
	// Record is given each message of the server, with the method of the request that it
	// answers, "" for none. It may be called from several goroutines at once. Default:
	// nobody records.
	Record func(method, line string)
}

// How long a client waits by default: by the clock, and in a bubble of synctest, where a
// slow tool is no reason to fail.
const (
	patience       = 30 * time.Second
	bubblePatience = time.Hour
)

// Ask is one request of the server.
type Ask struct {
	// Key names it among those of its round; "" in the legacy revisions.
	Key string
	// Method is elicitation/create, sampling/createMessage or roots/list.
	Method string
	// Params is an object, or nil.
	Params jsonrpc.Raw
}

// At is the value at a path in Params, as [At] has it.
func (a Ask) At(path ...any) jsonrpc.Raw { return At(a.Params, path...) }

// allCapabilities is what a client can declare, from the revision of each on.
var allCapabilities = []struct{ since, json string }{
	{"2026-07-28", `{"roots":{},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}}}`},
	{"2025-11-25", `{"roots":{"listChanged":true},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}}}`},
	{"2025-06-18", `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`},
	{"2024-11-05", `{"roots":{"listChanged":true},"sampling":{}}`},
}

// Capabilities returns, as a JSON object, all that a client of a revision can declare.
func Capabilities(revision string) string {
	for _, c := range allCapabilities {
		if revision >= c.since {
			return c.json
		}
	}
	return `{}`
}

// filled returns a copy with the defaults in place.
func (o *Options) filled() *Options {
	f := Options{}
	if o != nil {
		f = *o
	}
	if f.Revision == "" {
		f.Revision = Modern
	}
	if f.Transport.dial == nil {
		f.Transport = Memory()
	}
	if f.Capabilities == "" {
		f.Capabilities = Capabilities(f.Revision)
	}
	if f.Info == "" {
		f.Info = `{"name":"mcptest","version":"1"}`
	}
	if f.Patience <= 0 {
		f.Patience = patience
	}
	return &f
}
