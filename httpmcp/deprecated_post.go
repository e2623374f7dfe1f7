package httpmcp

import (
	"net/http"
	"sync"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// ssePost is what reads one POST. It is used again for later ones.
type ssePost struct {
	place place
	msg   jsonrpc.Message
	body  []byte
}

// post takes one message, or a batch of them, in.
func (e *SSEEndpoint) post(w http.ResponseWriter, r *http.Request) {
	if !isJSON(r.Header) {
		refuse(w, http.StatusUnsupportedMediaType, "Content-Type must be application/json")
		return
	}
	id := r.URL.Query().Get(sessionParam)
	if id == "" {
		// With this status a client that tries the newer transport first turns to GET
		// (2025-11-25 basic/transports, Backwards Compatibility).
		refuse(w, http.StatusBadRequest, "This URL serves the deprecated transport HTTP with SSE: open a stream with GET, and send messages to the URL in its endpoint event")
		return
	}
	p := e.posts.Get().(*ssePost)
	defer p.release(&e.posts)
	if status, why := e.load.enter(&p.place, asRequest, e.opts); status != 0 {
		refuse(w, status, why)
		return
	}
	defer e.load.leave(&p.place)
	s := e.find(id, e.opts.principal(r))
	if s == nil {
		refuse(w, http.StatusNotFound, unknownStream)
		return
	}
	body, status, why := e.load.readBody(w, r, p.body, &p.place, e.opts)
	p.body = body
	if status != 0 {
		refuse(w, status, why)
		return
	}
	if told := p.check(&e.scan, s.router); told != nil {
		id := p.msg.ID
		if p.msg.Kind == jsonrpc.Response {
			id = jsonrpc.ID{}   // it is ours, and none of the client's
			s.inbox.put(p.body) // whoever waits for it waits no more
		}
		e.opts.replyJSON(w, http.StatusBadRequest, jsonrpc.AppendError(nil, id, told))
		return
	}
	switch s.inbox.put(p.body) {
	case inboxTaken:
		e.opts.replyStatus(w, http.StatusAccepted)
	case inboxFull:
		refuse(w, http.StatusTooManyRequests, "Too many messages of this session wait: read its stream, and try again later")
	default:
		refuse(w, http.StatusNotFound, unknownStream)
	}
}

const unknownStream = "There is no such session: open a new stream with GET"

// check says what is wrong with a body that cannot be taken in at all. Of all else the
// answer comes on the stream.
func (p *ssePost) check(scan *jsonrpc.Scanner, router *discover.Router) *jsonrpc.Error {
	if jsonrpc.IsArray(p.body) {
		if _, told := scan.Split(p.body); told != nil {
			return told
		}
		return router.AllowBatch()
	}
	if told := scan.Scan(p.body, &p.msg); told != nil {
		return told
	}
	if string(p.msg.Method) == "initialize" && len(p.msg.Param("clientInfo"))+len(p.msg.Param("capabilities")) > longestSaid {
		return errSaidTooMuch()
	}
	if p.msg.Kind == jsonrpc.Request && discover.EraOf(&p.msg, true, "") == discover.ModernEra {
		return jsonrpc.Errorf(jsonrpc.InvalidRequest, "The transport HTTP with SSE serves legacy sessions alone: send modern requests to an endpoint of Streamable HTTP, or initialize without %s", mcp.MetaProtocolVersion)
	}
	return nil
}

func (p *ssePost) release(pool *sync.Pool) {
	p.msg.Reset()
	p.body = keep(p.body)
	pool.Put(p)
}
