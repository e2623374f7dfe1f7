package httpmcp

import (
	"net/http"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// HeaderMismatch answers a modern request one of whose headers does not say what its
// body says, or is missing. What stands between the client and the server may have
// decided by the header, and the server would act by the body (2026-07-28
// basic/transports/streamable-http, Server Validation).
const HeaderMismatch jsonrpc.Code = -32020

// named lists the methods whose Mcp-Name header repeats a member of params: three that
// the protocol requires it for, and those of the extension io.modelcontextprotocol/tasks,
// which a server need not have, so that there only a header that stands is checked
// (2026-07-28 basic/transports/streamable-http, Standard Request Headers).
var named = [...]struct {
	method, member string
	required       bool
}{
	{"tools/call", "name", true},
	{"resources/read", "uri", true},
	{"prompts/get", "name", true},
	{"tasks/get", "taskId", false},
	{"tasks/update", "taskId", false},
	{"tasks/cancel", "taskId", false},
}

// checkMirrors holds the headers of a modern message to its body: nil, or an error with
// the code [HeaderMismatch] for the client. marks are those of the tool that the message
// calls, if any ([mcp.Server.HeaderParams]). It allocates nothing while nothing is wrong
// and no value comes as Base64.
//
// What the body lacks or has of the wrong type is for the envelope and the method to
// refuse, unless a header claims that it is there. A notification may come without any
// header, since their rules are for requests, but those that stand must be true.
func checkMirrors(h http.Header, m *jsonrpc.Message, marks []mcp.HeaderParam) *jsonrpc.Error {
	required := m.Kind == jsonrpc.Request
	version := mirror{header: "Mcp-Protocol-Version", shown: "MCP-Protocol-Version",
		source: "_meta", member: mcp.MetaProtocolVersion, required: required}
	if value := m.Inner("_meta", mcp.MetaProtocolVersion); value != nil {
		if e := version.check(h, value); e != nil {
			return e
		}
	} else if _, _, e := version.read(h); e != nil {
		return e // a body without a version is refused as such, or is a notification
	}
	if e := checkMethod(h, m, required); e != nil {
		return e
	}
	for i := range named {
		if row := &named[i]; string(m.Method) == row.method {
			x := mirror{header: "Mcp-Name", member: row.member, required: required && row.required, encodes: true}
			if e := x.check(h, m.Param(row.member)); e != nil {
				return e
			}
		}
	}
	for i := range marks {
		if e := checkParam(h, m, &marks[i]); e != nil {
			return e
		}
	}
	return nil
}

// checkMethod compares Mcp-Method, whose source the scan has decoded already.
func checkMethod(h http.Header, m *jsonrpc.Message, required bool) *jsonrpc.Error {
	x := mirror{header: "Mcp-Method"}
	value, stands, e := x.read(h)
	switch {
	case e != nil:
		return e
	case !stands && required:
		return mismatch("the Mcp-Method header is missing; the body's method is %s", quote(m.Method))
	case stands && value != string(m.Method):
		return mismatch("the Mcp-Method header is %s, but the body's method is %s", quote(value), quote(m.Method))
	}
	return nil
}

// mirror is a header and the value of the body that it repeats.
type mirror struct {
	header string // in canonical form
	shown  string // as the specification spells it, "" for the same
	// The value is params[member], or params[source][member], or at path in
	// params.arguments. It is spelt out for errors alone.
	source, member string
	path           []string
	required       bool // whenever the value is there
	encodes        bool // may come as Base64
}

// check compares the header with the value, nil when the body has none.
func (x *mirror) check(h http.Header, value jsonrpc.Raw) *jsonrpc.Error {
	text, stands, e := x.read(h)
	switch {
	case e != nil:
		return e
	case !stands && x.required && x.canSay(value):
		return mismatch("the %s header is missing; the body's %s is %s%s", x.name(), x.place(), quoteValue(value), x.advice())
	case !stands:
		return nil
	case value == nil:
		return mismatch("the %s header is %s, but the body has no %s", x.name(), quote(text), x.place())
	}
	if encoded, marked := cutMarkers(text); marked && x.encodes {
		decoded, ok := decode(encoded)
		if !ok {
			return mismatch("the %s header is %s, which is not the Base64 of a text (standard alphabet, with padding)", x.name(), quote(text))
		}
		text = decoded
	}
	if !equal(text, value) {
		return mismatch("the %s header is %s, but the body's %s is %s", x.name(), quote(text), x.place(), quoteValue(value))
	}
	return nil
}

// read returns the header's value without the space around it. A header may stand more
// than once as long as all say the same: who reads the first and who reads the last
// must read one thing.
func (x *mirror) read(h http.Header) (value string, stands bool, e *jsonrpc.Error) {
	for i, v := range h[x.header] {
		v = trimSpace(v) // HTTP/1 readers have done so, those of HTTP/2 have not (RFC 9110, section 5.5)
		switch {
		case !isVisible(v):
			return "", true, mismatch("the %s header is %s, which has characters that a header must not have: only visible ASCII, space and tab%s", x.name(), quote(v), x.encoding())
		case i > 0 && v != value:
			return "", true, mismatch("the %s header stands several times, with %s and with %s", x.name(), quote(value), quote(v))
		}
		value, stands = v, true
	}
	return value, stands, nil
}

// name is the header's name as the specification spells it.
func (x *mirror) name() string {
	if x.shown != "" {
		return x.shown
	}
	return x.header
}

// place is where in the body the value is.
func (x *mirror) place() string {
	switch {
	case x.path != nil:
		return clip("params.arguments." + strings.Join(x.path, "."))
	case x.source != "":
		return `params.` + x.source + `["` + x.member + `"]`
	}
	return "params." + x.member
}

// advice is for the client of a tool whose schema has changed since it was listed
// (2026-07-28 basic/transports/streamable-http, Client Behavior).
func (x *mirror) advice() string {
	if x.path == nil {
		return ""
	}
	return "; x-mcp-header in the tool's schema, as tools/list has it, asks for this header"
}

func (x *mirror) encoding() string {
	if !x.encodes {
		return ""
	}
	return "; other texts are sent as =?base64?...?="
}

func mismatch(format string, args ...any) *jsonrpc.Error {
	return jsonrpc.Errorf(HeaderMismatch, "Header mismatch: "+format, args...)
}
