package httpmcp

import "net/http"

// isLegacy reports whether a request comes in a legacy session, as its headers have it.
func (e *Endpoint) isLegacy(r *http.Request) bool { return r.Header.Get("Mcp-Session-Id") != "" }

func (e *Endpoint) legacyPost(x *exchange) {
	refuse(x.w, http.StatusNotImplemented, "The legacy era is not served yet")
}

func (e *Endpoint) legacyBatch(x *exchange) {
	refuse(x.w, http.StatusNotImplemented, "The legacy era is not served yet")
}

func (e *Endpoint) legacyGet(w http.ResponseWriter, r *http.Request) {
	refuse(w, http.StatusNotImplemented, "The legacy era is not served yet")
}

func (e *Endpoint) legacyDelete(w http.ResponseWriter, r *http.Request) {
	refuse(w, http.StatusNotImplemented, "The legacy era is not served yet")
}
