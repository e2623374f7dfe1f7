package httpmcp

import "net/http"

// tap shows what passes.
type tap struct {
	to   http.RoundTripper
	show func(dir string, head, body []byte)
}

// RoundTrip implements [http.RoundTripper].
func (t *tap) RoundTrip(r *http.Request) (*http.Response, error) { return t.to.RoundTrip(r) }
