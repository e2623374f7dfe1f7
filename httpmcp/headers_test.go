package httpmcp_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// TestEndpointIsGuarded (B130, B148): every method of an endpoint is behind the rules for Host and Origin, whatever else
// is wrong with the request, and nobody is asked who it is before.
func TestEndpointIsGuarded(t *testing.T) {
	o := &httpmcp.Options{Principal: func(*http.Request) *mcp.Principal {
		t.Error("a request that is refused was asked who it is")
		return nil
	}}
	url, _ := serve(t, toolServer(t), o)
	for _, method := range []string{"POST", "GET", "DELETE", "OPTIONS", "PUT", "HEAD"} {
		for _, row := range []struct{ name, host, origin string }{
			{"rebinding", "evil.example:8080", ""},
			{"rebinding, with an origin", "evil.example:8080", "http://evil.example:8080"},
			{"another page", "", "https://evil.example"},
			{"a page of a file", "", "null"},
		} {
			r, err := http.NewRequest(method, url, strings.NewReader(`{`))
			if err != nil {
				t.Fatal(err)
			}
			r.Host = row.host
			if row.origin != "" {
				r.Header.Set("Origin", row.origin)
			}
			reply := must(t, r)
			if body := text(t, reply); reply.StatusCode != http.StatusForbidden || method != "HEAD" && !strings.Contains(body, "this server") {
				t.Errorf("%s, %s: got %d %s, want 403 that says what is not allowed", method, row.name, reply.StatusCode, body)
			}
		}
	}
}

// TestRefusalsCanBeRead (B50): a page that may call can read every answer, and sees the session it has opened.
func TestRefusalsCanBeRead(t *testing.T) {
	url, _ := serve(t, toolServer(t), &httpmcp.Options{AllowedOrigins: []string{inspector}, MaxBody: 1000})
	for _, row := range []struct {
		name, method, body string
		set                []string
		want               int
	}{
		{"initialize", "POST", initialize("2025-11-25", ""), nil, 200},
		{"no such session", "POST", tool("1", "echo", ""), []string{"Mcp-Session-Id: x"}, 404},
		{"no message", "POST", `{`, nil, 400},
		{"another type", "POST", `{}`, []string{"Content-Type: text/plain"}, 415},
		{"nothing acceptable", "POST", `{}`, []string{"Accept: text/html"}, 406},
		{"too long", "POST", `"` + strings.Repeat("a", 1000) + `"`, nil, 413},
		{"no session", "GET", ``, nil, 400},
		{"another method", "PUT", ``, nil, 405},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := &legacyClient{t: t, url: url, http: http.DefaultClient}
			reply := c.do(row.method, row.body, append(row.set, "Origin: "+inspector)...)
			text(t, reply)
			h := reply.Header
			if reply.StatusCode != row.want || h.Get("Access-Control-Allow-Origin") != inspector || !slices.Contains(words(h, "Vary"), "origin") ||
				!slices.Contains(words(h, "Access-Control-Expose-Headers"), "mcp-session-id") {
				t.Errorf("got %d %v, want %d that the page can read", reply.StatusCode, h, row.want)
			}
			if (h.Get("Mcp-Session-Id") != "") != (row.want == 200) {
				t.Errorf("got session %q", h.Get("Mcp-Session-Id"))
			}
		})
	}
}

// TestTypesOfBodies (B37, B38, B40, B41, B43): what a client may say of the types that it sends and takes, in both eras.
func TestTypesOfBodies(t *testing.T) {
	const asJSON, asEvents = "200 application/json", "200 text/event-stream"
	url, _ := serve(t, toolServer(t), nil)
	c := dial(t, url, "2025-06-18", "")
	for _, row := range []struct {
		name string
		set  map[string][]string
		want string
	}{
		{"B37 anything", map[string][]string{"Accept": {"*/*"}}, asJSON},
		{"B37 kinds", map[string][]string{"Accept": {"application/*, text/*"}}, asJSON},
		{"B37 no Accept", map[string][]string{"Accept": nil}, asJSON},
		{"B38 JSON alone", map[string][]string{"Accept": {"application/json"}}, asJSON},
		{"B38 events alone", map[string][]string{"Accept": {"text/event-stream"}}, asEvents},
		{"B38 no JSON", map[string][]string{"Accept": {"*/*, application/json;q=0"}}, asEvents},
		{"B40 parameters and case", map[string][]string{"Accept": {"application/json;charset=utf-8 , TEXT/event-stream;q=0.9"}}, asJSON},
		{"B40 two lines", map[string][]string{"Accept": {"application/json", "text/event-stream"}}, asJSON},
		{"nothing acceptable", map[string][]string{"Accept": {"text/html, image/*"}}, "406 application/json"},
		{"B41 a charset", map[string][]string{"Content-Type": {"application/json; charset=utf-8"}}, asJSON},
		{"B41 in capitals, quoted", map[string][]string{"Content-Type": {`Application/JSON;charset="UTF-8"`}}, asJSON},
		{"B43 in a parameter", map[string][]string{"Content-Type": {"text/plain; x=application/json"}}, "415 application/json"},
		{"B43 a longer name", map[string][]string{"Content-Type": {"application/jsonp"}}, "415 application/json"},
		{"no type", map[string][]string{"Content-Type": nil}, "415 application/json"},
		{"a form", map[string][]string{"Content-Type": {"application/x-www-form-urlencoded"}}, "415 application/json"},
	} {
		t.Run(row.name, func(t *testing.T) {
			legacy := post(t, url, "", "", tool("1", "echo", `,"arguments":{"text":"x"}`), "Mcp-Method", "Mcp-Protocol-Version", "Mcp-Session-Id: "+c.session)
			modern := post(t, url, "tools/call", "echo", modernCall("1", "echo", ""))
			opening := post(t, url, "", "", initialize("2025-03-26", ""), "Mcp-Method", "Mcp-Protocol-Version")
			for name, r := range map[string]*http.Request{"legacy": legacy, "modern": modern, "initialize": opening} {
				for key, lines := range row.set {
					r.Header[key] = lines
				}
				if got := summary(t, must(t, r)); !strings.HasPrefix(got, row.want) {
					t.Errorf("%s, %v: got %s\nwant %s", name, row.set, got, row.want)
				}
			}
		})
	}
}

// TestEndedUnderWay: a call whose session ends before its answer, by DELETE or with the endpoint, is told so under its
// id, although its handler goes on.
func TestEndedUnderWay(t *testing.T) {
	for _, row := range []struct {
		name, want string
		end        func(c *legacyClient, e *httpmcp.Endpoint)
	}{
		{"DELETE", "404 application/json", func(c *legacyClient, _ *httpmcp.Endpoint) {
			if reply, err := c.try(context.Background(), "DELETE", ""); err == nil {
				reply.Body.Close()
			}
		}},
		{"the end", "503 application/json", func(c *legacyClient, e *httpmcp.Endpoint) {
			over, cancel := context.WithCancel(c.t.Context())
			cancel()
			e.Shutdown(over)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			began, release, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
			s := func() *mcp.Server {
				s := mcp.NewServer("deaf", "1", nil)
				s.AddTool(mcp.Tool{Name: "deaf"}, func(context.Context, *mcp.Call) (*mcp.Result, error) {
					close(began)
					<-release
					defer close(left)
					return &mcp.Result{}, nil
				})
				return s
			}
			url, e := serve(t, s(), nil)
			c := dial(t, url, "2025-06-18", "")
			got := make(chan *http.Response, 1)
			go func() {
				reply, err := c.try(t.Context(), "POST", tool("9", "deaf", ""))
				if err != nil {
					t.Error(err)
				}
				got <- reply
			}()
			<-began
			var ending sync.WaitGroup
			ending.Go(func() { row.end(c, e) })
			if reply := <-got; reply != nil {
				c.has("the answer", summary(t, reply), row.want, `{"jsonrpc":"2.0","id":9,"error":{"code":`)
				if retry := reply.Header.Get("Retry-After"); (retry != "") != (reply.StatusCode == 503) {
					t.Errorf("%d comes with Retry-After %q", reply.StatusCode, retry)
				}
			}
			close(release)
			<-left
			ending.Wait()
		})
	}
}
