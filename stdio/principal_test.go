package stdio_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// TestPrincipal: who the peer is reaches handlers of requests and of notifications in
// either era, and what is shown to that principal alone is there.
func TestPrincipal(t *testing.T) {
	alice := &mcp.Principal{ID: "alice", Scopes: []string{"read", "write"}}
	for name, principal := range map[string]*mcp.Principal{"alice": alice, "anonymous": nil} {
		eachEra(t, func(t *testing.T, e era) {
			noticed := make(chan *mcp.Principal, 1)
			s := mcp.NewServer("who", "1", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Static: true})
			s.HandleNotification("notifications/com.example/hi", mcp.Both, func(_ context.Context, n *mcp.Notice) { noticed <- n.Principal() })
			s.AddTool(mcp.Tool{Name: "who", Visible: func(p *mcp.Principal) bool { return p != nil }},
				func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
					return mcp.TextResult(c.Principal().ID + " " + strings.Join(c.Principal().Scopes, " ")), nil
				})
			c, in, _, cancel, done := serve(t, s, stdio.Options{Principal: principal})
			c.send(e.open...)
			c.send(strings.Replace(e.request(1, "notifications/com.example/hi", ""), `"id":1,`, "", 1))
			if got := <-noticed; got != principal {
				t.Errorf("%s: the notification came from %v, want %v", name, got, principal)
			}
			c.send(e.call(7, "who", ""))
			in.Close()
			m := c.rest()["7"]
			switch {
			case principal != nil && m.text() != "alice read write":
				t.Errorf("%s: answered with %q", name, m.text())
			case principal == nil && m.text() == "alice read write":
				t.Errorf("%s: may call what is shown to principals alone", name)
			}
			end(t, done, nil)
			cancel()
		})
	}
}
