package bridge

import (
	"isthmus.internal/discover"
	"isthmus.internal/mcp"
)

// caller is a client of the bridge, as the server is told of it.
type caller struct {
	info         mcp.Implementation
	capabilities mcp.ClientCapabilities
}

func callerOf(c *mcp.Call) *caller {
	who := &caller{info: c.ClientInfo(), capabilities: c.ClientCapabilities()}
	if who.info.Name == "" {
		who.info = own
	}
	if formOf(c).Era == mcp.Legacy && c.Session() == nil {
		// Its session keeps nothing, so it cannot be asked.
		who.capabilities.Elicitation, who.capabilities.Sampling, who.capabilities.Roots = nil, nil, nil
	}
	return who
}

// own is what the bridge says of itself where there is no client yet, or it does not say who it is.
var own = mcp.Implementation{Name: "isthmus-bridge", Version: "1"}

// canBeAsked reports whether the client has declared that for anything.
func (w *caller) canBeAsked() bool {
	k := &w.capabilities
	return k.Elicitation != nil || k.Sampling != nil || k.Roots != nil
}

// has reports whether the client can be asked all that another one can.
func (w *caller) has(other *caller) bool {
	k, want := &w.capabilities, &other.capabilities
	return (want.Elicitation == nil || k.Elicitation != nil && (k.Elicitation.URL || !want.Elicitation.URL)) &&
		(want.Sampling == nil || k.Sampling != nil && (k.Sampling.Tools || !want.Sampling.Tools) && (k.Sampling.Context || !want.Sampling.Context)) &&
		(want.Roots == nil || k.Roots != nil)
}

// key tells one client from another.
func (w *caller) key(p *mcp.Principal) string {
	f := discover.Forms()[0] // which has everything
	info, _ := mcp.Append(nil, &w.info, f)
	capabilities, _ := mcp.Append(nil, &w.capabilities, f)
	key := string(info) + string(capabilities)
	if p != nil {
		key += " " + p.ID
	}
	return key
}

// formOf is the revision of the client that makes a request.
func formOf(c *mcp.Call) *mcp.Form { return discover.FormOf(c.ProtocolVersion()) }

// clientOptions is what the server is told of the client that the line is for, and where what
// the server says goes.
func (l *line) clientOptions() *mcp.ClientOptions {
	o := &mcp.ClientOptions{
		Info: own, Logger: l.bridge.log, Timeout: -1, MaxTimeout: -1, CacheEntries: -1, NoOutputCheck: true,
		Log: l.logged, Notice: l.noticed,
	}
	if l.who == nil {
		return o
	}
	if l.several {
		o.Arrived = l.arrived
	}
	k := &l.who.capabilities
	o.Info, o.Extensions, o.Experimental = l.who.info, k.Extensions, k.Experimental
	if k.Elicitation != nil {
		o.Elicit, o.ElicitURL = l.elicit, k.Elicitation.URL
	}
	if k.Sampling != nil {
		o.Sample, o.SampleTools, o.SampleContext = l.sample, k.Sampling.Tools, k.Sampling.Context
	}
	if k.Roots != nil {
		o.Roots, o.RootsListChanged = l.roots, k.Roots.ListChanged
	}
	return o
}
