package bridge

import (
	"slices"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// request is what of a client's request goes on to the server. It shares no memory with that.
type request struct {
	method   string
	members  jsonrpc.Raw // an object without _meta; nil for no params
	meta     mcp.Meta
	progress bool // the client wants to be told
}

// ofRetries are the params with which a request comes again (2026-07-28 basic/patterns/mrtr).
var ofRetries = []string{"inputResponses", "requestState"}

// paramsOf reads a request as it goes on. What a modern client has for a modern server goes
// with it, what it has for the bridge does not.
func paramsOf(c *mcp.Call, without ...string) request {
	r := request{method: c.Method()}
	if c.Params() == nil {
		return r
	}
	r.members = append(r.members, '{')
	for o := jsonrpc.ReadObject(c.Params()); o.Next(); {
		name := string(o.Name())
		switch {
		case name == "_meta":
			r.readMeta(o.Value())
		case !slices.Contains(without, name):
			r.members = jsonrpc.AppendMember(r.members, name, o.Value())
		}
	}
	r.members = append(r.members, '}')
	return r
}

// readMeta takes what is not the connection's own, which the client of the server says itself, and
// leaves out what no member of _meta can be called.
func (r *request) readMeta(meta jsonrpc.Raw) {
	for o := jsonrpc.ReadObject(meta); o.Next(); {
		switch name := string(o.Name()); name {
		case mcp.MetaProgressToken:
			r.progress = true
		case mcp.MetaProtocolVersion, mcp.MetaClientInfo, mcp.MetaClientCapabilities, mcp.MetaLogLevel:
		default:
			if !mcp.IsMetaName(name) {
				continue
			}
			if r.meta == nil {
				r.meta = mcp.Meta{}
			}
			r.meta[name] = slices.Clone(o.Value())
		}
	}
}
