package bridged_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover/bridge"
	"isthmus.internal/testfixtures/mcptest"
)

// lateURI is of a resource that a server may take its time to agree to tell of.
const lateURI = "many:late"

// await waits until the server agrees to tell of the uris.
func (o *observed) await(ctx context.Context, uris ...string) error {
	if o.late == nil || !slices.Contains(uris, lateURI) {
		return nil
	}
	select {
	case <-o.late:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestHeldUpByStranger: who listens for what the server tells of at once does not wait for the
// answer to a client that listens for that and more. Of many such the server is asked once, and
// they go on to be told, whatever comes of the other one.
func TestHeldUpByStranger(t *testing.T) {
	const withLate = "map[many:late:1 test:a:1]"
	ends := []struct {
		name   string
		end    func(o *observed, p *mcptest.Pending)
		before string // what the server tells of while the others listen, after it
	}{
		{"agreed to late", func(o *observed, _ *mcptest.Pending) { close(o.late) }, withLate},
		{"given up", func(_ *observed, p *mcptest.Pending) { p.Cancel() }, "map[test:a:1]"},
	}
	for _, upstream := range []string{"2025-11-25", "2026-07-28"} {
		for _, end := range ends {
			t.Run(upstream+" "+end.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o := observe()
					o.late = make(chan struct{})
					b, _ := bridging(t, o.Server, bridge.Options{Version: upstream})
					dial := func() *mcptest.Client {
						return mcptest.Dial(t, b.Server(), &mcptest.Options{Transport: mcptest.Stdio()})
					}
					one, other := dial(), dial()
					p := one.Start("subscriptions/listen", `{"notifications":{"resourceSubscriptions":["test:a","`+lateURI+`"]}}`)
					synctest.Wait()
					began, streams := time.Now(), make([]*mcptest.Stream, 20)
					var all sync.WaitGroup
					for i := range streams {
						all.Go(func() { streams[i] = other.Listen(mcptest.Filter{URIs: []string{"test:a"}}) })
					}
					all.Wait()
					if slices.Contains(streams, nil) {
						p.Cancel()
						t.FailNow()
					}
					if took := time.Since(began); took > 2*time.Second || p.Answered() {
						t.Errorf("the others have waited for %v, and that the stranger is answered is %t", took, p.Answered())
					}
					same(t, "the server tells of", o.tells(), "map[test:a:1]")
					same(t, "the server was asked", fmt.Sprint(o.times()), "1")
					end.end(o, p)
					<-time.After(2 * time.Second)
					synctest.Wait()
					same(t, "after that the server tells of", o.tells(), end.before)
					o.ResourceUpdated("test:a")
					for i, s := range streams {
						hears(t, fmt.Sprint("stream ", i), s, ofA)
						s.Close()
					}
					one.Close()
					other.Close()
					<-time.After(time.Minute)
					synctest.Wait()
					same(t, "with none the server tells of", o.tells(), "map[]")
					_ = b.Close() // in the bubble
				})
			})
		}
	}
}

// TestStrangersOverlap: of several that each listen for one thing more than the others none waits for
// what it has not asked for. In the end the server tells of each thing once, and of what nobody is
// left for not at all.
func TestStrangersOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := observe()
		o.late = make(chan struct{})
		b, _ := bridging(t, o.Server, bridge.Options{})
		c := mcptest.Dial(t, b.Server(), &mcptest.Options{Transport: mcptest.Stdio()})
		p := c.Start("subscriptions/listen", `{"notifications":{"resourceSubscriptions":["test:a","test:b","`+lateURI+`"]}}`)
		synctest.Wait()
		var all sync.WaitGroup
		streams := make([]*mcptest.Stream, 4)
		for i := range streams {
			all.Go(func() {
				streams[i] = c.Listen(mcptest.Filter{URIs: []string{"test:a", "test:b", fmt.Sprint("many:", i)}})
			})
		}
		all.Wait()
		if slices.Contains(streams, nil) {
			t.FailNow()
		}
		close(o.late)
		<-time.After(time.Minute)
		synctest.Wait()
		same(t, "with all the server tells of", o.tells(), "map[many:0:1 many:1:1 many:2:1 many:3:1 many:late:1 test:a:1 test:b:1]")
		o.ResourceUpdated("test:b")
		for i, s := range streams {
			o.ResourceUpdated(fmt.Sprint("many:", i))
			hears(t, fmt.Sprint("stream ", i), s, ofB, fmt.Sprint("resources/updated many:", i))
		}
		p.Cancel()
		for _, s := range streams[1:] {
			s.Close()
		}
		<-time.After(time.Minute)
		synctest.Wait()
		same(t, "with one left the server tells of", o.tells(), "map[many:0:1 test:a:1 test:b:1]")
		c.Close()
		_ = b.Close() // in the bubble
	})
}

// TestAskedForAnew: the end of an attempt that somebody could not wait for is not that of the one
// that has followed: who comes then waits for that, and the server is asked no third time.
func TestAskedForAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := observe()
		o.late = make(chan struct{})
		b, _ := bridging(t, o.Server, bridge.Options{})
		c := mcptest.Dial(t, b.Server(), &mcptest.Options{Transport: mcptest.Stdio()})
		begin := func(uris string) *mcptest.Pending {
			p := c.Start("subscriptions/listen", `{"notifications":{"resourceSubscriptions":[`+uris+`]}}`)
			<-time.After(2 * time.Second)
			synctest.Wait()
			return p
		}
		both, own := begin(`"test:a","`+lateURI+`"`), begin(`"`+lateURI+`"`)
		both.Cancel()
		synctest.Wait()
		next := begin(`"` + lateURI + `"`)
		close(o.late)
		<-time.After(time.Minute)
		synctest.Wait()
		same(t, "the server tells of", o.tells(), "map[many:late:1]")
		same(t, "the server has agreed", fmt.Sprint(o.times()), "1")
		own.Cancel()
		next.Cancel()
		c.Close()
		_ = b.Close() // in the bubble
	})
}
