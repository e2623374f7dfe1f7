package stdio_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// Clients that come, ask, listen, subscribe and vanish, while everything changes: one that
// stays is told, and finds what is there in the end; nothing stays behind the others (the
// check for goroutines that are left stands in TestMain). That the last change is told is
// for package discover, whose clock stands still.
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
		over, changes, clients := make(chan struct{}), sync.WaitGroup{}, sync.WaitGroup{}
		for i := range 2 {
			changes.Go(func() { storm(server, fmt.Sprint("storm-", i), over) })
		}
		for i := range 8 {
			clients.Go(func() {
				for n := range 10 {
					visit(t, s.addr, n%2 == 0, (n+i)%3 == 0)
				}
			})
		}
		clients.Wait()
		c, _ := s.dial()
		if m := c.ask(listen(1)); m.Method != "notifications/subscriptions/acknowledged" {
			t.Errorf("a stream in the storm began with %s", m.line)
		}
		close(over)
		changes.Wait()
		server.AddTool(mcp.Tool{Name: "last"}, nothing)
		if m := c.receive(); m.Method != "notifications/tools/list_changed" {
			t.Errorf("the change came as %s", m.line)
		}
		if listed := c.listTools(); !strings.Contains(listed, `"last"`) || strings.Contains(listed, "storm") {
			t.Errorf("behind the storm the tools are %s", listed)
		}
		s.stop()
	})
}

// storm changes the server until it is over.
func storm(server *mcp.Server, tool string, over <-chan struct{}) {
	for {
		select {
		case <-over:
			return
		default:
		}
		server.AddTool(mcp.Tool{Name: tool}, nothing)
		server.ResourceUpdated("r:1")
		server.ResourceUpdated("")
		server.RemoveTool(tool)
	}
}

// visit is a client that subscribes, in a legacy session if it opens one, listens, and
// vanishes with all that it has not read.
func visit(t *testing.T, addr net.Addr, opens, reads bool) {
	conn, err := net.Dial(addr.Network(), addr.String())
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	conn.SetWriteDeadline(time.Now().Add(10 * time.Second))
	if opens {
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
	if reads {
		conn.Read(make([]byte, 1000))
	}
}

// listTools is the answer to tools/list. Changes that are told before it are passed over.
func (c *client) listTools() string {
	c.t.Helper()
	c.send(modernEra.request(2, "tools/list", ""))
	for {
		if m := c.receive(); m.Method == "" {
			return m.line
		}
	}
}
