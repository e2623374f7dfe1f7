package httpmcp

import (
	"net/http"
	"net/url"
	"strings"
)

// mostRedirects is how many redirects of one request are followed.
const mostRedirects = 5

// stayHere is a [http.Client] CheckRedirect: what is sent may hold secrets and is for one server, so
// a redirect is followed only within its origin, and only when the method stays (307 and
// 308, RFC 9110, 15.4). All others are answers as they are. also may refuse more.
func stayHere(also func(*http.Request, []*http.Request) error) func(*http.Request, []*http.Request) error {
	return func(next *http.Request, via []*http.Request) error {
		if len(via) > mostRedirects || next.Method != via[0].Method || !sameOrigin(next.URL, via[0].URL) {
			return http.ErrUseLastResponse
		}
		if also != nil {
			return also(next, via)
		}
		return nil
	}
}

// sameOrigin compares scheme, host and port (RFC 6454, section 5).
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}
