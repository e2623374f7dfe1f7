package probed

import (
	"net/http"
	"strings"

	"isthmus.internal/jsonrpc"
)

// sites are the servers over HTTP. Those without a word of it have nothing in the body.
var sites = []Server{
	{Name: "method-not-found", Probe: "200 and -32601", Era: Legacy, site: fails(200, -32601, "Method not found")},
	{Name: "invalid-params", Probe: "200 and -32602", Era: Legacy, site: fails(200, -32602, "Invalid request parameters")},
	{Name: "invalid-request", Probe: "400 and -32600", Era: Legacy, site: fails(400, -32600, "Invalid Request")},
	{Name: "code-0", Probe: "200 and an error with code 0", Era: Legacy, site: fails(200, 0, "not initialized")},
	{Name: "no-session", Probe: "400 and -32000 with the id null", Era: Legacy,
		site: body(400, jsonType, string(foreign("null", -32000, "Bad Request: Mcp-Session-Id header is required")))},
	{Name: "unsupported-header", Probe: "400 and -32000 with the id null, about the version", Era: Legacy,
		site: body(400, jsonType, string(foreign("null", -32000, "Bad Request: Unsupported protocol version (supported versions: 2025-11-25, 2025-06-18)")))},
	{Name: "session-code", Probe: "404 and -32001", Era: Legacy, site: fails(404, -32001, "Session not found")},
	{Name: "not-found-code", Probe: "404 and -32601", Era: Legacy, site: fails(404, -32601, "Method not found")},
	{Name: "foreign-id", Probe: `400 and -32600 with the id "server-error"`, Era: Legacy,
		site: body(400, jsonType, string(foreign(`"server-error"`, -32600, "Validation error")))},
	{Name: "event", Probe: "200 and -32601 in a stream of events", Era: Legacy, site: event},
	{Name: "empty-stream", Probe: "200 and a stream of events that ends at once", Era: Legacy, site: body(200, eventType, "")},
	{Name: "empty-object", Probe: "200 and {}", Era: Legacy, site: body(200, jsonType, "{}")},
	{Name: "empty-result", Probe: "200 and the result {}", Era: Legacy, site: empty},
	{Name: "plain-text", Probe: "200 and a text", Era: Legacy, site: body(200, "text/plain", "ok")},
	{Name: "page", Probe: "200 and a page of HTML", Era: Legacy, site: body(200, "text/html", "<!doctype html><title>Welcome</title>")},
	{Name: "nothing", Probe: "200", Era: Legacy, site: body(200, "", "")},
	{Name: "accepted", Probe: "202", Era: Legacy, site: body(202, "", "")},
	{Name: "no-content", Probe: "204", Era: Legacy, site: body(204, "", "")},
	{Name: "bad-request", Probe: "400 and a text", Era: Legacy, site: body(400, "text/plain", "Bad Request")},
	{Name: "bad-request-empty", Probe: "400", Era: Legacy, site: body(400, "", "")},
	{Name: "bad-request-object", Probe: "400 and JSON that is no JSON-RPC", Era: Legacy, site: body(400, jsonType, `{"error":"unknown version","code":-32022}`)},
	{Name: "unauthorized", Probe: "401, though the handshake needs no token", Era: Legacy, site: unauthorized},
	{Name: "forbidden", Probe: "403, though the handshake is allowed", Era: Legacy, site: body(403, "text/plain", "Forbidden")},
	{Name: "not-found", Probe: "404 and a page of HTML", Era: Legacy, site: body(404, "text/html", "<h1>404</h1>")},
	{Name: "not-allowed", Probe: "405", Era: Legacy, site: body(405, "", "")},
	{Name: "not-acceptable", Probe: "406 and a text", Era: Legacy, site: body(406, "text/plain", "Not Acceptable")},
	{Name: "unsupported-type", Probe: "415", Era: Legacy, site: body(415, "", "")},
	{Name: "unprocessable", Probe: "422 and JSON that is no JSON-RPC", Era: Legacy, site: body(422, jsonType, `{"detail":[{"loc":["body"],"msg":"field required"}]}`)},
	{Name: "internal-error", Probe: "500 and a text", Era: Legacy, site: body(500, "text/plain", "Internal Server Error")},
	{Name: "not-implemented", Probe: "501", Era: Legacy, site: body(501, "", "")},
	{Name: "silence", Probe: "no answer", Era: Legacy, Quiet: true, site: wait},
	{Name: "closes", Probe: "the end of the connection", Era: Legacy, site: closes},

	{Name: "sse", Probe: "405, and so it is for the handshake: the server is of 2024-11-05", Era: Legacy, site: body(405, "", ""), always: true, ancient: true},
	{Name: "sse-not-found", Probe: "404, and so it is for the handshake: the server is of 2024-11-05", Era: Legacy, site: body(404, "text/plain", "Not Found"), always: true, ancient: true},

	{Name: "modern", Probe: "a DiscoverResult", Era: Modern, site: discover},
	{Name: "missing-capability", Probe: "400 and -32021", Era: Modern, site: modernly(lacking)},
	{Name: "header-mismatch", Probe: "400 and -32020", Era: Modern, site: modernly(mismatch)},

	{Name: "no-common-version", Probe: "400 and -32022 with 2027-01-01 alone", Era: None, Says: "2027-01-01", site: modernly(unsupported)},
	{Name: "needs-token", Probe: "401, as everything without a token", Era: None, Says: "401", site: unauthorized, always: true},
	{Name: "closed-door", Probe: "403, as everything", Era: None, Says: "403", site: body(403, "text/plain", "Forbidden"), always: true},
	{Name: "no-endpoint", Probe: "404, as everything", Era: None, Says: "404", site: body(404, "text/plain", "404 page not found"), always: true},
	{Name: "website", Probe: "200 and a page of HTML, as everything", Era: None, Says: "text/html", site: body(200, "text/html", "<!doctype html><title>Welcome</title>"), always: true},
}

const (
	jsonType  = "application/json"
	eventType = "text/event-stream"
)

// body answers with this status and body.
func body(status int, contentType, text string) func(http.ResponseWriter, *http.Request, jsonrpc.ID) {
	return func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.ID) {
		respond(w, status, contentType, []byte(text))
	}
}

func respond(w http.ResponseWriter, status int, contentType string, text []byte) {
	if contentType != "" {
		w.Header().Set("Content-Type", contentType)
	}
	w.WriteHeader(status)
	w.Write(text)
}

// fails answers with an error.
func fails(status int, code jsonrpc.Code, message string) func(http.ResponseWriter, *http.Request, jsonrpc.ID) {
	return func(w http.ResponseWriter, _ *http.Request, id jsonrpc.ID) {
		respond(w, status, jsonType, failure(id, code, message))
	}
}

// modernly answers with one of the errors of the modern era.
func modernly(e string) func(http.ResponseWriter, *http.Request, jsonrpc.ID) {
	return func(w http.ResponseWriter, _ *http.Request, id jsonrpc.ID) {
		respond(w, http.StatusBadRequest, jsonType, modernError(id, e))
	}
}

func event(w http.ResponseWriter, _ *http.Request, id jsonrpc.ID) {
	respond(w, 200, eventType, []byte("event: message\ndata: "+string(notFound(id))+"\n\n"))
}

func empty(w http.ResponseWriter, _ *http.Request, id jsonrpc.ID) {
	respond(w, 200, jsonType, success(id, `{}`))
}

func discover(w http.ResponseWriter, _ *http.Request, id jsonrpc.ID) {
	respond(w, 200, jsonType, success(id, discovered))
}

// Challenge is the value of WWW-Authenticate behind 401.
const Challenge = `Bearer resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource"`

func unauthorized(w http.ResponseWriter, r *http.Request, _ jsonrpc.ID) {
	w.Header().Set("WWW-Authenticate", Challenge)
	respond(w, http.StatusUnauthorized, jsonType, []byte(`{"error":"invalid_token"}`))
}

func wait(_ http.ResponseWriter, r *http.Request, _ jsonrpc.ID) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

func closes(http.ResponseWriter, *http.Request, jsonrpc.ID) { panic(http.ErrAbortHandler) }

// isEvents reports whether a client takes a stream of events.
func isEvents(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), eventType) }
