package httpmcp

import (
	"context"
	"log/slog"
	"net/http"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// exchange is one POST while it is answered. It is used again for later ones, so whatever
// outlives the handler must not keep it.
type exchange struct {
	endpoint  *Endpoint
	w         http.ResponseWriter
	r         *http.Request
	place     place
	ctx       *jsonrpc.RequestContext // of a modern message: ends with the client's connection
	accepts   accepts
	principal *mcp.Principal
	full      string // why no request is taken, but what those under way wait for; "": all is taken
	body      []byte // as it came
	msg       jsonrpc.Message
	era       discover.Era
	out       []byte // the reply, while it is made

	request mcp.Request // of a modern message
}

// post answers one POST, but for one that stays open: that is still to be answered, by
// [exchange.listen].
func (e *Endpoint) post(w http.ResponseWriter, r *http.Request) (stream *exchange) {
	if !isJSON(r.Header) {
		refuse(w, http.StatusUnsupportedMediaType, "Content-Type must be application/json")
		return nil
	}
	a := readAccept(r.Header)
	if !a.json && !a.events {
		refuse(w, http.StatusNotAcceptable, "Accept must list application/json, text/event-stream, or both")
		return nil
	}
	x := e.exchanges.Get().(*exchange)
	status, full := e.load.enter(&x.place, asRequest, e.opts)
	if status != 0 && !(e.sessions.knows(r.Header) && e.load.enterSpare(&x.place, e.opts)) {
		e.exchanges.Put(x)
		refuse(w, status, full)
		return nil
	}
	returned := false
	defer func() {
		e.load.leave(&x.place)
		if returned { // else it is still in use: the handler has ended its goroutine
			x.release()
		}
	}()
	x.w, x.r, x.accepts, x.principal, x.full = w, r, a, e.opts.principal(r), full
	stream = x.serve()
	returned = true
	return stream
}

// under gives x a context, which ends when that of the request does and when the endpoint does
// not wait for it any longer.
func (x *exchange) under() {
	x.ctx = jsonrpc.NewRequestContext(x.r.Context())
	x.endpoint.load.bind(&x.place, x.ctx)
}

// serve reads the message and gives it to its era. A request that stays open for hours
// comes back as an exchange of its own, without the buffers of this one.
func (x *exchange) serve() (stream *exchange) {
	e := x.endpoint
	body, status, why := e.load.readBody(x.w, x.r, x.body, &x.place, e.opts)
	x.body = body
	if status != 0 {
		refuse(x.w, status, why)
		return nil
	}
	batch := jsonrpc.IsArray(x.body)
	if batch && x.full == "" {
		e.legacyBatch(x)
		return nil
	}
	told := e.scan.Scan(x.body, &x.msg)
	if x.full != "" && (batch || told != nil || x.msg.Kind == jsonrpc.Request) {
		x.deny(http.StatusServiceUnavailable, x.full)
		return nil
	}
	opened := e.isLegacy(x.r)
	x.era = discover.EraOf(&x.msg, opened, x.r.Header.Get("Mcp-Protocol-Version"))
	x.trace("in", x.body)
	switch {
	case told != nil && opened && x.era != discover.ModernEra:
		e.legacyFault(x, told)
	case told != nil:
		x.refuse(http.StatusBadRequest, told)
	case x.era == discover.ModernEra:
		return x.modern()
	case x.era == discover.LegacyEra:
		e.legacyPost(x)
	default:
		told := discover.NeitherEra()
		told.Message += "; requests of a session carry its id in the header Mcp-Session-Id"
		x.refuse(http.StatusBadRequest, told)
	}
	return nil
}

// replyError answers the message with an error in one JSON body.
func (x *exchange) replyError(status int, told *jsonrpc.Error) {
	x.out = jsonrpc.AppendError(x.out[:0], x.replyID(), told)
	x.trace("out", x.out)
	x.reply(status, x.out)
}

// replyID is the id under which the message is answered with an error. That of a response is none:
// it is an id of ours, and may be that of a request of the client as well (2025-11-25
// basic/transports, Sending Messages to the Server).
func (x *exchange) replyID() jsonrpc.ID {
	if x.msg.Kind == jsonrpc.Response {
		return jsonrpc.ID{}
	}
	return x.msg.ID
}

// release makes x ready for another exchange.
func (x *exchange) release() {
	e := x.endpoint
	x.msg.Reset()
	x.w, x.r, x.ctx, x.principal, x.request = nil, nil, nil, nil, mcp.Request{}
	x.body, x.out, x.era, x.full = keep(x.body), keep(x.out), discover.Neither, ""
	e.exchanges.Put(x)
}

// keep empties buf for the next use, or drops it when it has grown too large.
func keep(buf []byte) []byte {
	if cap(buf) > largestKept {
		return nil
	}
	return buf[:0]
}

// trace logs the message, or what answers it, at debug level. dir is "in" or "out".
func (x *exchange) trace(dir string, message []byte) {
	x.endpoint.trace(x.r.Context(), x.era, dir, message)
}

func (e *Endpoint) trace(ctx context.Context, era discover.Era, dir string, message []byte) {
	if e.debug {
		e.log.LogAttrs(ctx, slog.LevelDebug, "message", slog.String("direction", dir),
			slog.String("era", era.String()), slog.String("message", string(message)))
	}
}
