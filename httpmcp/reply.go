package httpmcp

import (
	"net/http"
	"strconv"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// The values of headers that go out often, ready made; net/http does not change them.
var (
	typeJSON   = []string{"application/json"}
	retryAfter = []string{"1"}
)

// replyJSON sends a whole reply with its length. net/http writes it when the handler
// returns, and takes the deadline back before the connection's next request.
func (o *Options) replyJSON(w http.ResponseWriter, status int, body []byte) {
	// An error means that the writer has no deadlines: its owner has chosen that.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(o.writeTime()))
	h := w.Header()
	h["Content-Type"] = typeJSON
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	// An error means that the client is gone: there is nobody left to tell.
	_, _ = w.Write(body)
}

// refuse answers a request that no message could be read from, or is to be: an error
// without an id (2026-07-28 basic/transports/streamable-http, Security & Endpoint and
// Sending Messages).
func refuse(w http.ResponseWriter, status int, why string) {
	h := w.Header()
	switch status {
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		h["Retry-After"] = retryAfter
	case http.StatusRequestEntityTooLarge, http.StatusRequestTimeout:
		// The rest of the body is not waited for.
		h.Set("Connection", "close")
	}
	// What is left of the body net/http reads, to keep the connection or to let the
	// client see the answer, but not for as long as the client likes.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(restTime))
	h["Content-Type"] = typeJSON
	w.WriteHeader(status)
	_, _ = w.Write(jsonrpc.AppendError(nil, jsonrpc.ID{}, jsonrpc.Errorf(refusalCode(status), "%s", why)))
}

// restTime bounds how long the rest of a body that is not wanted may take to arrive.
const restTime = 5 * time.Second

// refusalCode is the JSON-RPC code beside a status.
func refusalCode(status int) jsonrpc.Code {
	if status >= 500 {
		return jsonrpc.InternalError
	}
	return jsonrpc.InvalidRequest
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
