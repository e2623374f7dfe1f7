package everything

import (
	"context"
	"sync/atomic"
	"time"

	"isthmus.internal/mcp"
)

// slowCalls counts the calls of slow.
type slowCalls struct{ started, done, cancelled atomic.Int64 }

// step is how often slow reports its progress.
const step = 50 * time.Millisecond

// wait waits for so long, reports each step, and ends early when nobody wants it any
// more.
func (s *slowCalls) wait(ctx context.Context, c *mcp.Call, long time.Duration) (string, error) {
	s.started.Add(1)
	end := time.NewTimer(long)
	defer end.Stop()
	tick := time.NewTicker(step)
	defer tick.Stop()
	for past := step; ; past += step {
		select {
		case <-tick.C:
			if past < long {
				c.Progress(float64(past.Milliseconds()), float64(long.Milliseconds()), "waiting")
			}
		case <-end.C:
			s.done.Add(1)
			return "done", nil
		case <-ctx.Done():
			s.cancelled.Add(1)
			return "", ctx.Err()
		}
	}
}

// slowArguments are those of slow.
type slowArguments struct {
	Milliseconds int64 `json:"ms" mcp:"how long to wait, in milliseconds" minimum:"0" maximum:"600000"`
}

// slowStats is what stats answers.
type slowStats struct {
	Started   int64 `json:"started" mcp:"calls of slow that have begun"`
	Done      int64 `json:"done" mcp:"calls that have waited to their end"`
	Cancelled int64 `json:"cancelled" mcp:"calls that were not wanted any more"`
}

// addSlowTools adds the tools that take time.
func (s *server) addSlowTools() {
	mcp.AddTool(s.Server, mcp.Tool{Name: "slow", Description: "Waits, with its progress every 50 ms, and stops when it is cancelled."},
		func(ctx context.Context, c *mcp.Call, in slowArguments) (string, error) {
			return s.slow.wait(ctx, c, time.Duration(in.Milliseconds)*time.Millisecond)
		})
	mcp.AddTool(s.Server, mcp.Tool{Name: "stats", Description: "Counts the calls of slow in this process."},
		func(context.Context, *mcp.Call, struct{}) (slowStats, error) {
			return slowStats{s.slow.started.Load(), s.slow.done.Load(), s.slow.cancelled.Load()}, nil
		})
	s.AddTool(mcp.Tool{Name: "test_reconnection", Description: "Answers after a moment, in which the client may lose its stream and come back.", InputSchema: noArguments}, answerLater)
	s.AddTool(mcp.Tool{Name: "test_tool_with_progress", Description: "Reports 0, 50 and 100 of 100.", InputSchema: noArguments},
		func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			for _, done := range []float64{0, 50, 100} {
				c.Progress(done, 100, "working")
			}
			return mcp.TextResult("The tool has reported its progress."), nil
		})
}

// answerLater lets go of its client's connection where there is a way to, and answers when
// the client may already have come back for the rest. Its calls do not count among those
// of slow.
func answerLater(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	c.Detach(step)
	select {
	case <-time.After(2 * step):
		return mcp.TextResult("The answer has come through."), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
