package mcptest

import (
	"fmt"
	"slices"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Conforming says what [Conform] may do with a server beyond looking at it. A nil
// pointer, and every zero field, means the default that the field's comment gives.
type Conforming struct {
	// Except names the checks that are left out, each with the reason.
	Except map[string]string
	// Slow is a tool, and SlowArguments an object for it, that takes at least a second
	// and ends when it is cancelled. Default: cancelling is not checked.
	Slow, SlowArguments string
	// Answer answers what handlers ask. Default: every elicitation is cancelled, there
	// are no roots, and sampling gives an empty text.
	Answer func(Ask) (result string, err *jsonrpc.Error)
	// Principal is who calls. Default: nobody is known.
	Principal *mcp.Principal
	// Unchecked says that the server has members or methods of its own, so that
	// messages are not held against what the revisions know.
	Unchecked bool
}

// Conform puts a server through every revision over every transport and checks what any server owes its
// clients, whatever it offers: lists in one order and complete, definitions that a client
// can use, the right errors for what is wrong, ids that come back as they were, nothing
// that the revision does not know. Each check is a subtest with a fresh server, and each
// failure says why the rule stands.
//
// Listed resources are read, and tools whose schema requires something are called without
// it. Handlers registered with [mcp.AddTool] never see such a call; a handler that checks
// its arguments itself does, and must refuse it. Nothing else of the server's is run.
func Conform(t *testing.T, newServer func(testing.TB) *mcp.Server, o *Conforming) {
	t.Helper()
	if o == nil {
		o = &Conforming{}
	}
	for name, reason := range o.Except {
		switch known := func(c check) bool { return c.name == name }; {
		case !slices.ContainsFunc(checks, known):
			t.Errorf("mcptest: there is no check %q to leave out", name)
		case reason == "":
			t.Errorf("mcptest: the check %q is left out without a reason", name)
		}
	}
	for _, revision := range Revisions() {
		for _, transport := range Transports() {
			t.Run(revision+" over "+transport.Name, func(t *testing.T) {
				for _, check := range checks {
					t.Run(check.name, func(t *testing.T) {
						if reason, ok := o.Except[check.name]; ok {
							t.Skip(reason)
						}
						check.on(t, revision, transport, newServer, o)
					})
				}
			})
		}
	}
}

// check is one thing that a server owes.
type check struct {
	name string
	// why is the sentence that a failure prints.
	why string
	run func(k *kit)
}

// kit is what a check works with.
type kit struct {
	*Client
	may *Conforming
}

// on runs the check on a fresh server.
func (x *check) on(t testing.TB, revision string, transport Transport, newServer func(testing.TB) *mcp.Server, o *Conforming) {
	t.Helper()
	answer := o.Answer
	if answer == nil {
		answer = refuse
	}
	c := Dial(t, newServer(t), &Options{Revision: revision, Transport: transport, Answer: answer, Principal: o.Principal, Unchecked: o.Unchecked})
	defer func() {
		if t.Failed() {
			t.Logf("%s: %s", x.name, x.why)
		}
	}()
	x.run(&kit{c, o})
	c.Close()
}

// refuse gives the least that an answer may be.
func refuse(a Ask) (string, *jsonrpc.Error) {
	switch a.Method {
	case "elicitation/create":
		return `{"action":"cancel"}`, nil
	case "sampling/createMessage":
		return `{"role":"assistant","content":{"type":"text","text":""},"model":"none"}`, nil
	}
	return `{"roots":[]}`, nil
}

// fail fails the test. what is what the server did.
func (k *kit) fail(format string, args ...any) {
	k.t.Helper()
	k.t.Errorf("%s", fmt.Sprintf(format, args...))
}

// refuses fails the test unless a request is answered with one of these codes.
func (k *kit) refuses(method, params string, codes ...jsonrpc.Code) {
	k.t.Helper()
	r := k.Request(method, params)
	if !slices.Contains(codes, r.Code()) {
		k.fail("%s %s is answered with %.300s, want the error %v", method, params, r, codes)
	}
}

// has reports whether the server offers something.
func (k *kit) has(capability string) bool {
	k.t.Helper()
	return At(k.ServerCapabilities(), capability) != nil
}

// listMethods are the methods that list, with the capability that brings each.
var listMethods = []struct{ method, capability, key string }{
	{"tools/list", "tools", "name"},
	{"resources/list", "resources", "uri"},
	{"resources/templates/list", "resources", "uriTemplate"},
	{"prompts/list", "prompts", "name"},
}

// lists calls f for each list that the server offers.
func (k *kit) lists(f func(method, key string)) {
	k.t.Helper()
	for _, l := range listMethods {
		if k.has(l.capability) {
			f(l.method, l.key)
		}
	}
}
