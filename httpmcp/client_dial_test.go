package httpmcp_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
)

// TestDialURL: what is no URL of a server is told so by the first link.
func TestDialURL(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                  `is "": it must look like https://host/path`,
		"example.com/mcp":                   `is "example.com/mcp": it must look like`,
		"localhost:8080":                    `it must look like`,
		"ftp://example.com/":                `is "ftp://example.com/": it must`,
		"https:///mcp":                      `it must look like`,
		"https://user:secret@/mcp?k=secret": `it must look like`,
		"https://exa mple/?k=secret":        `cannot be read: it must look like`,
		"\x7f":                              `cannot be read`,
	} {
		server := httpmcp.Dial(raw, nil)
		for era, open := range map[string]func(context.Context, jsonrpc.Handler, *slog.Logger) error{
			"modern": func(ctx context.Context, h jsonrpc.Handler, log *slog.Logger) error {
				_, err := server.Modern(ctx, h, log)
				return err
			},
			"legacy": func(ctx context.Context, h jsonrpc.Handler, log *slog.Logger) error {
				_, err := server.Legacy(ctx, h, log)
				return err
			},
		} {
			err := open(t.Context(), &ears{}, slog.New(slog.DiscardHandler))
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%q, %s: %v, want %s", raw, era, err, want)
			}
		}
	}
}

func TestSameOrigin(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"http://a/x", "http://a/y?z", true},
		{"http://a", "http://A:80/", true},
		{"https://a:443", "https://a", true},
		{"http://a", "https://a", false},
		{"https://a:80", "http://a:80", false},
		{"http://a:1", "http://a:2", false},
		{"http://a", "http://a.b", false},
		{"http://[::1]", "http://[::1]:80", true},
		{"http://u:p@a", "http://a", true},
		{"http://a", "http://b@a", true},
	} {
		if got := httpmcp.SameOrigin(test.a, test.b); got != test.want {
			t.Errorf("%s and %s: %v", test.a, test.b, got)
		}
	}
}

// TestRedirects: a redirect is followed within the origin alone, with the same method and all that
// was sent, and nothing of it goes to anyone else.
func TestRedirects(t *testing.T) {
	var other []string
	elsewhere := scripted(t, func(_ http.ResponseWriter, r *http.Request) {
		other = append(other, r.Method+" "+r.Header.Get("Authorization"))
	})
	const answer = `{"jsonrpc":"2.0","id":1,"result":{}}`
	tests := []struct {
		name   string
		status int
		to     string
		want   string
	}{
		{"307", 307, "/end", "result {}"},
		{"308", 308, "end?x=1", "result {}"},
		{"303", 303, "/end", `rejected 303 "" 303 See Other to HERE/end, by another method or once too often; connect to that URL`},
		{"302", 302, "/end", `rejected 302 `},
		{"301", 301, "/end", `rejected 301 `},
		{"307 to another origin", 307, elsewhere + "/end?key=secret", `rejected 307 "" 307 Temporary Redirect to ` + elsewhere + `/end, which is another origin; connect to that URL if it is to be trusted`},
		{"308 to another scheme", 308, "https://HERE/end", `rejected 308 `},
		{"307 without end", 307, "/", `rejected 307 "" 307 Temporary Redirect to HERE/, by another method or once too often`},
		{"307 to nowhere", 307, "", `rejected 307 "" 307 Temporary Redirect`},
		{"307 to no URL", 307, "http://%", `fault `},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var seen []string
			var here string
			here = scripted(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				seen = append(seen, fmt.Sprint(r.Method, r.Header.Get("Authorization"), r.Header.Get("Mcp-Method"), string(body)))
				if strings.HasPrefix(r.URL.Path, "/end") {
					write(w, 200, plainKind, answer)
					return
				}
				if test.to != "" {
					w.Header().Set("Location", strings.ReplaceAll(test.to, "HERE", r.Host))
				}
				w.WriteHeader(test.status)
			})
			link := modernLink(t, here+"/", &httpmcp.DialOptions{Header: http.Header{"Authorization": {"Bearer x"}}}, &ears{})
			got := outcome(link.Call(t.Context(), says("x", "")))
			if !strings.HasPrefix(got, strings.ReplaceAll(test.want, "HERE", here)) {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
			for _, s := range seen {
				if s != seen[0] || !strings.Contains(s, "Bearer x") {
					t.Errorf("sent %q, then %q", seen[0], s)
				}
			}
			if len(seen) > 6 {
				t.Errorf("%d requests", len(seen))
			}
		})
	}
	if len(other) > 0 {
		t.Errorf("another server was sent %q", other)
	}
}

// TestRedirectsRefused: the caller's own rule is asked, too, and the caller's client stays as it is.
func TestRedirectsRefused(t *testing.T) {
	here := scripted(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/more", 307) })
	own := errors.New("own rule")
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return own }}
	defer client.CloseIdleConnections()
	link := modernLink(t, here, &httpmcp.DialOptions{Client: client}, &ears{})
	if _, err := link.Call(t.Context(), says("x", "")); !errors.Is(err, own) {
		t.Errorf("error %v, want that of the rule", err)
	}
	if client.Transport != nil || client.CheckRedirect(nil, nil) != own {
		t.Error("the client was changed")
	}
}

// transcript is what a tap has shown.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
	last string
}

func (s *transcript) tap(dir string, head, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if (head == nil) == (body == nil) {
		s.text.WriteString("neither head nor body\n")
	}
	if head != nil || dir != s.last {
		s.text.WriteString(dir + " ")
	}
	s.last = dir
	s.text.Write(head)
	s.text.Write(body)
}

// TestTap: a tap is shown all that passes, also what net/http adds.
func TestTap(t *testing.T) {
	const answer = ": c\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"
	here := scripted(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header()["Date"] = nil
			http.Redirect(w, r, "/end", 307)
			return
		}
		io.Copy(io.Discard, r.Body)
		w.Header()["Date"] = nil
		w.Header().Set("X-B", "2")
		w.Header().Set("Content-Type", eventsKind)
		flush(w, answer)
	})
	host := strings.TrimPrefix(here, "http://")
	body := `{"jsonrpc":"2.0","id":1,"method":"x","params":{` + modernMeta + `}}`
	request := func(path, more string) string {
		return "out POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: " + fmt.Sprint(len(body)) +
			"\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nMcp-Method: x\r\nMcp-Protocol-Version: 2026-07-28\r\n" + more +
			"Accept-Encoding: gzip\r\n\r\n" + body
	}
	want := request("/", "") + "in HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 0\r\nLocation: /end\r\n\r\n" +
		request("/end", "") + "in HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-B: 2\r\n\r\n" + answer
	seen := &transcript{}
	link := modernLink(t, here+"/", &httpmcp.DialOptions{Tap: seen.tap}, &ears{})
	if got := outcome(link.Call(t.Context(), says("x", ""))); got != "result {}" {
		t.Fatal(got)
	}
	if got := strings.ReplaceAll(seen.text.String(), "Referer: "+here+"/\r\n", ""); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// byHand answers requests without a network.
type byHand func(*http.Request) *http.Response

func (f byHand) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

// TestTapByHand: a transport of the caller's own, which tells of nothing, is shown as well.
func TestTapByHand(t *testing.T) {
	seen := &transcript{}
	link := modernLink(t, "http://a.example/mcp?k=v", &httpmcp.DialOptions{Tap: seen.tap, Client: &http.Client{Transport: byHand(func(r *http.Request) *http.Response {
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
		return &http.Response{Proto: "HTTP/1.1", Status: "200 OK", StatusCode: 200, Header: http.Header{"Content-Type": {plainKind}},
			Body: io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":1,"result":{}}`)), Request: r}
	})}}, &ears{})
	if got := outcome(link.Call(t.Context(), says("x", ""))); got != "result {}" {
		t.Fatal(got)
	}
	want := "out POST /mcp?k=v HTTP/1.1\r\nHost: a.example\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nMcp-Method: x\r\nMcp-Protocol-Version: 2026-07-28\r\n\r\n" +
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{` + modernMeta + `}}` +
		"in HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"result":{}}`
	if got := seen.text.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestTapAgain: a body that is sent once more is shown once more, and a request that fails is not
// lost on the way.
func TestTapAgain(t *testing.T) {
	seen := &transcript{}
	broken := errors.New("broken")
	link := modernLink(t, "http://a.example/", &httpmcp.DialOptions{Tap: seen.tap, Client: &http.Client{Transport: failing(func(r *http.Request) error {
		io.Copy(io.Discard, r.Body)
		again, err := r.GetBody()
		if err != nil {
			return err
		}
		io.Copy(io.Discard, again)
		return broken
	})}}, &ears{})
	if _, err := link.Call(t.Context(), says("x", "")); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	text := seen.text.String()
	if n := strings.Count(text, `{"jsonrpc":"2.0","id":1,"method":"x"`); n != 2 || strings.Count(text, "POST / HTTP/1.1") != 1 {
		t.Errorf("the body is shown %d times in\n%s", n, text)
	}
}

// failing sends nothing.
type failing func(*http.Request) error

func (f failing) RoundTrip(r *http.Request) (*http.Response, error) { return nil, f(r) }

// TestTapOfDefault: a client without a transport of its own has that of net/http, and keeps it.
func TestTapOfDefault(t *testing.T) {
	client := &http.Client{}
	defer client.CloseIdleConnections()
	url, _ := serve(t, toolServer(t), nil)
	seen := &transcript{}
	link := modernLink(t, url+"/", &httpmcp.DialOptions{Tap: seen.tap, Client: client}, &ears{})
	if got := outcome(link.Call(t.Context(), says("server/discover", ""))); !strings.HasPrefix(got, "result ") {
		t.Error(got)
	}
	if text := seen.text.String(); !strings.HasPrefix(text, "out POST / HTTP/1.1\r\n") || !strings.Contains(text, "in HTTP/1.1 200 OK\r\n") || client.Transport != nil {
		t.Errorf("shown %s", text)
	}
}

// TestHTTP2: all of it works over HTTP/2, on one connection, a cancel included.
func TestHTTP2(t *testing.T) {
	endpoint := httpmcp.Handler(toolServer(t), nil)
	var protos []string
	var mu sync.Mutex
	gone := make(chan bool, 1)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		protos = append(protos, r.Proto+" "+r.RemoteAddr)
		mu.Unlock()
		endpoint.ServeHTTP(w, r)
		if r.Header.Get("Mcp-Method") == "subscriptions/listen" {
			gone <- true
		}
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	seen := &transcript{}
	heard := make(chan bool, 1)
	e := &ears{then: func(context.Context, *jsonrpc.Message) { heard <- true }}
	link := modernLink(t, s.URL, &httpmcp.DialOptions{Client: s.Client(), Tap: seen.tap}, e)
	for range 3 {
		if got := outcome(link.Call(t.Context(), says("tools/call", `"name":"echo","arguments":{"text":"x"}`))); !strings.HasPrefix(got, "result ") {
			t.Error(got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan string, 1)
	go func() {
		out := says("subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
		out.Open = true
		ended <- outcome(link.Call(ctx, out))
	}()
	<-heard
	cancel()
	if got := <-ended; got != "cancelled" {
		t.Errorf("listen ended with %s", got)
	}
	<-gone
	mu.Lock()
	defer mu.Unlock()
	if slices.Sort(protos); len(slices.Compact(protos)) != 1 || !strings.HasPrefix(protos[0], "HTTP/2.0 ") {
		t.Errorf("requests by %q, want one connection of HTTP/2.0", protos)
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"out POST / HTTP/2.0\r\nHost: " + u.Host + "\r\n", "\r\nMcp-Name: echo\r\n", "in HTTP/2.0 200 OK\r\n"} {
		if !strings.Contains(seen.text.String(), part) {
			t.Errorf("%q is missing in\n%s", part, seen.text.String())
		}
	}
}

// TestOwnConnections: connections that are the client's own speak HTTP/2 where the server does, and are gone
// soon behind the end of the link, also of one that ends amid a call.
func TestOwnConnections(t *testing.T) {
	for _, proto := range []string{"HTTP/2.0", "HTTP/1.1"} {
		for _, idle := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, idle %v", proto, idle), func(t *testing.T) {
				began, gone, closed := make(chan string, 1), make(chan bool, 1), make(chan bool, 10)
				s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					io.Copy(io.Discard, r.Body)
					if r.Header.Get("Mcp-Method") == "quick" {
						began <- r.Proto
						write(w, 200, plainKind, `{"jsonrpc":"2.0","id":1,"result":{}}`)
						return
					}
					w.Header().Set("Content-Type", eventsKind)
					flush(w, ": c\n\n")
					began <- r.Proto
					<-r.Context().Done()
					gone <- true
				}))
				s.EnableHTTP2 = proto == "HTTP/2.0"
				s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
					if state == http.StateClosed {
						closed <- true
					}
				}
				s.StartTLS()
				defer s.Close()
				roots := x509.NewCertPool()
				roots.AddCert(s.Certificate())
				link, err := httpmcp.DialTrusting(s.URL, roots, nil).Modern(t.Context(), &ears{}, slog.New(slog.DiscardHandler))
				if err != nil {
					t.Fatal(err)
				}
				ended := make(chan string, 1)
				method := map[bool]string{true: "quick", false: "slow"}[idle]
				go func() { ended <- outcome(link.Call(t.Context(), says(method, ""))) }()
				if got := <-began; got != proto {
					t.Errorf("spoken is %s", got)
				}
				if idle {
					<-ended
				}
				link.Close()
				if !idle {
					<-gone
					<-ended
				}
				select {
				case <-closed:
				case <-time.After(10 * time.Second):
					t.Error("the connection stays")
				}
			})
		}
	}
}
