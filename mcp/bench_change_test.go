package mcp_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"isthmus.internal/mcp"
)

// listeners makes n listeners, each delivered to nobody on a goroutine of its own, and
// returns what ends them.
func listeners(b *testing.B, s *mcp.Server, n int, f func(i int) mcp.Filter) (end func()) {
	b.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for i := range n {
		l := s.Listen(f(i))
		all.Go(func() {
			defer l.Close()
			l.Deliver(ctx, nil, func(mcp.Change) error { return nil })
		})
	}
	return func() { stop(); all.Wait() }
}

// BenchmarkTouch is the cost of one change for who makes it, with a thousand
// listeners. B/listener is what one of them costs, its goroutine included.
func BenchmarkTouch(b *testing.B) {
	const n = 1000
	tests := []struct {
		name   string
		filter func(i int) mcp.Filter
	}{
		{"nobody asked", func(i int) mcp.Filter { return mcp.Filter{ResourceSubscriptions: []string{fmt.Sprint("other:", i)}} }},
		{"one asked for the uri", func(i int) mcp.Filter { return mcp.Filter{ResourceSubscriptions: []string{fmt.Sprint("a:", i)}} }},
		{"all asked for the uri", func(i int) mcp.Filter { return mcp.Filter{ResourceSubscriptions: []string{"a:0"}} }},
		{"all asked for the list", func(i int) mcp.Filter { return mcp.Filter{ToolsListChanged: true} }},
	}
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			s := quiet(mcp.ServerOptions{})
			tool := mcp.Tool{Name: "t"}
			handler := answering(nil, nil)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			end := listeners(b, s, n, tt.filter)
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				if tt.name == "all asked for the list" {
					s.AddTool(tool, handler)
					s.RemoveTool("t")
				} else {
					s.ResourceUpdated("a:0")
				}
			}
			b.StopTimer()
			b.ReportMetric(float64(after.HeapAlloc+after.StackInuse-before.HeapAlloc-before.StackInuse)/n, "B/listener")
			end()
		})
	}
}
