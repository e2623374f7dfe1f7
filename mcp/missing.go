package mcp

import (
	"slices"
	"strings"

	"isthmus.internal/jsonrpc"
)

// MissingCapability is the error of a question that the client cannot be asked. A
// handler that can do without looks for it ([errors.As]) and goes on. A handler that
// returns it has the modern client told with -32021 and requiredCapabilities
// (2026-07-28 basic/index, Per-request protocol fields); a legacy one, whose revisions have
// no code for it, sees a failed tool call, or -32600 for a prompt or a resource.
type MissingCapability struct {
	// Capability is what the client would have to declare, such as
	// "elicitation.url".
	Capability string
	// Reason says why the client cannot be asked, as a clause that follows the
	// capability's name.
	Reason string
	// More is the same for other questions of the round that cannot be asked either.
	More []*MissingCapability

	told *jsonrpc.Error
}

// Error is one line for whoever chose the client.
func (e *MissingCapability) Error() string {
	text := "this needs a client with the capability " + e.Capability + ", " + e.Reason
	for _, other := range e.More {
		text += "; and with the capability " + other.Capability + ", " + other.Reason
	}
	return text
}

// Unwrap gives what the client is told, where that is a protocol error.
func (e *MissingCapability) Unwrap() error {
	if e.told == nil {
		return nil
	}
	return e.told
}

// undeclared is the error for a capability that the client has not declared.
func (c *Call) undeclared(capability string) error {
	return c.missing(capability, "which this client has not declared")
}

// unknown is the error for a capability that the revision does not have.
func (c *Call) unknown(capability string) error {
	return c.missing(capability, "which revision "+c.asked.Form.Revision+" of the protocol does not have")
}

func (c *Call) missing(capability, reason string) error {
	e := &MissingCapability{Capability: capability, Reason: reason}
	e.told = c.tellMissing(e)
	return e
}

// missingAll makes one error of those of several questions: a client is told at once of
// all that it lacks (2026-07-28 basic/index, Per-request protocol fields).
func (c *Call) missingAll(all []*MissingCapability) error {
	e := *all[0]
	for _, other := range all[1:] {
		same := func(m *MissingCapability) bool { return m.Capability == other.Capability && m.Reason == other.Reason }
		if !same(&e) && !slices.ContainsFunc(e.More, same) {
			e.More = append(e.More, other)
		}
	}
	e.told = c.tellMissing(&e)
	return &e
}

// tellMissing is what the client is told, nil where that is the text of a tool's result.
func (c *Call) tellMissing(e *MissingCapability) *jsonrpc.Error {
	switch code := c.asked.Form.MissingCapability; {
	case code != 0:
		names := []string{e.Capability}
		for _, other := range e.More {
			if !slices.Contains(names, other.Capability) {
				names = append(names, other.Capability)
			}
		}
		noun := "capability"
		if len(names) > 1 {
			noun = "capabilities"
		}
		told := jsonrpc.Errorf(code, "This needs the client %s %s", noun, strings.Join(names, ", "))
		told.Data = appendCapabilities([]byte(`{"requiredCapabilities":`), names)
		told.Data = append(told.Data, '}')
		return told
	case c.Method() != "tools/call":
		return &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: asSentence(e)}
	}
	return nil
}

// appendCapabilities appends an object of capabilities such as "sampling" and
// "elicitation.form": {"sampling":{},"elicitation":{"form":{}}}.
func appendCapabilities(dst []byte, names []string) []byte {
	var order []string // of those at the top
	inner := make(map[string][]string)
	for _, name := range names {
		top, rest, nested := strings.Cut(name, ".")
		if !slices.Contains(order, top) {
			order = append(order, top)
		}
		if nested {
			inner[top] = append(inner[top], rest)
		}
	}
	w := writer{dst: dst}
	w.open("", '{')
	for _, top := range order {
		w.open(top, '{')
		for _, rest := range inner[top] {
			w.flag(rest, true)
		}
		w.close('}')
	}
	w.close('}')
	return w.dst
}
