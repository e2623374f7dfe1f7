package bridged_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/discover/bridge"
	"isthmus.internal/httpmcp"
	"isthmus.internal/testfixtures/mcptest"
)

// TestRestartOverHTTP: a session goes on to be told, without a request of its own, when a server that
// is reached over HTTP starts anew, and when the connections to it break. No connection of the
// bridge ends then that it could connect again.
func TestRestartOverHTTP(t *testing.T) {
	for _, upstream := range []string{"2025-11-25", "2026-07-28"} {
		for _, how := range []string{"in order", "at once", "connections break"} {
			t.Run(upstream+" "+how, func(t *testing.T) {
				t.Parallel()
				s := changing()
				var now atomic.Pointer[httpmcp.Endpoint]
				now.Store(httpmcp.Handler(s, nil))
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { now.Load().ServeHTTP(w, r) }))
				defer server.Close()
				b, err := bridge.New(t.Context(), func() discover.Transport { return httpmcp.Dial(server.URL, nil) }, &bridge.Options{Version: upstream})
				if err != nil {
					t.Fatal(err)
				}
				c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: "2025-06-18"})
				told := c.Listen(mcptest.Filter{URIs: []string{"test:a"}})
				s.ResourceUpdated("test:a")
				same(t, "before", string(told.Next().At("uri")), `"test:a"`)
				end := func(e *httpmcp.Endpoint, patience time.Duration) {
					ctx, cancel := context.WithTimeout(context.Background(), patience)
					defer cancel()
					_ = e.Shutdown(ctx) // which may be too short for it
				}
				before := now.Load()
				if how != "connections break" {
					s = changing()
					now.Store(httpmcp.Handler(s, nil))
				}
				if how == "in order" {
					end(before, 20*time.Second)
				}
				server.CloseClientConnections()
				if how != "connections break" || upstream == mcptest.Modern { // a legacy stream is taken up again
					same(t, "what may have changed", string(told.Next().At("uri")), `"test:a"`)
				}
				told.Take()
				s.ResourceUpdated("test:a")
				same(t, "afterwards", string(told.Next().At("uri")), `"test:a"`)
				c.Close()
				if err := b.Close(); err != nil {
					t.Error(err)
				}
				end(before, time.Second)
				end(now.Load(), time.Second)
			})
		}
	}
}
