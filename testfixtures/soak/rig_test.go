package soak

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
)

// rig is an endpoint that serves on an address of the loopback.
type rig struct {
	server *mcp.Server
	host   string       // 127.0.0.1:PORT
	echoed atomic.Int64 // calls of echo that have run
	ended  chan error
	end    context.CancelFunc
}

// The sizes of answers and bodies here.
const (
	maxBody = 256 << 10
	bigText = 8 << 20 // more than what the kernel takes for a reader that does not read
)

// start serves with these options until the test ends.
func start(tb testing.TB, o *httpmcp.Options) *rig {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	r := &rig{host: l.Addr().String(), ended: make(chan error, 1)}
	// With keys nothing is held for questions that are open.
	r.server = mcp.NewServer("soak", "1.0.0", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Keys: seal.RandomKeys()})
	r.addTools()
	ctx, end := context.WithCancel(context.Background())
	r.end = end
	go func() {
		r.ended <- httpmcp.Serve(ctx, l, httpmcp.Handler(r.server, o), &httpmcp.ServeOptions{
			HeaderTime: 3 * time.Second, Logger: slog.New(slog.DiscardHandler),
		})
	}()
	tb.Cleanup(func() {
		end()
		if err := <-r.ended; err != nil {
			tb.Errorf("Serve: %v", err)
		}
	})
	return r
}

const textArgument = `{"type":"object","properties":{"text":{"type":"string"}}}`

// addTools registers what the clients call. Well-behaved ones call echo, steps and ask; waste and big are for
// the others.
func (r *rig) addTools() {

	add := func(name string, h mcp.ToolHandler) {
		r.server.AddTool(mcp.Tool{Name: name, InputSchema: jsonrpc.Raw(textArgument)}, h)
	}
	text := func(c *mcp.Call) string {
		text, _ := c.Argument("text").Text()
		return string(text)
	}
	add("echo", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		r.echoed.Add(1)
		return mcp.TextResult(text(c)), nil
	})
	add("steps", func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		for i := range steps {
			c.Progress(float64(i+1), steps, "")
		}
		r.echoed.Add(1)
		return mcp.TextResult(text(c)), nil
	})
	add("ask", func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		who, err := mcp.Ask[struct {
			Name string `json:"name"`
		}](ctx, c, "name", "Who is it?")
		if err != nil {
			return nil, err
		}
		r.echoed.Add(1)
		return mcp.TextResult(text(c) + who.Name), nil
	})
	add("waste", func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		c.Progress(1, 2, "")
		pause(ctx, 50*time.Millisecond)
		return mcp.TextResult("time"), nil
	})
	add("big", func(context.Context, *mcp.Call) (*mcp.Result, error) {
		return mcp.TextResult(strings.Repeat("0123456789abcdef", bigText/16)), nil
	})
}

// steps is how often the tool of this name tells of its progress.
const steps = 3

// tools is how many tools there are always.
const tools = 5

// flicker adds and removes a tool, for those who listen, until ctx ends.
func (r *rig) flicker(ctx context.Context) {
	for pause(ctx, 20*time.Millisecond) {
		r.server.AddTool(mcp.Tool{Name: "flicker", InputSchema: jsonrpc.Raw(textArgument)},
			func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult(""), nil })
		r.server.RemoveTool("flicker")
	}
}

// pause waits for so long, and reports false when ctx ends before.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// use is what the process has in use after a collection. Stacks count by the goroutines that they belong to: the
// runtime keeps some for the next ones, now more and now fewer.
type use struct {
	bytes      uint64 // reachable on the heap
	stacks     uint64 // bytes
	goroutines int
}

func (u use) String() string {
	return fmt.Sprintf("%d KiB and %d goroutines", u.bytes>>10, u.goroutines)
}

func inUse() use {
	for range 3 { // pools are empty, and stacks small, only after the second
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return use{m.HeapAlloc, m.StackInuse, runtime.NumGoroutine()}
}

// calm waits until no goroutine ends any more, and what is in use no longer shrinks.
func calm() use {
	lowest := inUse()
	for since := 0; since < 30; since++ {
		pause(context.Background(), 100*time.Millisecond)
		if u := inUse(); u.bytes < lowest.bytes-lowest.bytes/100 || u.goroutines < lowest.goroutines {
			lowest, since = u, 0
		}
	}
	return lowest
}

// settled waits until the use is within the limit, and returns the last that it saw.
func settled(limit use) (u use, ok bool) {
	for range 300 {
		if u = inUse(); u.bytes <= limit.bytes && u.goroutines <= limit.goroutines {
			return u, true
		}
		pause(context.Background(), 100*time.Millisecond)
	}
	return u, false
}
