package mcp

import "isthmus.internal/jsonrpc"

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

	told *jsonrpc.Error
}

// Error is one line for whoever chose the client.
func (e *MissingCapability) Error() string {
	return "this needs a client with the capability " + e.Capability + ", " + e.Reason
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
	switch code := c.asked.Form.MissingCapability; {
	case code != 0:
		e.told = jsonrpc.Errorf(code, "This needs the client capability %s", capability)
		e.told.Data = append([]byte(`{"requiredCapabilities":`), capabilityPath(capability)...)
		e.told.Data = append(e.told.Data, '}')
	case c.Method() != "tools/call":
		e.told = &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "T" + e.Error()[1:]}
	}
	return e
}
