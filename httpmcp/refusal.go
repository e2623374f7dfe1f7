package httpmcp

import (
	"net/http"
	"time"

	"isthmus.internal/jsonrpc"
)

// refusal is why a request is not taken: a status, and what the client is told.
type refusal struct {
	status int
	told   *jsonrpc.Error
}

// reply answers a request without a message.
func (r *refusal) reply(w http.ResponseWriter) { refuse(w, r.status, r.told.Message) }

func noSessionID() *refusal {
	return &refusal{http.StatusBadRequest, jsonrpc.Errorf(jsonrpc.InvalidRequest,
		"The header Mcp-Session-Id must name a session, once: initialize opens one and its answer has the id")}
}

func noSession() *refusal {
	return &refusal{http.StatusNotFound, jsonrpc.Errorf(jsonrpc.InvalidRequest,
		"Session not found: it has ended, or there was none; open a new one with initialize, without Mcp-Session-Id")}
}

func sessionEnded() *refusal {
	return &refusal{http.StatusNotFound, jsonrpc.Errorf(jsonrpc.InvalidRequest,
		"Session not found: it has ended; open a new one with initialize, without Mcp-Session-Id")}
}

// refusalOfEnded is why a request is not answered whose session has ended meanwhile.
func (e *Endpoint) refusalOfEnded() *refusal {
	select {
	case <-e.load.ending:
		return &refusal{http.StatusServiceUnavailable, jsonrpc.Errorf(jsonrpc.InternalError, "The server is shutting down")}
	default:
		return sessionEnded()
	}
}

// refuse answers the message with an error, under its id where it has one.
func (x *exchange) refuse(status int, told *jsonrpc.Error) {
	x.endpoint.log.Debug("message refused", "status", status, "code", int(told.Code), "reason", told.Message)
	setRetryAfter(x.w.Header(), status)
	x.replyError(status, told)
}

// deny is refuse for what the status says nearly all of.
func (x *exchange) deny(status int, why string) {
	x.refuse(status, jsonrpc.Errorf(refusalCode(status), "%s", why))
}

// refuse answers a request that no message could be read from, or is to be: an error
// without an id (2026-07-28 basic/transports/streamable-http, Security & Endpoint and
// Sending Messages).
func refuse(w http.ResponseWriter, status int, why string) {
	h := w.Header()
	setRetryAfter(h, status)
	if status == http.StatusRequestEntityTooLarge || status == http.StatusRequestTimeout {
		// The rest of the body is not waited for.
		h.Set("Connection", "close")
	}
	// What is left of the body net/http reads, to keep the connection or to let the
	// client see the answer, but not for as long as the client likes.
	now, c := time.Now(), http.NewResponseController(w)
	_ = c.SetReadDeadline(now.Add(restTime))
	_ = c.SetWriteDeadline(now.Add(refusalTime))
	h["Content-Type"] = typeJSON
	w.WriteHeader(status)
	_, _ = w.Write(jsonrpc.AppendError(nil, jsonrpc.ID{}, jsonrpc.Errorf(refusalCode(status), "%s", why)))
}

// refuseMethod answers a request with a method that is not served, and says which are (RFC 9110,
// 15.5.6).
func refuseMethod(w http.ResponseWriter, methods, why string) {
	w.Header().Set("Allow", methods)
	refuse(w, http.StatusMethodNotAllowed, why)
}

// restTime bounds how long the rest of a body that is not wanted may take to arrive.
const restTime = 5 * time.Second

// refusalTime bounds how long a refusal may take to leave. net/http first reads what is left of
// the body.
const refusalTime = restTime + 30*time.Second

// retryAfter is in seconds; what is full or ending has changed by then, more often than not.
var retryAfter = []string{"1"}

// setRetryAfter says when to come back, beside a status with which that helps.
func setRetryAfter(h http.Header, status int) {
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		h["Retry-After"] = retryAfter
	}
}

// refusalCode is the JSON-RPC code beside a status.
func refusalCode(status int) jsonrpc.Code {
	if status >= 500 {
		return jsonrpc.InternalError
	}
	return jsonrpc.InvalidRequest
}
