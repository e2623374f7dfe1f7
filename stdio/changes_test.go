package stdio_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// listen is a request for a stream of changes of the tools.
func listen(id int) string {
	return modernEra.request(id, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
}

// However the connection ends, streams that are open end gracefully and at once: if they
// were waited for, it would be for an hour (B155, B161, B163).
func TestServeEndsListens(t *testing.T) {
	for _, by := range []string{"end of input", "context"} {
		t.Run(by, func(t *testing.T) {
			c, in, _, cancel, done := serve(t, newServer(nil, nil), stdio.Options{Drain: time.Hour, MaxListens: 2})
			defer cancel()
			for id := 1; id <= 2; id++ {
				if m := c.ask(listen(id)); m.Method != "notifications/subscriptions/acknowledged" {
					t.Fatalf("a stream began with %s", m.line)
				}
			}
			if m := c.ask(listen(3)); m.Error == nil || !strings.Contains(m.Error.Message, "at most 2") {
				t.Errorf("a stream beyond the bound was answered with %s", m.line)
			}
			if by == "context" {
				cancel()
			} else {
				in.Close()
			}
			ended := map[string]int{}
			for range 4 {
				m := c.receive()
				if id := string(m.ID); m.Result != nil && ended[id] != 1 {
					t.Errorf("stream %s was answered before it was cancelled", id)
				}
				if _, rest, ok := strings.Cut(m.line, `"requestId":`); m.Method == "notifications/cancelled" && ok {
					ended[rest[:1]]++
				}
			}
			if ended["1"] != 1 || ended["2"] != 1 {
				t.Errorf("these streams were cancelled, and how often: %v", ended)
			}
			if all := c.rest(); len(all) > 0 {
				t.Errorf("behind the ends came %v", all)
			}
			end(t, done, nil)
		})
	}
}

// A legacy session whose client does not read its notifications of changes holds up
// the end no longer than the drain time.
func TestServeStreamNobodyReadsChanges(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			s := newServer(nil, nil)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- stdio.ServeStream(ctx, theirs, s, nil) }()
			c := newClient(t, ours, ours)
			c.open(e)
			if e.meta != "" {
				c.ask(listen(1))
			}
			for range 10 {
				s.AddTool(mcp.Tool{Name: "touched"}, nothing)
				s.RemoveTool("touched")
				<-time.After(time.Second)
			}
			cancel()
			if err := <-done; err == nil {
				t.Error("the server ended in good order although nobody has read what changed")
			}
		})
	})
}

func nothing(context.Context, *mcp.Call) (*mcp.Result, error) { return &mcp.Result{}, nil }
