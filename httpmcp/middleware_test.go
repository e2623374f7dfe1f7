package httpmcp_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// A request that is over time by what middleware has set is answered, since its client waits.
func TestDeadlineOfMiddleware(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := toolServer(t)
		s.AddTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		e := httpmcp.Handler(s, nil)
		defer e.Shutdown(t.Context())
		for _, accept := range []string{"application/json", "text/event-stream"} {
			r := post(t, "http://localhost/", "tools/call", "wait", modernCall("1", "wait", ""), "Accept: "+accept)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			w := httptest.NewRecorder()
			e.ServeHTTP(w, r.WithContext(ctx))
			cancel()
			if got := fmt.Sprint(w.Code, " ", w.Header().Get("Content-Type")); got != "200 "+accept || !strings.Contains(w.Body.String(), `"id":1,`) {
				t.Errorf("Accept %s: %s %s", accept, got, w.Body)
			}
		}
	})
}
