package httpmcp

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// forbids holds a request to the rules for Host and Origin, which keep web pages away from servers that
// were not made for them (2026-07-28 basic/transports/streamable-http, Security & Endpoint). The status is 0 for
// a request that may pass; otherwise why says what is wrong, and option which one would let it pass, "" for none.
//
// It comes before all else, authentication included: a page that may not call the server learns nothing
// from it. The checks look at r.Host, which is the :authority of HTTP/2, and at no X-Forwarded-Host, which
// anybody may write.
func (o *Options) forbids(r *http.Request) (status int, why, option string) {
	origins, local := r.Header["Origin"], onLoopback(r)
	if len(origins) == 0 && !local {
		return 0, "", ""
	}
	host, ok := readAuthority(r.Host)
	if local && !(ok && (host.isLoopback() || o.allowsHost(host, r.TLS != nil))) {
		return http.StatusForbidden, fmt.Sprintf("Host %q is no name of this machine's loopback interface, on which the request came in, and none that this server allows",
			clip(r.Host)), "AllowedHosts"
	}
	if len(origins) == 0 {
		return 0, "", ""
	}
	if len(origins) > 1 {
		return http.StatusForbidden, "The header Origin stands there more than once", ""
	}
	if o.allowsOrigin(origins[0]) {
		return 0, "", ""
	}
	if from, fine := readOrigin(origins[0]); ok && fine && from.isOf(host, r.TLS != nil) {
		return 0, "", ""
	}
	return http.StatusForbidden, fmt.Sprintf("Origin %q is neither that of this server nor one that it allows", clip(origins[0])), "AllowedOrigins"
}

// onLoopback reports whether the connection of a request came in on a loopback address. A listener on all
// addresses has such connections, too.
func onLoopback(r *http.Request) bool {
	switch a := r.Context().Value(http.LocalAddrContextKey).(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case *net.UnixAddr: // no browser gets there
		return false
	case net.Addr:
		at, err := netip.ParseAddrPort(a.String())
		return err == nil && at.Addr().IsLoopback()
	}
	return false // no server of net/http: nothing is known
}

// allowsHost reports whether Options.AllowedHosts has a name, with its port or without any.
func (o *Options) allowsHost(host authority, tls bool) bool {
	port := 80
	if tls {
		port = 443
	}
	for _, s := range o.allowedHosts() {
		a, ok := readAuthority(s)
		if ok && strings.EqualFold(a.host, host.host) && (a.port == noPort || a.port == host.portOr(port)) {
			return true
		}
	}
	return false
}

// opaque is the origin of pages that have none, such as files and sandboxed frames.
const opaque = "null"

// allowsOrigin reports whether Options.AllowedOrigins has the value of an Origin header.
func (o *Options) allowsOrigin(value string) bool {
	from, ok := readOrigin(value)
	for _, s := range o.allowedOrigins() {
		if s == value && (ok || value == opaque) {
			return true
		}
		if a, fine := readOrigin(s); ok && fine && a.equal(from) {
			return true
		}
	}
	return false
}

// mustHaveLists stops a program whose lists cannot be right when it starts.
func (o *Options) mustHaveLists() {
	if err := o.Check(); err != nil {
		panic(err.Error())
	}
}

// Check reports entries of AllowedHosts and AllowedOrigins that could never let anything pass. [Handler], [SSEHandler]
// and [Guard] panic with its error: a program whose lists come from its users asks before.
func (o *Options) Check() error {
	if o == nil {
		return nil
	}
	for _, s := range o.allowedHosts() {
		if _, ok := readAuthority(s); !ok {
			return fmt.Errorf(`httpmcp: Options.AllowedHosts has %q: want a host, with a port or without, such as "app.example" or "app.example:8443", other than ASCII in punycode`, s)
		}
	}
	for _, s := range o.allowedOrigins() {
		if _, ok := readOrigin(s); !ok && s != opaque {
			return fmt.Errorf(`httpmcp: Options.AllowedOrigins has %q: want an origin without a path, such as "https://app.example"; there is no wildcard`, s)
		}
	}
	return nil
}

// Guard puts the rules for Host, Origin and CORS in front of a handler. It is for what stands around an
// [Endpoint] and answers some requests itself, authentication above all: a request from a strange web page is
// then refused before its token is looked at, a preflight request, which never has one, is answered, and a 401
// can be read by the pages that may call. An Endpoint without such a thing needs no Guard.
//
//	http.Handle("/mcp", httpmcp.Guard(authenticate(httpmcp.Handler(s, o)), o))
//
// It panics, as [Handler] does, when the lists of the options have what is no host or no origin.
func Guard(next http.Handler, o *Options) http.Handler {
	o.mustHaveLists()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o.guard(w, r, o.methods(), slog.New(slog.DiscardHandler)) {
			next.ServeHTTP(w, r)
		}
	})
}

// guard answers what must not reach a handler that serves these methods, and reports whether the
// request may go on. What the operator can do about a refusal is for the log alone.
func (o *Options) guard(w http.ResponseWriter, r *http.Request, methods string, log *slog.Logger) bool {
	o.allowCORS(w.Header(), r)
	if status, why, option := o.forbids(r); status != 0 {
		log.Debug("request refused", "status", status, "reason", why, "allowed by", option)
		refuse(w, status, why)
		return false
	}
	if r.Method == http.MethodOptions {
		o.preflight(w, r, methods)
		return false
	}
	return true
}

// receive does what comes first with each request to an endpoint that serves these methods, and reports
// whether the request may go on.
func (o *Options) receive(w http.ResponseWriter, r *http.Request, methods string, log *slog.Logger) bool {
	if !o.guard(w, r, methods, log) {
		return false
	}
	if r.Method != http.MethodPost && r.ContentLength != 0 {
		// net/http watches for the client's going only behind the end of a body.
		refuse(w, http.StatusBadRequest, "A body is taken with POST alone")
		return false
	}
	return true
}
