package discover

import (
	"bytes"
	"maps"
	"slices"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// modernRequest is a request on its way: the first time, and again with the answers to what
// the server has asked for.
type modernRequest struct {
	x     *modernClient
	words *wording
	out   mcp.Outgoing

	as        *mcp.Behalf // who asks; nil for the client itself
	params    jsonrpc.Raw
	meta      mcp.Meta
	responses []byte      // inputResponses of a retry, nil for none
	state     jsonrpc.Raw // requestState of a retry, nil for none

	// Who is told what the server tells of the request, by the key of its id. Each attempt has
	// another id.
	told   *teller[mcp.ProgressParams] // of progress; nil for nobody
	listen *listening                  // of changes; nil for nobody
	key    string
}

// newRequest makes a request that is sent by [modernClient.send].
//
//go:noinline
func (x *modernClient) newRequest(r *mcp.ClientRequest) *modernRequest {
	q := &modernRequest{x: x, as: r.As, params: r.Params, meta: r.Meta}
	q.out = mcp.Outgoing{Method: r.Method, Params: q.append, Room: r.Room, Marks: r.Marks}
	if r.Progress != nil {
		q.told = &teller[mcp.ProgressParams]{tell: r.Progress}
	}
	return q
}

// append is [mcp.Outgoing.Params].
func (q *modernRequest) append(dst []byte, id jsonrpc.ID) []byte {
	dst = append(append(dst, `{"_meta":{`...), q.words.meta...)
	if q.told != nil || q.listen != nil {
		q.enlist(id)
	}
	if q.told != nil {
		// The id is unique among the requests that are under way, as a token has to be
		// (2026-07-28 basic/patterns/progress, Progress Flow).
		dst = append(append(dst, `,"progressToken":`...), id.Raw()...)
	}
	if len(q.meta) > 0 {
		dst = appendMeta(dst, q.meta)
	}
	dst = append(dst, '}')
	if q.responses != nil {
		dst = append(append(dst, `,"inputResponses":`...), q.responses...)
	}
	if q.state != nil {
		dst = append(append(dst, `,"requestState":`...), q.state...)
	}
	if members := bytes.TrimLeft(bytes.TrimPrefix(q.params, []byte("{")), " \t\r\n"); len(members) > 0 && members[0] != '}' {
		dst = append(dst, ',')
		return append(dst, members...)
	}
	return append(dst, '}')
}

// appendMeta writes what the caller has for _meta, but for the fields that are the
// protocol's.
func appendMeta(dst []byte, meta mcp.Meta) []byte {
	for _, name := range slices.Sorted(maps.Keys(meta)) {
		switch name {
		case mcp.MetaProtocolVersion, mcp.MetaClientInfo, mcp.MetaClientCapabilities, mcp.MetaLogLevel, mcp.MetaProgressToken:
		default:
			if meta[name] != nil {
				dst = append(appendName(append(dst, ','), name), meta[name]...)
			}
		}
	}
	return dst
}

// enlist has what the server tells under this id come to the request.
func (q *modernRequest) enlist(id jsonrpc.ID) {
	q.key = id.Key()
	q.x.mu.Lock()
	defer q.x.mu.Unlock()
	if q.told != nil {
		q.x.progress[q.key] = q.told
	}
	if q.listen != nil {
		q.x.listening[q.key] = q.listen
	}
}

// delist ends what enlist has begun, when the attempt is over.
func (q *modernRequest) delist() {
	if q.told == nil && q.listen == nil {
		return
	}
	q.x.mu.Lock()
	delete(q.x.progress, q.key)
	delete(q.x.listening, q.key)
	q.x.mu.Unlock()
}
