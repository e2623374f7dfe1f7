package httpmcp_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// stormServer has tools that do all that a handler may at moments that nobody foresees.
func stormServer() *mcp.Server {
	s := mcp.NewServer("storm", "1", &mcp.ServerOptions{Logging: true, Logger: slog.New(slog.DiscardHandler)})
	pause := func(ctx context.Context) {
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(rand.IntN(3000)) * time.Microsecond):
		}
	}
	for name, do := range map[string]func(ctx context.Context, c *mcp.Call){
		"quick":  func(context.Context, *mcp.Call) {},
		"slow":   func(ctx context.Context, c *mcp.Call) { pause(ctx); c.Progress(1, 2, ""); pause(ctx) },
		"ask":    func(ctx context.Context, c *mcp.Call) { c.Roots(ctx, "r") },
		"detach": func(ctx context.Context, c *mcp.Call) { pause(ctx); c.Detach(1); pause(ctx); c.Progress(1, 2, "") },
		"exit":   func(ctx context.Context, c *mcp.Call) { c.Progress(1, 2, ""); pause(ctx); runtime.Goexit() },
		"leave": func(ctx context.Context, c *mcp.Call) {
			go func() { c.Progress(1, 2, ""); c.Detach(1); c.Notify("notifications/x", nil) }()
			pause(ctx)
		},
		"panic":  func(ctx context.Context, c *mcp.Call) { pause(ctx); panic("storm") },
		"until":  func(ctx context.Context, c *mcp.Call) { c.Progress(1, 2, ""); <-ctx.Done(); runtime.Goexit() },
		"sudden": func(ctx context.Context, c *mcp.Call) { <-ctx.Done(); c.Detach(1) },
	} {
		s.AddTool(mcp.Tool{Name: name}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			do(ctx, c)
			return mcp.TextResult("done"), nil
		})
	}
	return s
}

// stormClient is a session that does all at once, and is ended in the middle of it.
func stormClient(ctx context.Context, c *http.Client, url, version string) {
	do := func(method, body string, set ...string) {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(rand.IntN(20))*time.Millisecond)
		defer cancel()
		r, _ := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", []string{"application/json", "text/event-stream", "*/*"}[rand.IntN(3)])
		for i := 0; i+1 < len(set); i += 2 {
			r.Header.Set(set[i], set[i+1])
		}
		if reply, err := c.Do(r); err == nil {
			io.CopyN(io.Discard, reply.Body, rand.Int64N(4000))
			reply.Body.Close()
		}
	}
	r, _ := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(initialize(version, `"roots":{}`)))
	r.Header.Set("Content-Type", "application/json")
	reply, err := c.Do(r)
	if err != nil {
		return
	}
	io.Copy(io.Discard, reply.Body)
	reply.Body.Close()
	id := reply.Header.Get("Mcp-Session-Id")
	tools := []string{"quick", "slow", "ask", "detach", "exit", "leave", "panic", "until", "sudden"}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 12 {
				n, name := fmt.Sprint(rand.IntN(6)), tools[rand.IntN(len(tools))]
				switch rand.IntN(9) {
				case 0:
					do("GET", "", "Mcp-Session-Id", id)
				case 1:
					do("GET", "", "Mcp-Session-Id", id, "Last-Event-ID", fmt.Sprintf("%d.%d", rand.IntN(9), rand.IntN(30)))
				case 2:
					do("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+n+`}}`, "Mcp-Session-Id", id)
				case 3:
					do("POST", `{"jsonrpc":"2.0","id":`+n+`,"result":{"roots":[]}}`, "Mcp-Session-Id", id)
				case 4:
					do("POST", "["+tool(n, name, withToken)+","+tool(n+"0", "quick", "")+"]", "Mcp-Session-Id", id)
				default:
					do("POST", tool(n, name, withToken), "Mcp-Session-Id", id)
				}
			}
		})
	}
	<-time.After(time.Duration(rand.IntN(60)) * time.Millisecond)
	do("DELETE", "", "Mcp-Session-Id", id)
	all.Wait()
}

// Whatever meets whatever: the process stands, net/http finds no fault in how it is used, and
// nothing is left behind.
func TestStorm(t *testing.T) {
	said := &serverLog{}
	e := httpmcp.Handler(stormServer(), &httpmcp.Options{
		KeepAlive: time.Millisecond, SessionIdle: 5 * time.Millisecond, MaxSessionInFlight: 8,
		Events: httpmcp.NewMemoryEvents(&httpmcp.MemoryOptions{MaxStream: 2000, MaxSession: 4000, MaxTotal: 20_000}),
	})
	server := httptest.NewUnstartedServer(e)
	server.Config.ErrorLog = log.New(said, "", 0)
	server.Start()
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			c := &http.Client{Transport: &http.Transport{}}
			defer c.CloseIdleConnections()
			stormClient(context.Background(), c, server.URL, versions[i%len(versions)])
		})
	}
	all.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := e.Shutdown(ctx); err != nil {
		t.Logf("Shutdown: %v", err)
	}
	server.Close()
	if got := said.String(); strings.Contains(got, "panic") || strings.Contains(got, "superfluous") || strings.Contains(got, "hijacked") {
		t.Errorf("net/http logs\n%s", got)
	}
}
