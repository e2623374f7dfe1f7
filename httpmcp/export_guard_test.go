package httpmcp

import "net/http"

// What tests of headers look at from outside of the package.

func (o *Options) Refuse(r *http.Request) (int, string)     { return o.forbids(r) }
func (o *Options) AllowCORS(h http.Header, r *http.Request) { o.allowCORS(h, r) }
func (o *Options) AllowsOrigin(value string) bool           { return o.allowsOrigin(value) }
func IsJSON(h http.Header) bool                             { return isJSON(h) }
func ReadAccept(h http.Header) (json, events bool)          { a := readAccept(h); return a.json, a.events }
func ReadHost(s string) (host string, port int, local, ok bool) {
	a, ok := readAuthority(s)
	return a.host, a.port, ok && a.isLoopback(), ok
}

func ReadOrigin(s string) (scheme, host string, port int, ok bool) {
	o, ok := readOrigin(s)
	return o.scheme, o.host, o.port, ok
}
