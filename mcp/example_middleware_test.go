package mcp_test

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"isthmus.internal/mcp"
)

// One line in the log for each request: what was asked, by whom, how it went and how
// long it took. The arguments are left out, as they may hold what no log should.
func ExampleMiddleware_logging() {
	log := slog.Default()
	logging := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (reply mcp.Reply, err error) {
			start := time.Now()
			outcome := "panic" // unless the handler returns
			defer func() {
				who := "anonymous"
				if p := c.Principal(); p != nil {
					who = p.ID
				}
				trace, _, _ := c.TraceContext()
				log.Info("request", "method", c.Method(), "name", c.Name(), "principal", who,
					"outcome", outcome, "time", time.Since(start), "trace", trace)
			}()
			reply, err = next(ctx, c)
			switch {
			case err != nil:
				outcome = "error"
			case reply.ToolError():
				outcome = "tool error"
			case reply.InputRequired():
				outcome = "input required"
			default:
				outcome = "done"
			}
			return reply, err
		}
	}
	mcp.NewServer("shop", "1.0.0", &mcp.ServerOptions{Middleware: []mcp.Middleware{logging}})
}

// A principal may call so many tools a minute. One that calls more is answered with a
// tool error, which the model can read and heed.
func ExampleMiddleware_rateLimit() {
	const most = 60
	var (
		mu     sync.Mutex
		minute time.Time      // that is counted
		calls  map[string]int // in it, by principal
	)
	allowed := func(p *mcp.Principal) bool {
		who := "" // all who are anonymous share one budget
		if p != nil {
			who = p.ID
		}
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now().Truncate(time.Minute); !now.Equal(minute) {
			minute, calls = now, make(map[string]int) // so the map does not grow for ever
		}
		calls[who]++
		return calls[who] <= most
	}
	limiting := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
			if c.Method() == "tools/call" && !allowed(c.Principal()) {
				return mcp.ToolReply(mcp.ErrorResult("Too many calls: wait a minute and go on then.")), nil
			}
			return next(ctx, c)
		}
	}
	mcp.NewServer("shop", "1.0.0", &mcp.ServerOptions{Middleware: []mcp.Middleware{limiting}})
}

// Counters for each method. The function runs once for each method of the table, when
// the server is made, so what it makes there belongs to all requests: here the counters
// are shared by all methods, and looked up by the method's name.
func ExampleMiddleware_metrics() {
	type counters struct{ requests, failures, nanoseconds atomic.Int64 }
	var byMethod sync.Map // string to *counters, and no more than the table has methods

	measuring := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (reply mcp.Reply, err error) {
			found, _ := byMethod.LoadOrStore(c.Method(), &counters{})
			m := found.(*counters)
			start, failed := time.Now(), true // a panic fails, too
			defer func() {
				m.requests.Add(1)
				m.nanoseconds.Add(int64(time.Since(start)))
				if failed {
					m.failures.Add(1)
				}
			}()
			reply, err = next(ctx, c)
			failed = err != nil || reply.ToolError()
			return reply, err
		}
	}
	mcp.NewServer("shop", "1.0.0", &mcp.ServerOptions{Middleware: []mcp.Middleware{measuring}})
}
