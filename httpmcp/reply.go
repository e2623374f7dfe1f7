package httpmcp

import (
	"net/http"
	"strconv"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// typeJSON is the value of a header that goes out often, ready made; net/http does not change it.
var typeJSON = []string{jsonType}

// replyJSON sends a whole reply with its length. net/http writes it when the handler
// returns, and takes the deadline back before the connection's next request.
func (o *Options) replyJSON(w http.ResponseWriter, status int, body []byte) {
	o.boundWrite(w)
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
