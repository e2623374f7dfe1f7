package httpmcp_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// asked makes a request as net/http hands one over: for a host, over a connection to an address, from origins.
func asked(local net.Addr, host string, secure bool, origins ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	if local != nil {
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
	}
	r.Host = host
	if secure {
		r.TLS = &tls.ConnectionState{}
	}
	if origins != nil {
		r.Header["Origin"] = origins
	}
	return r
}

func address(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 8080} }

// namedAddr is the address of a connection that is not of package net.
type namedAddr string

func (namedAddr) Network() string  { return "own" }
func (a namedAddr) String() string { return string(a) }

func TestHost(t *testing.T) {
	listed := &httpmcp.Options{AllowedHosts: []string{"App.example", "proxy.example:8443", "[fd00::1]", "plain.example:80", "tls.example:443"}}
	loopback := address("127.0.0.1")
	for _, tt := range []struct {
		name   string
		o      *httpmcp.Options
		local  net.Addr
		host   string
		secure bool
		pass   bool
	}{
		{"localhost", nil, loopback, "localhost:8080", false, true},
		{"localhost without port", nil, loopback, "localhost", false, true},
		{"localhost in capitals", nil, loopback, "LocalHost:1", false, true},
		{"localhost from the root", nil, loopback, "localhost.:8080", false, true},
		{"below localhost", nil, loopback, "app.localhost:8080", false, true},
		{"an address", nil, loopback, "127.0.0.1:8080", false, true},
		{"another address", nil, loopback, "127.3.2.1", false, true},
		{"IPv6", nil, address("::1"), "[::1]:8080", false, true},
		{"IPv6 in full", nil, address("::1"), "[0:0:0:0:0:0:0:1]", false, true},
		{"IPv4 in IPv6", nil, address("::ffff:127.0.0.1"), "[::ffff:127.0.0.1]:8080", false, true},
		{"rebinding", nil, loopback, "evil.example:8080", false, false},
		{"rebinding, on another address", nil, address("127.0.0.9"), "evil.example:8080", false, false},
		{"rebinding, on IPv6", nil, address("::1"), "evil.example:8080", false, false},
		{"rebinding, without package net", nil, namedAddr("[::1]:80"), "evil.example", false, false},
		{"rebinding, on UDP", nil, &net.UDPAddr{IP: net.ParseIP("127.0.0.1")}, "evil.example", false, false},
		{"localhost in front", nil, loopback, "localhost.evil.example", false, false},
		{"localhost at the end of a label", nil, loopback, "evillocalhost", false, false},
		{"an address in front", nil, loopback, "127.0.0.1.evil.example", false, false},
		{"an address in short", nil, loopback, "127.1", false, false},
		{"an address in octal", nil, loopback, "0177.0.0.1", false, false},
		{"any address", nil, loopback, "0.0.0.0:8080", false, false},
		{"any address of IPv6", nil, loopback, "[::]:8080", false, false},
		{"an address of the network", nil, loopback, "192.168.0.1", false, false},
		{"no host", nil, loopback, "", false, false},
		{"a port alone", nil, loopback, ":8080", false, false},
		{"an empty port", nil, loopback, "localhost:", false, false},
		{"a port with a sign", nil, loopback, "localhost:+1", false, false},
		{"a port that is too large", nil, loopback, "localhost:65536", false, false},
		{"a user", nil, loopback, "evil@localhost", false, false},
		{"a user in front of a port", nil, loopback, "localhost:80@evil.example", false, false},
		{"a path", nil, loopback, "localhost/evil", false, false},
		{"an empty label", nil, loopback, ".localhost", false, false},
		{"two dots at the end", nil, loopback, "localhost..", false, false},
		{"IPv6 without brackets", nil, loopback, "::1", false, false},
		{"an open bracket", nil, loopback, "[::1", false, false},
		{"text behind a bracket", nil, loopback, "[::1]x", false, false},
		{"a zone", nil, loopback, "[::1%lo]", false, false},
		{"a name in brackets", nil, loopback, "[localhost]", false, false},
		{"IPv4 in brackets", nil, loopback, "[127.0.0.1]", false, false},
		{"letters of other scripts", nil, loopback, "ⓛocalhost", false, false},
		{"a space", nil, loopback, "localhost ", false, false},
		{"a name as long as none", nil, loopback, strings.Repeat("a.", 200) + "localhost", false, false},
		{"listed, any port", listed, loopback, "app.example:9", false, true},
		{"listed, no port", listed, loopback, "app.example.", false, true},
		{"listed with its port", listed, loopback, "PROXY.example:8443", false, true},
		{"listed with another port", listed, loopback, "proxy.example:8080", false, false},
		{"listed with a port, asked without", listed, loopback, "proxy.example", false, false},
		{"listed with the port of http", listed, loopback, "plain.example", false, true},
		{"listed with the port of http, by TLS", listed, loopback, "plain.example", true, false},
		{"listed with the port of https", listed, loopback, "tls.example", true, true},
		{"listed IPv6", listed, loopback, "[FD00::1]:1", false, true},
		{"not listed", listed, loopback, "sub.app.example", false, false},
		{"not on loopback", nil, address("192.0.2.1"), "evil.example:8080", false, true},
		{"not on loopback, no host", nil, address("192.0.2.1"), "", false, true},
		{"a socket", nil, &net.UnixAddr{Name: "/run/s", Net: "unix"}, "evil.example", false, true},
		{"an address that is none", nil, namedAddr("pipe"), "evil.example", false, true},
		{"no server of net/http", nil, nil, "evil.example", false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, why, option := tt.o.Forbids(asked(tt.local, tt.host, tt.secure))
			if tt.pass != (status == 0) || !tt.pass && (status != http.StatusForbidden || (!strings.Contains(why, "Host") || option != "AllowedHosts")) {
				t.Errorf("Host %q on %v: got %d %q, want it to pass: %t", tt.host, tt.local, status, why, tt.pass)
			}
		})
	}
}

func TestOrigin(t *testing.T) {
	listed := &httpmcp.Options{AllowedOrigins: []string{"https://App.example", "http://localhost:6274", "https://xn--bcher-kva.example:443", "vscode-webview://1a2b", "null"}}
	for _, tt := range []struct {
		name    string
		o       *httpmcp.Options
		host    string
		secure  bool
		origins []string
		pass    bool
	}{
		{"absent", nil, "a.example", false, nil, true},
		{"its own", nil, "a.example", false, []string{"http://a.example"}, true},
		{"its own, behind TLS of others", nil, "a.example", false, []string{"https://a.example"}, true},
		{"its own, by TLS", nil, "a.example", true, []string{"https://a.example"}, true},
		{"its own, with its port", nil, "a.example:8080", false, []string{"http://a.example:8080"}, true},
		{"its own, the default port written", nil, "A.example:443", true, []string{"HTTPS://a.EXAMPLE"}, true},
		{"its own, IPv6", nil, "[::1]:80", false, []string{"http://[::1]"}, true},
		{"without TLS, to TLS", nil, "a.example", true, []string{"http://a.example"}, false},
		{"another port", nil, "a.example:8080", false, []string{"http://a.example:8081"}, false},
		{"no port", nil, "a.example:8080", false, []string{"http://a.example"}, false},
		{"the port of another scheme", nil, "a.example:80", false, []string{"https://a.example"}, false},
		{"another host", nil, "a.example", false, []string{"http://b.example"}, false},
		{"a host below", nil, "a.example", false, []string{"http://x.a.example"}, false},
		{"a host that ends alike", nil, "a.example", false, []string{"http://evil-a.example"}, false},
		{"another scheme", nil, "a.example", false, []string{"ftp://a.example"}, false},
		{"opaque", nil, "a.example", false, []string{"null"}, false},
		{"empty", nil, "a.example", false, []string{""}, false},
		{"a host alone", nil, "a.example", false, []string{"a.example"}, false},
		{"a path", nil, "a.example", false, []string{"http://a.example/"}, false},
		{"a user", nil, "a.example", false, []string{"http://evil@a.example"}, false},
		{"a list", nil, "a.example", false, []string{"http://a.example http://b.example"}, false},
		{"twice", nil, "a.example", false, []string{"http://a.example", "http://a.example"}, false},
		{"a scheme that is none", nil, "a.example", false, []string{"1http://a.example"}, false},
		{"no scheme", nil, "a.example", false, []string{"://a.example"}, false},
		{"a host that cannot be read", nil, "a example", false, []string{"http://a.example"}, false},
		{"listed", listed, "a.example", false, []string{"https://app.example"}, true},
		{"listed, the default port written", listed, "a.example", false, []string{"https://app.example:443"}, true},
		{"listed, without the default port", listed, "a.example", false, []string{"https://xn--bcher-kva.example"}, true},
		{"listed, of loopback", listed, "a.example", false, []string{"http://localhost:6274"}, true},
		{"listed, of another scheme", listed, "a.example", false, []string{"vscode-webview://1a2b"}, true},
		{"listed, opaque", listed, "a.example", false, []string{"null"}, true},
		{"listed for another scheme", listed, "a.example", false, []string{"http://app.example"}, false},
		{"listed for another port", listed, "a.example", false, []string{"https://app.example:8443"}, false},
		{"below one that is listed", listed, "a.example", false, []string{"https://x.app.example"}, false},
		{"its own beside a list", listed, "a.example", false, []string{"http://a.example"}, true},
		{"a list entry that is no origin", &httpmcp.Options{AllowedOrigins: []string{"*"}}, "a.example", false, []string{"*"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, why, option := tt.o.Forbids(asked(nil, tt.host, tt.secure, tt.origins...))
			if tt.pass != (status == 0) || !tt.pass && (status != http.StatusForbidden || !strings.Contains(why, "Origin")) {
				t.Errorf("Origin %q for %q: got %d %q, want it to pass: %t", tt.origins, tt.host, status, why, tt.pass)
			}
			if single := len(tt.origins) == 1; !tt.pass && single && option != "AllowedOrigins" {
				t.Errorf("Origin %q: got the option %q for it, want AllowedOrigins", tt.origins, option)
			}
		})
	}
}

// TestOptionsAreForTheLog: which option would let a request pass is for who runs the server, and for
// nobody who calls it.
func TestOptionsAreForTheLog(t *testing.T) {
	var log bytes.Buffer
	s := mcp.NewServer("s", "1", &mcp.ServerOptions{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	e := httpmcp.Handler(s, nil)
	defer e.Shutdown(t.Context())
	w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "http://a.example/mcp", strings.NewReader("{}"))
	r.Header.Set("Origin", "https://evil.example")
	e.ServeHTTP(w, r)
	if said := w.Body.String(); w.Code != http.StatusForbidden || !strings.Contains(said, "nor one that it allows") || strings.Contains(said, "Allowed") {
		t.Errorf("got %d %s, want 403 without the name of an option", w.Code, said)
	}
	if want := `"allowed by"=AllowedOrigins`; !strings.Contains(log.String(), want) {
		t.Errorf("logged: %s\nwant %s", &log, want)
	}
}

// TestHostComesFirst: an origin that may call does not help a name that may not.
func TestHostComesFirst(t *testing.T) {
	o := &httpmcp.Options{AllowedOrigins: []string{"http://evil.example"}}
	for _, origin := range []string{"http://evil.example", "http://evil.example:8080"} {
		if status, why, _ := o.Forbids(asked(address("127.0.0.1"), "evil.example:8080", false, origin)); status != http.StatusForbidden {
			t.Errorf("Origin %s, Host evil.example:8080 on loopback: got %d %q, want 403", origin, status, why)
		}
	}
}

func TestListsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    *httpmcp.Options
		want string // "" when they are right
	}{
		{"none", nil, ""},
		{"right", &httpmcp.Options{AllowedHosts: []string{"a.example", "[::1]:80"}, AllowedOrigins: []string{"https://a.example", "null"}}, ""},
		{"a wildcard", &httpmcp.Options{AllowedOrigins: []string{"*"}}, `AllowedOrigins has "*"`},
		{"a path", &httpmcp.Options{AllowedOrigins: []string{"https://a.example/"}}, `AllowedOrigins has "https://a.example/"`},
		{"a host for an origin", &httpmcp.Options{AllowedOrigins: []string{"a.example"}}, `AllowedOrigins has "a.example"`},
		{"an origin for a host", &httpmcp.Options{AllowedHosts: []string{"https://a.example"}}, `AllowedHosts has "https://a.example"`},
		{"another script", &httpmcp.Options{AllowedHosts: []string{"bücher.example"}}, "punycode"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				got, _ := recover().(string)
				if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
					t.Errorf("options %+v: got panic %q, want one with %q", tt.o, got, tt.want)
				}
			}()
			httpmcp.Guard(http.NotFoundHandler(), tt.o)
		})
	}
}

// TestGuardOverHTTP drives a real server, over HTTP/1.1 and HTTP/2, where :authority stands in for Host.
func TestGuardOverHTTP(t *testing.T) {
	reached := 0
	h := httpmcp.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached++
		w.WriteHeader(http.StatusUnauthorized) // as a verifier of tokens does
	}), &httpmcp.Options{AllowedHosts: []string{"app.example.com"}})
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		s := httptest.NewUnstartedServer(h)
		s.EnableHTTP2 = version == "HTTP/2.0"
		s.StartTLS()
		defer s.Close()
		for _, tt := range []struct {
			host, origin string
			want         int
		}{
			{"evil.example:8080", "", 403},
			{"evil.example:8080", "https://evil.example:8080", 403},
			{"localhost:8080", "", 401},
			{"localhost:8080", "https://localhost:8080", 401},
			{"[::1]:8080", "", 401},
			{"app.example.com", "https://app.example.com", 401},
			{"localhost", "https://evil.example", 403},
			{"localhost", "null", 403},
		} {
			t.Run(version+" "+tt.host+" "+tt.origin, func(t *testing.T) {
				r, err := http.NewRequest(http.MethodPost, s.URL, strings.NewReader("{}"))
				if err != nil {
					t.Fatal(err)
				}
				r.Host = tt.host
				if tt.origin != "" {
					r.Header.Set("Origin", tt.origin)
				}
				r.Header.Set("X-Forwarded-Host", "localhost")
				before := reached
				response, err := s.Client().Do(r)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(response.Body)
				response.Body.Close()
				if response.StatusCode != tt.want || response.Proto != version || (reached > before) != (tt.want == 401) {
					t.Errorf("got %s %d, reached the handler: %t, want %s %d", response.Proto, response.StatusCode, reached > before, version, tt.want)
				}
				if tt.want == 403 {
					checkRefusal(t, response, body)
				}
			})
		}
	}
}

// checkRefusal holds a refusal to what JSON-RPC wants of an error whose request has not been read.
func checkRefusal(t *testing.T, r *http.Response, body []byte) {
	t.Helper()
	var m jsonrpc.Message
	if err := new(jsonrpc.Scanner).Scan(body, &m); err != nil || r.Header.Get("Content-Type") != "application/json" || strings.Contains(string(body), `"id"`) {
		t.Errorf("got %s %s, %v, want an error without an id, in JSON", r.Header.Get("Content-Type"), body, err)
	}
	if e := jsonrpc.ReadError(m.Error); e.Code != jsonrpc.InvalidRequest {
		t.Errorf("got %v, want code %d", e, jsonrpc.InvalidRequest)
	}
}

// FuzzHost holds what is taken as a host to how net/url reads it, and loopback to net.
func FuzzHost(f *testing.F) {
	for _, s := range []string{"localhost:80", "a.b.localhost.", "[::1]:65535", "127.0.0.1", "[::ffff:127.0.0.1]", "evil@localhost", "a:b@c:1", "xn--a.example"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		host, port, local, ok := httpmcp.ReadHost(s)
		if !ok {
			if local {
				t.Errorf("%q is no host, and is one of loopback", s)
			}
			return
		}
		u, err := url.Parse("http://" + s)
		if err != nil || u.User != nil || u.Path != "" || u.Host != s {
			t.Fatalf("%q is taken as a host, and is %+v, %v", s, u, err)
		}
		name := strings.TrimSuffix(u.Hostname(), ".")
		if strings.Trim(host, "[]") != name || (port >= 0) != (u.Port() != "") {
			t.Errorf("%q: got host %q, port %d, want %q, %q", s, host, port, name, u.Port())
		}
		lower := strings.ToLower(name)
		ip := net.ParseIP(name)
		if want := ip != nil && ip.IsLoopback() || lower == "localhost" || strings.HasSuffix(lower, ".localhost"); local != want {
			t.Errorf("%q: got loopback %t, want %t", s, local, want)
		}
	})
}

// FuzzOrigin holds what is taken as an origin to how net/url reads it. An origin that is read is the one that is
// listed, whatever it is; no other one passes.
func FuzzOrigin(f *testing.F) {
	for _, s := range []string{"https://app.example", "http://[::1]:8080", "null", "vscode-webview://1a2b", "http://a.example/", "http://a@b", "*"} {
		f.Add(s, "https://app.example:443")
	}
	f.Fuzz(func(t *testing.T, s, entry string) {
		scheme, host, port, ok := httpmcp.ReadOrigin(s)
		if ok {
			u, err := url.Parse(s)
			if err != nil || !strings.EqualFold(u.Scheme, scheme) || u.User != nil || u.Path != "" || u.RawQuery != "" {
				t.Fatalf("%q is taken as an origin, and is %+v, %v", s, u, err)
			}
			if strings.Trim(host, "[]") != strings.TrimSuffix(u.Hostname(), ".") || (port >= 0) != (u.Port() != "") {
				t.Errorf("%q: got host %q, port %d, want %q, %q", s, host, port, u.Hostname(), u.Port())
			}
		}
		o := &httpmcp.Options{AllowedOrigins: []string{s}}
		if got, want := o.AllowsOrigin(s), ok || s == "null"; got != want {
			t.Errorf("%q listed: it passes: %t, want %t", s, got, want)
		}
		if _, other, _, fine := httpmcp.ReadOrigin(entry); o.AllowsOrigin(entry) && s != entry && (!fine || !strings.EqualFold(other, host)) {
			t.Errorf("%q listed: %q passes", s, entry)
		}
	})
}

func BenchmarkRefuse(b *testing.B) {
	o := &httpmcp.Options{AllowedHosts: []string{"app.example"}, AllowedOrigins: []string{"https://app.example", "https://other.example"}}
	for _, bb := range []struct {
		name string
		o    *httpmcp.Options
		r    *http.Request
	}{
		{"network", nil, asked(address("192.0.2.1"), "mcp.example", true)},
		{"loopback", nil, asked(address("127.0.0.1"), "127.0.0.1:8080", false)},
		{"own", nil, asked(address("127.0.0.1"), "localhost:8080", false, "http://localhost:8080")},
		{"listed", o, asked(address("127.0.0.1"), "app.example", false, "https://other.example")},
	} {
		b.Run(bb.name, func(b *testing.B) {
			h := http.Header{}
			b.ReportAllocs()
			for b.Loop() {
				clear(h)
				bb.o.AllowCORS(h, bb.r)
				if status, why, _ := bb.o.Forbids(bb.r); status != 0 {
					b.Fatal(why)
				}
			}
		})
	}
}
