package httpmcp

import (
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// sealedSession is what ids of sealed sessions are sealed for.
const sealedSession = "legacy session"

// longestSealed is the length in bytes of the longest id of a sealed session. It goes with each
// request in a header, of which servers and proxies commonly take 8 KiB.
const longestSealed = 4 << 10

// sealSession makes the id of a session out of all that there is to know of it. It is for its
// owner alone, and for a time. told is for the client, when it says too much of itself.
func (o *Options) sealSession(h legacy.Handshake, owner *mcp.Principal) (id string, told *jsonrpc.Error) {
	plain := jsonrpc.AppendString([]byte(`{"version":`), h.Version)
	plain = appendKnown(plain, `,"clientInfo":`, h.ClientInfo)
	plain = append(appendKnown(plain, `,"capabilities":`, h.Capabilities), '}')
	if len(plain) <= longestSealed {
		id = o.SessionKeys.Seal(sealedSession, time.Now().Add(o.sessionLife()), []byte(principalID(owner)), plain)
	}
	switch {
	case len(plain) > longestSealed || len(id) > longestSealed:
		return "", jsonrpc.Errorf(jsonrpc.InvalidParams,
			"params.clientInfo and params.capabilities are too long: this server keeps them in the session id, which has %d bytes at most; leave out icons, for example", longestSealed)
	case !isVisibleName(id): // what ids consist of (2025-11-25 basic/transports, Session Management)
		return "", jsonrpc.Errorf(jsonrpc.InternalError, "The server cannot make session ids")
	}
	return id, nil
}

// appendKnown appends a member, on one line. What is no JSON has not got here.
func appendKnown(dst []byte, name string, value jsonrpc.Raw) []byte {
	with, err := jsonrpc.AppendCompact(append(dst, name...), value)
	if err != nil {
		return dst
	}
	return with
}

// unsealSession is the handshake in the id of a session. false: the id was not made with these keys
// or not for this owner, was altered, or its time is over. Which of them nobody is told.
func (o *Options) unsealSession(id string, owner *mcp.Principal) (h legacy.Handshake, ok bool) {
	if len(id) > longestSealed {
		return h, false
	}
	plain, err := o.SessionKeys.Open(sealedSession, time.Now(), []byte(principalID(owner)), id)
	if err != nil {
		return h, false
	}
	read := jsonrpc.ReadObject(plain)
	for read.Next() {
		switch string(read.Name()) {
		case "version":
			h.Version, _ = read.Value().Text()
		case "clientInfo":
			h.ClientInfo = read.Value()
		case "capabilities":
			h.Capabilities = read.Value()
		}
	}
	return h, read.Err() == nil
}
