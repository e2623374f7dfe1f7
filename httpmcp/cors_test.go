package httpmcp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/httpmcp"
)

const inspector = "http://localhost:6274"

// send sends a request with headers to a guarded handler that wants a token, and returns what came.
func send(t *testing.T, o *httpmcp.Options, method string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	s := httptest.NewServer(httpmcp.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept-Encoding")
		if r.Header.Get("Authorization") == "" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}), o))
	defer s.Close()
	r, err := http.NewRequest(method, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	response, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}

// words are the elements of all lines of a header, in lower case.
func words(h http.Header, name string) []string {
	var all []string
	for _, line := range h.Values(name) {
		for word := range strings.SplitSeq(line, ",") {
			all = append(all, strings.ToLower(strings.TrimSpace(word)))
		}
	}
	return all
}

// A page that may call is told so before it has a token, and what headers it may send (B50).
func TestPreflight(t *testing.T) {
	o := &httpmcp.Options{AllowedOrigins: []string{inspector}}
	asks := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers",
		"mcp-protocol-version,mcp-method,mcp-name,mcp-session-id,authorization,content-type,x-other,Mcp-Param-Region, mcp-param-b c,mcp-param-", "Access-Control-Request-Headers", "mcp-param-two"}
	r, body := send(t, o, http.MethodOptions, append(asks, "Origin", inspector)...)
	if r.StatusCode != http.StatusNoContent || len(body) > 0 || r.Header.Get("Access-Control-Allow-Origin") != inspector || r.Header.Get("Access-Control-Max-Age") == "" {
		t.Errorf("got %d %q %v, want 204 for %s", r.StatusCode, body, r.Header, inspector)
	}
	if got := words(r.Header, "Access-Control-Allow-Methods"); !slices.Equal(got, []string{"post", "get", "delete"}) {
		t.Errorf("got methods %q", got)
	}
	want := []string{"content-type", "accept", "authorization", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id", "last-event-id", "mcp-param-region", "mcp-param-two"}
	if got := words(r.Header, "Access-Control-Allow-Headers"); !slices.Equal(got, want) {
		t.Errorf("got headers %q\nwant %q", got, want)
	}
	if got := words(r.Header, "Vary"); !slices.Equal(got, []string{"origin", "access-control-request-headers"}) {
		t.Errorf("got Vary %q", got)
	}
	if got := r.Header.Get("Access-Control-Allow-Credentials"); got != "" {
		t.Errorf("credentials are allowed: %q", got)
	}
}

func TestPreflightRefused(t *testing.T) {
	listed := &httpmcp.Options{AllowedOrigins: []string{inspector}}
	for _, tt := range []struct {
		name    string
		o       *httpmcp.Options
		headers []string
		want    int
	}{
		{"no list", nil, []string{"Origin", inspector, "Access-Control-Request-Method", "POST"}, http.StatusForbidden},
		{"not listed", listed, []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "POST"}, http.StatusForbidden},
		{"no origin", listed, []string{"Access-Control-Request-Method", "POST"}, http.StatusMethodNotAllowed},
		{"no question", listed, []string{"Origin", inspector}, http.StatusMethodNotAllowed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, body := send(t, tt.o, http.MethodOptions, tt.headers...)
			if r.StatusCode != tt.want || (tt.want == http.StatusMethodNotAllowed) != (r.Header.Get("Allow") == "POST, GET, DELETE") {
				t.Errorf("got %d, Allow %q, want %d", r.StatusCode, r.Header.Get("Allow"), tt.want)
			}
			checkRefusal(t, r, body)
			for name := range r.Header {
				if strings.HasPrefix(name, "Access-Control-") && tt.name != "no question" || strings.HasPrefix(name, "Access-Control-Allow-M") {
					t.Errorf("half a permission: %s: %s", name, r.Header.Get(name))
				}
			}
		})
	}
}

// TestRepliesCanBeRead: every reply to a page that may call names the page's origin and what it may read.
func TestRepliesCanBeRead(t *testing.T) {
	listed := &httpmcp.Options{AllowedOrigins: []string{"https://app.example", inspector}}
	for _, tt := range []struct {
		name   string
		o      *httpmcp.Options
		origin string
		token  string
		status int
		cors   bool
		vary   []string
	}{
		{"served", listed, inspector, "Bearer t", 200, true, []string{"origin", "accept-encoding"}},
		{"without a token", listed, inspector, "", 401, true, []string{"origin", "accept-encoding"}},
		{"another page", listed, "https://evil.example", "Bearer t", 403, false, []string{"origin"}},
		{"no page", listed, "", "Bearer t", 200, false, []string{"origin", "accept-encoding"}},
		{"no page, no list", nil, "", "Bearer t", 200, false, []string{"accept-encoding"}},
		{"a page, no list", nil, inspector, "", 403, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var headers []string
			if tt.origin != "" {
				headers = append(headers, "Origin", tt.origin)
			}
			if tt.token != "" {
				headers = append(headers, "Authorization", tt.token)
			}
			r, _ := send(t, tt.o, http.MethodPost, headers...)
			exposed := words(r.Header, "Access-Control-Expose-Headers")
			if r.StatusCode != tt.status || (r.Header.Get("Access-Control-Allow-Origin") == tt.origin && tt.origin != "") != tt.cors {
				t.Errorf("got %d %v, want %d, CORS %t", r.StatusCode, r.Header, tt.status, tt.cors)
			}
			if tt.cors != (slices.Contains(exposed, "mcp-session-id") && slices.Contains(exposed, "www-authenticate") && slices.Contains(exposed, "retry-after")) {
				t.Errorf("got exposed %q, want CORS %t", exposed, tt.cors)
			}
			if got := words(r.Header, "Vary"); !slices.Equal(got, tt.vary) {
				t.Errorf("got Vary %q, want %q", got, tt.vary)
			}
		})
	}
}

// TestVaryIsAdded: what others have written stays, and nothing stands there twice. Shared values stay as they are.
func TestVaryIsAdded(t *testing.T) {
	o := &httpmcp.Options{AllowedOrigins: []string{inspector}}
	r := asked(nil, "a.example", false, inspector)
	h := http.Header{"Vary": {"Accept"}}
	o.AllowCORS(h, r)
	o.AllowCORS(h, r)
	if got := h["Vary"]; !slices.Equal(got, []string{"Accept", "Origin"}) {
		t.Errorf("got Vary %q, want what was there, and Origin", got)
	}
	h = http.Header{}
	o.AllowCORS(h, r)
	for name := range h {
		h.Add(name, "more")
	}
	again := http.Header{}
	o.AllowCORS(again, r)
	for name, lines := range again {
		if len(lines) != 1 || len(r.Header["Origin"]) != 1 {
			t.Errorf("%s is now %q: one reply has written into another", name, lines)
		}
	}
}
