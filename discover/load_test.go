package discover_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// watcher is a client that listens, and keeps of what it is told only how often, and
// which touch was the last before.
type watcher struct {
	in    *inbox
	done  chan error
	gate  chan struct{} // not nil: it reads nothing until this is closed
	touch *atomic.Int64

	mu    sync.Mutex
	bytes int
	told  map[string]int   // how often, by method
	last  map[string]int64 // the number of the last touch that had happened, by method
}

func (w *watcher) Write(b []byte) (int, error) {
	if w.gate != nil {
		<-w.gate
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bytes += len(b)
	for line := range bytes.Lines(b) {
		_, rest, isNote := strings.Cut(string(line), `"method":"notifications/`)
		if method, _, ok := strings.Cut(rest, `"`); isNote && ok {
			w.told[method]++
			w.last[method] = w.touch.Load()
		}
	}
	return len(b), nil
}

// watch connects a client to s, in one era or the other, that listens for the tools and
// for one resource.
func watch(s *mcp.Server, legacyClient bool, touch *atomic.Int64, gate chan struct{}) *watcher {
	w := &watcher{in: newInbox(10), done: make(chan error, 1), gate: gate, touch: touch, told: map[string]int{}, last: map[string]int64{}}
	outlet := &lateOutlet{}
	r := discover.NewRouter(s, &discover.RouterOptions{Outlet: outlet})
	outlet.conn = jsonrpc.NewConn(w.in, w, r, &jsonrpc.Options{Logger: s.Logger(), Inner: discover.Inner(), InOrder: r.InOrder, LongLived: r.LongLived})
	go func() {
		err := outlet.conn.Serve(context.Background())
		r.Close()
		w.done <- err
	}()
	if legacyClient {
		w.in.lines <- `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`
		w.in.lines <- `{"jsonrpc":"2.0","method":"notifications/initialized"}`
		w.in.lines <- `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"r:1"}}`
	} else {
		w.in.lines <- listen("1", `{"toolsListChanged":true,"resourceSubscriptions":["r:1"]}`)
	}
	return w
}

type lateOutlet struct{ conn *jsonrpc.Conn }

func (o *lateOutlet) Notify(method string, params []byte) error { return o.conn.Post(method, params) }

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// Thousands of changes with a thousand clients, two of which read nothing: nobody waits
// for them, memory stays, and every client hears of each kind after its last change
// (B157).
func TestManyListenersAndOneThatIsStuck(t *testing.T) {
	touches, clients := 10_000, 1000
	if race { // which makes it ten times slower
		touches, clients = 1000, 200
	}
	synctest.Test(t, func(t *testing.T) {
		s := changing(mcp.ServerOptions{})
		var touch atomic.Int64
		gate := make(chan struct{})
		var all []*watcher
		for i := range clients {
			var stuck chan struct{}
			if i < 2 { // one in each era
				stuck = gate
			}
			all = append(all, watch(s, i%2 == 0, &touch, stuck))
		}
		<-time.After(time.Second)
		synctest.Wait()
		var before uint64
		for n := range touches {
			if n == touches/10 { // all have told something, which grows their stacks
				synctest.Wait()
				before = heap()
			}
			touch.Store(int64(n) + 1)
			if n%2 == 0 {
				s.AddTool(mcp.Tool{Name: "touched"}, nothing)
			} else {
				s.RemoveTool("touched")
			}
			s.ResourceUpdated("r:1")
			if n%10 == 0 {
				<-time.After(time.Millisecond)
			}
		}
		<-time.After(time.Second)
		synctest.Wait()
		grown := int64(heap()) - int64(before)
		t.Logf("%d changes with %d clients: memory grew by %d bytes", touches, clients, grown)
		if grown > 512<<10 { // a list of what each of the two has to hear would hold more than a MiB
			t.Errorf("memory grew by %d bytes", grown)
		}
		check := func(w *watcher, i int) {
			w.mu.Lock()
			defer w.mu.Unlock()
			for _, method := range []string{"tools/list_changed", "resources/updated"} {
				if w.last[method] != int64(touches) || w.told[method] < 2 || w.told[method] > touches/10 {
					t.Errorf("client %d was told %s %d times, the last after touch %d of %d", i, method, w.told[method], w.last[method], touches)
				}
			}
		}
		for i, w := range all[2:] {
			check(w, i+2)
		}
		close(gate) // those that were stuck read now
		<-time.After(time.Second)
		synctest.Wait()
		for i, w := range all[:2] {
			w.mu.Lock()
			if w.bytes > 2000 || w.told["tools/list_changed"] == 0 || w.told["resources/updated"] == 0 {
				t.Errorf("client %d, which was stuck, was told %v in %d bytes", i, w.told, w.bytes)
			}
			w.mu.Unlock()
		}
		for i, w := range all {
			close(w.in.lines)
			if err := <-w.done; err != nil {
				t.Errorf("client %d: the connection ended with %v", i, err)
			}
		}
	})
}

// A thousand streams on one connection, and what each of them costs.
func BenchmarkIdleListen(b *testing.B) {
	const streams = 1000
	for range b.N {
		s := changing(mcp.ServerOptions{})
		in, out := newInbox(streams), &outbox{}
		r := discover.NewRouter(s, nil)
		c := jsonrpc.NewConn(in, out, r, &jsonrpc.Options{Logger: s.Logger(), Inner: discover.Inner(), LongLived: r.LongLived, MaxLongLived: streams})
		done := make(chan error, 1)
		go func() { done <- c.Serve(context.Background()) }()
		before := heap()
		for i := range streams {
			in.lines <- listen(fmt.Sprint(i), `{"toolsListChanged":true,"resourceSubscriptions":["r:1"]}`)
		}
		for n := 0; n < streams; runtime.Gosched() {
			n += len(out.take(b))
		}
		b.ReportMetric(float64(heap()-before)/streams, "B/stream")
		close(in.lines)
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}
