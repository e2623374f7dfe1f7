package httpmcp_test

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// TestRetryAfter: of a server that is too busy the caller learns when to come again, with what it has
// said besides (RFC 9110, 10.2.3).
func TestRetryAfter(t *testing.T) {
	const told = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"busy"}}`
	const none = -1 * time.Second
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for _, tt := range []struct {
		name   string
		status int
		after  string // "" for no header
		body   string
		want   string // the outcome
		wait   time.Duration
	}{
		{"seconds", 503, "7", "", `rejected 503 "" 503 Service Unavailable`, 7 * time.Second},
		{"beside an error of the server", 503, "7", told, "error -32603 busy ", 7 * time.Second},
		{"too many requests", 429, "120", told, "error -32603 busy ", 2 * time.Minute},
		{"at once", 429, "0", "", `rejected 429 "" 429 Too Many Requests`, 0},
		{"a time", 503, in(time.Hour), "", `rejected 503 "" 503 Service Unavailable`, time.Hour},
		{"a time that has passed", 503, in(-time.Hour), "", `rejected 503 "" 503 Service Unavailable`, 0},
		{"not said", 503, "", told, "error -32603 busy ", none},
		{"nonsense", 503, "soon", told, "error -32603 busy ", none},
		{"less than nothing", 503, "-1", told, "error -32603 busy ", none},
		{"too long to be meant", 503, "99999999999", told, "error -32603 busy ", none},
		{"beside another status", 500, "7", told, "error -32603 busy ", none},
		{"beside one that is about who asks", 401, "7", told, `rejected 401 "" 401 Unauthorized: ` + told, none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := scripted(t, func(w http.ResponseWriter, _ *http.Request) {
				if tt.after != "" {
					w.Header().Set("Retry-After", tt.after)
				}
				write(w, tt.status, plainKind, tt.body)
			})
			_, err := modernLink(t, url, nil, &ears{}).Call(t.Context(), says("tools/list", ""))
			if got := outcome(nil, err); got != tt.want {
				t.Errorf("Retry-After %q: got %s, want %s", tt.after, got, tt.want)
			}
			for era, err := range map[string]error{"modern": err, "legacy": legacyRefusal(t, url)} {
				wait := none
				if later := (*mcp.RetryAfter)(nil); errors.As(err, &later) {
					wait = later.Wait
				}
				if off := tt.wait - wait; off < 0 || off > 10*time.Second && wait != tt.wait || tt.wait < time.Hour && off != 0 {
					t.Errorf("%s, Retry-After %q: wait for %v in %v, want %v", era, tt.after, wait, err, tt.wait)
				}
			}
		})
	}
}

// legacyRefusal is why a legacy server does not open a session.
func legacyRefusal(t *testing.T, url string) error {
	t.Helper()
	_, _, err := discover.Connect(t.Context(), httpmcp.Dial(url, nil), &discover.ConnectOptions{Era: mcp.Legacy})
	return err
}

// TestSwitchedProtocols: a server that goes over to another protocol, which nobody has asked for, has
// refused the request. What it then says, or does not, is not waited for.
func TestSwitchedProtocols(t *testing.T) {
	left := make(chan error, 2)
	url := scripted(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhi")
		conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		_, err = io.Copy(io.Discard, conn) // until the client hangs up
		left <- err
	})
	const want = `rejected 101 "" 101 Switching Protocols`
	if _, err := modernLink(t, url, nil, &ears{}).Call(t.Context(), says("tools/list", "")); outcome(nil, err) != want {
		t.Errorf("modern: got %s, want %s", outcome(nil, err), want)
	}
	if err := legacyRefusal(t, url); outcome(nil, err) != want {
		t.Errorf("legacy: got %s, want %s", outcome(nil, err), want)
	}
	for range 2 {
		if err := <-left; err != nil {
			t.Errorf("the client has not hung up: %v", err)
		}
	}
}
