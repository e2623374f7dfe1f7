package httpmcp_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// forgetful is a server over HTTP whose sessions can be ended behind the backs of their clients.
type forgetful struct {
	http.Handler

	mu       sync.Mutex
	session  string // the last one
	sessions []string
}

func (f *forgetful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.Handler.ServeHTTP(w, r)
	f.mu.Lock()
	defer f.mu.Unlock()
	if id := w.Header().Get("Mcp-Session-Id"); id != "" && id != f.session {
		f.session = id
		f.sessions = append(f.sessions, id)
	}
}

// forget ends the last session, as an operator of the server does.
func (f *forgetful) forget(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	id := f.session
	f.mu.Unlock()
	r := httptest.NewRequest("DELETE", "/mcp", nil)
	r.Host = "127.0.0.1"
	r.Header.Set("Mcp-Session-Id", id)
	w := httptest.NewRecorder()
	f.Handler.ServeHTTP(w, r)
	if w.Code/100 != 2 {
		t.Fatalf("DELETE: %d %s", w.Code, w.Body)
	}
}

func (f *forgetful) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.sessions)
}

// TestSessionRenewed: what a client does goes on in another session when the server has
// forgotten the one before, in each revision that has sessions (B182).
func TestSessionRenewed(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26"} {
		t.Run(version, func(t *testing.T) {
			s := mcp.NewServer("s", "1", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
			s.AddTool(mcp.Tool{Name: "t"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("done"), nil })
			s.AddResource(mcp.Resource{URI: "a:b", Name: "r"}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) { return nil, nil })
			f := &forgetful{Handler: httpmcp.Handler(s, nil)}
			server := httptest.NewServer(f)
			defer server.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			c, _, err := discover.Connect(ctx, httpmcp.Dial(server.URL+"/mcp", nil), &discover.ConnectOptions{Era: mcp.Legacy, Version: version})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			f.forget(t)
			var all sync.WaitGroup
			for range 10 {
				all.Go(func() {
					if _, err := c.CallTool(ctx, "t", nil, nil); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if got := f.count(); got != 2 {
				t.Errorf("%d sessions, want 2", got)
			}
			renewedForListeners(t, ctx, f, s, c)
		})
	}
}

// renewedForListeners has the session of a client end that listens and sends nothing.
func renewedForListeners(t *testing.T, ctx context.Context, f *forgetful, s *mcp.Server, c *mcp.Client) {
	t.Helper()
	var told strings.Builder
	sub, err := c.Listen(ctx, &mcp.Filter{ToolsListChanged: true, ResourceSubscriptions: []string{"a:b"}})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	// Changes are told on a stream that may not be open yet.
	s.ResourceUpdated("a:b")
	n := 0
	for change := range sub.All() {
		fmt.Fprintln(&told, change.Kind, change.URI)
		if n++; n == 1 {
			f.forget(t)
		}
		if n == 3 { // both that may have been missed
			s.AddTool(mcp.Tool{Name: "u"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return nil, nil })
		}
		if n == 4 {
			break
		}
	}
	const updated, tools = "notifications/resources/updated a:b\n", "notifications/tools/list_changed \n"
	if got := told.String(); got != updated+tools+updated+tools {
		t.Errorf("told:\n%s(%v)", got, sub.Err())
	}
	if got := f.count(); got != 3 {
		t.Errorf("%d sessions, want 3", got)
	}
}
