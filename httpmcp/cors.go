package httpmcp

import (
	"net/http"
	"slices"
	"strings"
)

// CORS lets pages of the origins in Options.AllowedOrigins, and of no others, call the endpoint and read what it
// says. No credentials are allowed in the sense of CORS, as there are no cookies here: an access token stands in
// Authorization, which a page sets itself.

const (
	// corsMaxAge is for how many seconds a browser need not ask again; browsers have bounds of about this.
	corsMaxAge  = "7200"
	corsHeaders = "content-type, accept, authorization, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id"
	// corsParam begins the names of headers that tools choose (2026-07-28 basic/transports/streamable-http, Custom
	// Headers from Tool Parameters), which are allowed as they are asked for.
	corsParam = "mcp-param-"
)

// The values of the headers are made once. Nothing writes into them: header maps hold them with no room behind.
var (
	corsExposed = []string{"Mcp-Session-Id, WWW-Authenticate, Retry-After"}
	corsVary    = []string{"Origin"}
)

// allowCORS sets what a browser wants to see in a reply before a page may read it. It is for every reply, also those
// that refuse something: a page that cannot read a 401 or a 404 does not know that it has to sign in or to start
// a new session.
func (o *Options) allowCORS(h http.Header, r *http.Request) {
	if o == nil || len(o.AllowedOrigins) == 0 {
		return
	}
	switch vary := h["Vary"]; {
	case vary == nil:
		h["Vary"] = corsVary[:1:1]
	case !slices.Contains(vary, "Origin"):
		h["Vary"] = append(vary[:len(vary):len(vary)], "Origin")
	}
	origins := r.Header["Origin"]
	if len(origins) != 1 || !o.allowsOrigin(origins[0]) {
		return
	}
	h["Access-Control-Allow-Origin"] = origins[:1:1]
	h["Access-Control-Expose-Headers"] = corsExposed[:1:1]
}

// preflight answers OPTIONS, by which a browser asks whether a page may send a request. It comes before all
// authentication, as such a question never has a token. Where allowCORS has not let the origin in, OPTIONS is a method
// like others that are not served; methods are those that are.
func (o *Options) preflight(w http.ResponseWriter, r *http.Request, methods string) {
	h := w.Header()
	if h["Access-Control-Allow-Origin"] == nil || r.Header["Access-Control-Request-Method"] == nil {
		refuseMethod(w, methods, "The method OPTIONS is served only for pages that may call this server")
		return
	}
	h.Add("Vary", "Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", corsHeaders+requestedParams(r.Header["Access-Control-Request-Headers"]))
	h.Set("Access-Control-Max-Age", corsMaxAge)
	boundRest(w, r)
	o.replyStatus(w, http.StatusNoContent)
}

// requestedParams are the headers for parameters that a preflight request asks for, each with a comma before it.
func requestedParams(lines []string) string {
	var names strings.Builder
	for _, line := range lines {
		for name := range strings.SplitSeq(line, ",") {
			name = trimSpace(name)
			if len(name) > len(corsParam) && strings.EqualFold(name[:len(corsParam)], corsParam) && isToken(name) {
				names.WriteString(", ")
				names.WriteString(name)
			}
		}
	}
	return names.String()
}
