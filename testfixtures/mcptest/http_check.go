package mcptest

import (
	"mime"
	"net/http"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// isStream reports whether an answer is a stream of events.
func isStream(a *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	return kind == "text/event-stream"
}

// checkAnswer says what is wrong with an answer that is no stream, "" for nothing.
func (p *post) checkAnswer(a *http.Response, line string) string {
	message := jsonrpc.Raw(line)
	code, failed := At(message, "error", "code").Int()
	switch kind := a.Header.Get("Content-Type"); {
	case line != "" && kind != "application/json":
		return "a message that is no application/json"
	case line != "" && message.Kind() != jsonrpc.KindObject && message.Kind() != jsonrpc.KindArray:
		return "a body that is no message"
	case !p.request && !failed && (a.StatusCode != http.StatusAccepted || line != ""):
		// 2026-07-28 basic/transports/streamable-http, Sending Messages, 5
		return "nothing was asked, so the answer is 202 without a body"
	case line == "" && p.request && p.modern:
		return "a request without an answer"
	case failed && !p.mayFail(a.StatusCode, jsonrpc.Code(code)):
		return "an error with a status that it does not have"
	case !failed && p.request && line != "" && a.StatusCode != http.StatusOK:
		return "a result has the status 200"
	}
	return ""
}

// mayFail reports whether an error may have this status. In the modern era some codes
// have one of their own; what is refused before anybody looks at the method has 400, and
// all else is an answer like any other (2026-07-28 basic/transports/streamable-http, Protocol
// Version Header and Server Validation).
func (p *post) mayFail(status int, code jsonrpc.Code) bool {
	switch {
	case status == http.StatusServiceUnavailable && p.link.isOver():
		return true
	case !p.request, code == jsonrpc.ParseError:
		return 400 <= status && status < 500
	case p.modern && code == jsonrpc.MethodNotFound:
		return status == http.StatusNotFound
	case p.modern && (code == httpmcp.HeaderMismatch || code == mcp.MissingRequiredClientCapability || code == -32022):
		return status == http.StatusBadRequest
	}
	return status == http.StatusOK || status == http.StatusBadRequest
}

// checkStream says what is wrong with the head of a stream, "" for nothing.
func checkStream(a *http.Response) string {
	switch h := a.Header; {
	case a.StatusCode != http.StatusOK:
		return "a stream has the status 200"
	case h.Get("X-Accel-Buffering") != "no":
		return "a stream that a proxy may hold back"
	case h.Get("Cache-Control") == "":
		return "a stream that a proxy may keep"
	}
	return ""
}

// checkEvent says what is wrong with an event, "" for nothing.
func (p *post) checkEvent(e event, answered bool) string {
	switch {
	case answered:
		return "an event behind the answer"
	case p.modern && e.id != "":
		return "modern streams cannot be resumed, so an id means nothing"
	case e.data == "" && e.id == "":
		return "an event that says nothing"
	case e.data != "" && e.name != "" && e.name != "message":
		return "an event that clients do not look at"
	case e.data != "" && jsonrpc.Raw(e.data).Kind() != jsonrpc.KindObject && jsonrpc.Raw(e.data).Kind() != jsonrpc.KindArray:
		return "an event that holds no message"
	}
	return ""
}
