package httpmcp

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// typeJSON is the value of a header that goes out often, ready made; net/http does not change it.
var typeJSON = []string{jsonType}

// reply sends a whole reply. Over HTTP/1 it leaves before the handler returns, so that the
// sentry can keep the time; else a deadline does.
func (x *exchange) reply(status int, body []byte) {
	o := x.endpoint.opts
	if x.r.ProtoMajor != 1 {
		o.replyJSON(x.w, status, body)
		return
	}
	x.place.bound.begin(x.w, reading, x.endpoint.load.tick.Load())
	writeJSON(x.w, status, body)
	// An error means that the client is gone, or that the writer cannot do it: then what it
	// still holds leaves when the handler returns.
	err := http.NewResponseController(x.w).Flush()
	x.place.bound.end()
	if errors.Is(err, http.ErrNotSupported) {
		o.boundWrite(x.w)
	}
}

// replyJSON sends a whole reply. net/http writes it when the handler returns, and takes the
// deadline back before the connection's next request.
func (o *Options) replyJSON(w http.ResponseWriter, status int, body []byte) {
	o.boundWrite(w)
	writeJSON(w, status, body)
}

// writeJSON writes a whole reply with its length.
func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = typeJSON
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	// An error means that the client is gone: there is nobody left to tell.
	_, _ = w.Write(body)
}

// replyStatus sends a reply without a body.
func (o *Options) replyStatus(w http.ResponseWriter, status int) {
	o.boundWrite(w)
	w.WriteHeader(status)
}

// boundWrite bounds the time that the client has for reading what is written next. Short
// replies need it, too: the answers to many requests on one connection fill what lies between.
func (o *Options) boundWrite(w http.ResponseWriter) {
	// An error means that the writer has no deadlines: its owner has chosen that.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(o.writeTime()))
}

// statusOf is the status that an error of the handler table is sent with: some have one
// (2026-07-28 basic/transports/streamable-http, Protocol Version Header and Server
// Validation; basic/index, Per-request protocol fields). All others are answers like any
// other.
func statusOf(code jsonrpc.Code) int {
	switch code {
	case jsonrpc.MethodNotFound:
		return http.StatusNotFound
	case HeaderMismatch, mcp.MissingRequiredClientCapability, discover.UnsupportedProtocolVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
