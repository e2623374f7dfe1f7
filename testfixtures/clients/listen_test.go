package clients_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// asked is what a server is asked to tell of.
type asked struct {
	mu   sync.Mutex
	open map[string]int
}

func (a *asked) add(uri string, by int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[uri] += by; a.open[uri] == 0 {
		delete(a.open, uri)
	}
}

// watch is middleware that notes it. Each takes its time, whatever becomes of the request.
func (a *asked) watch(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
		switch uri, _ := c.Param("uri").Text(); c.Method() {
		case "subscriptions/listen":
			a.add("listen", 1)
			defer a.add("listen", -1)
		case "resources/subscribe":
			<-time.After(3 * time.Millisecond)
			a.mu.Lock()
			a.open[uri] = 1
			a.mu.Unlock()
		case "resources/unsubscribe":
			<-time.After(2 * time.Millisecond)
			a.mu.Lock()
			delete(a.open, uri)
			a.mu.Unlock()
		}
		return next(ctx, c)
	}
}

// TestListenersInTurmoil: many that listen at one client, give up at any moment and leave have what
// they wait for told, and leave nothing at the server.
func TestListenersInTurmoil(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &asked{open: make(map[string]int)}
				s := mcp.NewServer("s", "1", &mcp.ServerOptions{Middleware: []mcp.Middleware{a.watch}})
				s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "many:{n}", Name: "many"}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) { return nil, nil })
				near, far := net.Pipe()
				var serving, all sync.WaitGroup
				serving.Go(func() { _ = stdio.ServeStream(context.Background(), far, s, nil) })
				c, _, err := discover.Connect(t.Context(), stdio.Stream(near, nil), &discover.ConnectOptions{Version: version})
				if err != nil {
					t.Fatal(err)
				}
				for i := range 40 {
					all.Go(func() { listens(t, c, s, rand.New(rand.NewPCG(uint64(i), 1))) })
				}
				all.Wait()
				<-time.After(time.Minute)
				synctest.Wait()
				if len(a.open) > 0 {
					t.Errorf("left at the server: %v", a.open)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				serving.Wait()
			})
		})
	}
}

// listens listens again and again.
func listens(t *testing.T, c *mcp.Client, s *mcp.Server, r *rand.Rand) {
	for range 30 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(8000))*time.Microsecond)
		patient := r.IntN(2) == 0
		if patient {
			ctx = t.Context()
		}
		uri := fmt.Sprintf("many:%d", r.IntN(6))
		sub, err := c.Listen(ctx, &mcp.Filter{ResourceSubscriptions: []string{uri, "many:all"}})
		switch {
		case err != nil && patient:
			t.Errorf("Listen: %v", err)
		case err == nil:
			if patient {
				s.ResourceUpdated(uri)
				for range sub.All() { // one is told
					break
				}
			}
			if patient || r.IntN(2) == 0 {
				_ = sub.Close() // of which nothing is lost but its end
			}
		}
		cancel()
	}
}
