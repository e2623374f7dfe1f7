package main

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"isthmus.internal/jsonrpc"
)

// The eras and transports of runs.
const (
	legacy = "legacy"
	modern = "modern"
	stdio  = "stdio"
	http   = "HTTP"
	sse    = "HTTP+SSE" // the deprecated one of 2024-11-05
)

// revisions are what has to be spoken with a server that has them all.
var revisions = map[string]string{legacy: "2025-11-25", modern: "2026-07-28"}

// step is one thing that a client does, in the order of the table.
type step struct{ name, what string }

var steps = []step{
	{"connect", "the era is found, and by default the newest; name, capabilities and instructions of the server"},
	{"ping", "`ping`"},
	{"list tools", "`tools/list`; one tool as a whole, with its schemas"},
	{"call", "`tools/call`: text, structured content that is held against its schema, and a Go type for it"},
	{"calls at the same time", "fifty calls before the first answer; each gets its own"},
	{"content", "pictures, links and resources in the result of a tool"},
	{"errors", "a tool that fails, arguments that do not fit, a tool and a method that do not exist"},
	{"list resources", "`resources/list` and `resources/templates/list`"},
	{"read", "`resources/read`: text, a blob, a template, and what does not exist"},
	{"list prompts", "`prompts/list`, with arguments"},
	{"prompt", "`prompts/get`"},
	{"complete", "`completion/complete` for a prompt and for a template"},
	{"progress", "reports during a call, in order, before its result"},
	{"cancel", "a call that is cancelled under way; the connection goes on"},
	{"log", "log messages of a level and above"},
	{"subscribe", "a resource that changes, and silence after the end of the subscription"},
	{"list changes", "a list that changes"},
	{"elicit", "a form that is filled in, with its defaults, and one that is declined"},
	{"elicit a page", "a page that the user is to open"},
	{"sample", "a question to the client's model"},
	{"roots", "the client's folders"},
	{"resume", "a connection that breaks in the middle of a call; the client comes back with `Last-Event-ID` and gets the rest"},
	{"close", "the end of the connection, in the time that the client gives servers"},
}

// server is a published server.
type server struct {
	pkg    string // its name at npm, or that of the library below it
	what   string // for people
	file   string // what Node runs, below the folder of the installation
	eras   []string
	starts map[string]start // by transport
	steps  map[string]func(w *walk) error
	lacks  map[string]string // by step: why it cannot be taken; see [walk.refused]
	keeps  bool              // the events of its streams over HTTP, for clients that come back
}

// start is how a server is started. In args, env, ready and url, DIR is a folder of the
// run's own, and PORT a free port.
type start struct {
	args  []string // behind the file
	env   []string
	ready string // what it says, somewhere in a line, once it can be reached
	url   string // "" for standard streams
}

// servers are all of them, in the order of the table.
func servers() []server { return []server{everything, filesystem, memory, server2} }

// run is one walk through one server.
type run struct {
	server         server
	era, transport string
}

// runs are all of them.
func runs() []run {
	var all []run
	for _, s := range servers() {
		for _, era := range s.eras {
			for _, transport := range []string{stdio, http, sse} {
				if _, there := s.starts[transport]; there {
					all = append(all, run{s, era, transport})
				}
			}
		}
	}
	return all
}

// label names a run for people.
func (r run) label() string { return r.server.what + ", " + r.era + ", " + r.transport }

// lacks says why a step cannot be taken in this run; "" when it can.
func (r run) lacks(step string) string {
	for _, l := range limits {
		if l.step == step && l.of(r) {
			return l.why
		}
	}
	return r.server.lacks[step]
}

// limit is what keeps several servers from a step.
type limit struct {
	who, step, why string
	of             func(run) bool
}

var limits = []limit{
	{"all, in the modern era", "ping", "the era has no such method", func(r run) bool { return r.era == modern }},
	{"all, in the modern era and over other transports than HTTP", "resume", "streams are taken up again in the legacy era over HTTP alone",
		func(r run) bool { return r.era == modern || r.transport != http }},
	{"a server on the TypeScript server 2.x", "resume", "it keeps no events", func(r run) bool { return !r.server.keeps }},
}

// faults of the plan itself: steps that nobody knows, or that are neither taken nor lacking.
func (s server) planFaults() []string {
	var faults []string
	for _, step := range steps {
		_, taken := s.steps[step.name]
		if step.name == "resume" {
			continue // which is the same for all
		}
		_, lacking := s.lacks[step.name]
		if taken == lacking {
			faults = append(faults, fmt.Sprintf("%s: %s: taken %t, lacking %t", s.what, step.name, taken, lacking))
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(s.steps)), slices.Collect(maps.Keys(s.lacks))) {
		if !slices.ContainsFunc(steps, func(known step) bool { return known.name == name }) {
			faults = append(faults, fmt.Sprintf("%s: there is no step %q", s.what, name))
		}
	}
	return faults
}

// version is the pinned version of a package, as the package.json at this path has it.
func version(file, pkg string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	v, ok := member(member(jsonrpc.Raw(text), "dependencies"), pkg).Text()
	if !ok {
		return "", fmt.Errorf("%s pins no %s", file, pkg)
	}
	return v, nil
}

// member is the member of an object with this name, or nil.
func member(object jsonrpc.Raw, name string) jsonrpc.Raw {
	o := jsonrpc.ReadObject(object)
	for o.Next() {
		if string(o.Name()) == name {
			return o.Value()
		}
	}
	return nil
}
