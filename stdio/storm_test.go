package stdio_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// Clients that come, ask, listen, subscribe and vanish, while everything changes: one of
// those that stay hears of the last change, and nothing stays behind the others (the
// check for goroutines that are left stands in TestMain).
func TestStormOfChangesAndClients(t *testing.T) {
	eachNetwork(t, func(t *testing.T, network, address string) {
		server := newServer(nil, nil)
		server.AddResource(mcp.Resource{URI: "r:1", Name: "r"}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) { return nil, nil })
		l, err := stdio.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		logs, _ := newLogs()
		s := &listening{t, l.Addr(), cancel, make(chan error, 1), logs}
		go func() { s.done <- stdio.ServeListener(ctx, l, server, nil) }()
		over, storm := make(chan struct{}), sync.WaitGroup{}
		for i := range 2 {
			storm.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-over:
						return
					default:
					}
					name := fmt.Sprint("storm-", i)
					server.AddTool(mcp.Tool{Name: name}, nothing)
					server.ResourceUpdated("r:1")
					server.ResourceUpdated("")
					server.RemoveTool(name)
				}
			})
		}
		var clients sync.WaitGroup
		for i := range 8 {
			clients.Go(func() {
				for n := range 10 {
					conn, err := net.Dial(s.addr.Network(), s.addr.String())
					if err != nil {
						t.Error(err)
						return
					}
					conn.SetWriteDeadline(time.Now().Add(10 * time.Second))
					if n%2 == 0 {
						fmt.Fprintln(conn, initialize(1, "2025-11-25", "x"))
						fmt.Fprintln(conn, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
						for k := range 20 {
							method := []string{"resources/subscribe", "resources/unsubscribe"}[k%2]
							fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%d,"method":"%s","params":{"uri":"r:1"}}`+"\n", k+2, method)
						}
					}
					for k := range 20 {
						fmt.Fprintln(conn, listen(k%5+100))
						fmt.Fprintf(conn, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", k%3+100)
					}
					if (n+i)%3 == 0 {
						conn.Read(make([]byte, 1000))
					}
					conn.Close() // with all that is unread
				}
			})
		}
		clients.Wait()
		c, _ := s.dial()
		if m := c.ask(listen(1)); m.Method != "notifications/subscriptions/acknowledged" {
			t.Errorf("a stream in the storm began with %s", m.line)
		}
		close(over)
		storm.Wait()
		server.AddTool(mcp.Tool{Name: "last"}, nothing)
		if m := c.receive(); m.Method != "notifications/tools/list_changed" {
			t.Errorf("the change came as %s", m.line)
		}
		s.stop()
	})
}
