package httpmcp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// sseServer is a server of 2024-11-05.
func sseServer(t *testing.T) http.Handler {
	e := httpmcp.SSEHandler(toolServer(t), nil)
	t.Cleanup(func() { e.Shutdown(context.Background()) })
	return e
}

// TestEraOverHTTP: whatever a legacy server makes of the probe, its era is found, and calls work (B188).
func TestEraOverHTTP(t *testing.T) {
	endpoint := httpmcp.Handler(toolServer(t), nil)
	t.Cleanup(func() { endpoint.Shutdown(context.Background()) })
	says := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { write(w, status, kind, body) }
	}
	failed := func(code, id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":"m"}}`
	}
	tests := []struct {
		name  string
		probe http.HandlerFunc
	}{
		{"-32601", says(200, plainKind, failed("-32601", "1"))},
		{"-32601 as an event", says(200, eventsKind, "event: message\ndata: "+failed("-32601", "1")+"\n\n")},
		{"-32601 beside 404", says(404, plainKind, failed("-32601", "1"))},
		{"-32602", says(200, plainKind, failed("-32602", "1"))},
		{"-32600", says(400, plainKind, failed("-32600", "null"))},
		{"-32000 for want of a session", says(400, plainKind, failed("-32000", "null"))},
		{"an id of the server's own", says(400, plainKind, failed("-32600", `"server-error"`))},
		{"code 0", says(200, plainKind, failed("0", "1"))},
		{"a result of nothing", says(200, plainKind, `{"jsonrpc":"2.0","id":1,"result":{}}`)},
		{"{}", says(200, plainKind, `{}`)},
		{"202", says(202, "", "")},
		{"204", says(204, "", "")},
		{"a page", says(200, "text/html", "<html>")},
		{"400 with text", says(400, "text/plain", "no")},
		{"400 with nothing", says(400, "", "")},
		{"401", says(401, "", "")},
		{"403", says(403, "text/plain", "no")},
		{"404", says(404, "text/plain", "404 page not found")},
		{"405", says(405, "", "")},
		{"406", says(406, "", "")},
		{"500", says(500, "text/plain", "oops")},
		{"an empty stream", says(200, eventsKind, "")},
		{"silence", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"a stream of comments", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", eventsKind)
			flush(w, ": c\n\n")
			<-r.Context().Done()
		}},
		{"a broken connection", func(w http.ResponseWriter, _ *http.Request) {
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				c.Close()
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Mcp-Method") != "server/discover" {
					endpoint.ServeHTTP(w, r)
					return
				}
				io.Copy(io.Discard, r.Body)
				test.probe(w, r)
			}))
			t.Cleanup(s.Close)
			calls(t, s.URL, &discover.ConnectOptions{ProbeTime: 300 * time.Millisecond}, mcp.Legacy, "2025-11-25")
		})
	}
}

// TestErasOverHTTP: servers of this package, in the era that is found and in forced ones.
func TestErasOverHTTP(t *testing.T) {
	both, _ := serve(t, toolServer(t), nil)
	old := httptest.NewServer(sseServer(t))
	t.Cleanup(old.Close)
	for _, test := range []struct {
		name, url, want string
		o               *discover.ConnectOptions
		era             mcp.Eras
	}{
		{"found", both, "2026-07-28", nil, mcp.Modern},
		{"modern", both, "2026-07-28", &discover.ConnectOptions{Era: mcp.Modern}, mcp.Modern},
		{"legacy", both, "2025-11-25", &discover.ConnectOptions{Era: mcp.Legacy}, mcp.Legacy},
		{"2025-06-18", both, "2025-06-18", &discover.ConnectOptions{Version: "2025-06-18"}, mcp.Legacy},
		{"2025-03-26", both, "2025-03-26", &discover.ConnectOptions{Version: "2025-03-26"}, mcp.Legacy},
		{"2024-11-05 by Streamable HTTP", both, "2024-11-05", &discover.ConnectOptions{Version: "2024-11-05"}, mcp.Legacy},
		{"the transport of 2024-11-05, found", old.URL, "2025-11-25", nil, mcp.Legacy},
		{"the transport of 2024-11-05, forced", old.URL, "2025-11-25", &discover.ConnectOptions{Era: mcp.Legacy}, mcp.Legacy},
		{"all of 2024-11-05", old.URL, "2024-11-05", &discover.ConnectOptions{Version: "2024-11-05"}, mcp.Legacy},
	} {
		t.Run(test.name, func(t *testing.T) { calls(t, test.url+"/", test.o, test.era, test.want) })
	}
}

// calls connects, and calls a tool with progress.
func calls(t *testing.T, url string, o *discover.ConnectOptions, era mcp.Eras, version string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, verdict, err := discover.Connect(ctx, httpmcp.Dial(url, nil), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error("the end:", err)
		}
	}()
	if verdict.Era != era || verdict.Version != version {
		t.Errorf("verdict %+v, want %v %s", verdict, era, version)
	}
	told := 0
	result, err := c.CallTool(ctx, "progress", map[string]string{"text": "x"}, &mcp.CallOptions{Progress: func(mcp.ProgressParams) { told++ }})
	if err != nil || result.IsError || len(result.Content) != 1 || told != 1 {
		t.Errorf("result %+v, error %v, progress told %d times", result, err, told)
	}
}

// TestUnauthorized: who may not ask is told so, with the way to prove who it is, and no era is guessed.
func TestUnauthorized(t *testing.T) {
	for _, status := range []int{401, 403} {
		url := scripted(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://a.example/"`)
			write(w, status, plainKind, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"no"},"id":null}`)
		})
		_, _, err := discover.Connect(t.Context(), httpmcp.Dial(url, nil), nil)
		var rejected *mcp.Rejected
		if !errors.As(err, &rejected) || rejected.Status != status || rejected.Challenge != `Bearer resource_metadata="https://a.example/"` {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// TestNobodyThere: without a server the error names the URL and what came.
func TestNobodyThere(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	_, _, err := discover.Connect(t.Context(), httpmcp.Dial(s.URL+"/mcp?key=secret", nil), nil)
	if err == nil || !strings.Contains(err.Error(), s.URL+"/mcp: ") || !strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v", err)
	}
}
