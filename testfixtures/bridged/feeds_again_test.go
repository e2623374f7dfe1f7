package bridged_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/discover/bridge"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// TestListensAgain: a session of an old client is told again, and of all that it may have missed,
// though it makes no request, when the server has ended a subscription or was away. A stream of a
// modern client ends then.
func TestListensAgain(t *testing.T) {
	for _, upstream := range []string{"2025-11-25", "2026-07-28"} {
		for _, how := range []string{"the connection ends", "the server ends it"} {
			if upstream < mcptest.Modern && how == "the server ends it" {
				continue // it has no way to say so
			}
			t.Run(upstream+" "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o := observe()
					b, from := bridging(t, o.Server, bridge.Options{Version: upstream})
					old := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: "2025-06-18", Transport: mcptest.Stdio()})
					modern := mcptest.Dial(t, b.Server(), &mcptest.Options{Transport: mcptest.Stdio()})
					synctest.Wait()
					s := old.Listen(mcptest.Filter{Tools: true, Resources: true, URIs: []string{"test:a"}})
					m := modern.Listen(mcptest.Filter{Tools: true, URIs: []string{"test:a"}})
					for range 3 {
						if how == "the connection ends" {
							from.kill()
						} else {
							o.endAll()
						}
						<-time.After(20 * time.Second)
						hears(t, "the session", s, ofA, ofTools, "resources/list_changed")
						o.ResourceUpdated("test:a")
						hears(t, "the session, again", s, ofA)
					}
					if m.Ended() == nil {
						t.Error("the stream has not ended")
					}
					old.Close()
					modern.Close()
					_ = b.Close() // in the bubble
				})
			})
		}
	}
}

// TestListensWithNextRequest: after a long time without a server a session is told again as soon as
// some request has found it.
func TestListensWithNextRequest(t *testing.T) {
	for _, upstream := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(upstream, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				from, away := &origin{server: observe().Server}, atomic.Bool{}
				b, err := bridge.New(t.Context(), func() discover.Transport {
					if away.Load() {
						dead := &scripted{err: mcp.ErrLinkClosed, done: make(chan struct{})}
						_ = dead.Close()
						return dead
					}
					return from.dial()
				}, &bridge.Options{Version: upstream})
				if err != nil {
					t.Fatal(err)
				}
				c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: "2025-11-25", Transport: mcptest.Stdio()})
				s := c.Listen(mcptest.Filter{URIs: []string{"test:a"}})
				away.Store(true)
				from.kill()
				before := from.dialled()
				<-time.After(time.Hour)
				away.Store(false)
				for c.Call("a", `{}`).Code() != 0 {
				}
				hears(t, "the session", s, ofA)
				if got := from.dialled() - before; got != 1 {
					t.Errorf("%d connections, want one", got)
				}
				c.Close()
				_ = b.Close()
				from.kill()
				from.serving.Wait()
			})
		})
	}
}

// TestNothingLostBetween: what the server has not told yet when another subscription takes the place
// of the one that it was to tell it on, is told.
func TestNothingLostBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := observe()
		b, _ := bridging(t, o.Server, bridge.Options{})
		c := mcptest.Dial(t, b.Server(), &mcptest.Options{Transport: mcptest.Stdio()})
		for i := range 30 { // one of them falls just before the bridge asks anew
			both := c.Listen(mcptest.Filter{URIs: []string{"test:a", "test:b"}})
			one := c.Listen(mcptest.Filter{URIs: []string{"test:a"}})
			both.Close()
			<-time.After(time.Duration(10*i) * time.Millisecond)
			o.ResourceUpdated("test:a") // which is told at once, and what follows soon a while later
			<-time.After(time.Millisecond)
			o.ResourceUpdated("test:a")
			<-time.After(3 * time.Millisecond)
			synctest.Wait()
			one.Take()
			hears(t, "who listens", one, ofA)
			same(t, "the server tells of", o.tells(), "map[test:a:1]")
			one.Close()
		}
		c.Close()
		_ = b.Close() // in the bubble
	})
}

// mute is a modern server that never agrees to a subscription.
type mute struct{ *scripted }

func (s *mute) Modern(context.Context, jsonrpc.Handler, *slog.Logger) (mcp.Link, error) {
	return s, nil
}

func (s *mute) Call(ctx context.Context, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	if out.Method != "subscriptions/listen" {
		return s.scripted.Call(ctx, out)
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestMute: of many who wait for a server that does not agree none waits for longer than one.
func TestMute(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &mute{&scripted{done: make(chan struct{}), results: map[string]string{
					"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"resources":{"subscribe":true}}}`,
				}}}
				b, err := bridge.New(t.Context(), func() discover.Transport { return s }, nil)
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				var all sync.WaitGroup
				for range 10 {
					c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: revision, Transport: mcptest.Stdio(), Patience: time.Hour})
					defer c.Close()
					all.Go(func() {
						method, params := "resources/subscribe", `{"uri":"a:b"}`
						if revision == mcptest.Modern {
							method, params = "subscriptions/listen", `{"notifications":{"resourceSubscriptions":["a:b"]}}`
						}
						if r := c.Request(method, params); r.Code() != jsonrpc.InternalError || !strings.Contains(r.Error.Message, "not answered") {
							t.Errorf("got %s", r)
						}
					})
				}
				all.Wait()
				if took := time.Since(began); took > 2*time.Minute {
					t.Errorf("the last one has waited for %v", took)
				}
				_ = b.Close() // in the bubble
			})
		})
	}
}

// TestGoneResource: what the server does not tell of any more it is asked for again now and then,
// until it does.
func TestGoneResource(t *testing.T) {
	for _, upstream := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(upstream, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := observe()
				b, from := bridging(t, o.Server, bridge.Options{Version: upstream})
				c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: "2025-11-25", Transport: mcptest.Stdio()})
				s := c.Listen(mcptest.Filter{URIs: []string{"test:a", "test:b"}})
				o.RemoveResource("test:a")
				from.kill()
				o.ResourceUpdated("test:a")
				hears(t, "the session", s, ofB)
				before := o.times()
				<-time.After(time.Hour)
				if asked := o.times() - before; asked > 400 {
					t.Errorf("in an hour the server was asked %d times for what it has not", asked)
				}
				o.AddResource(mcp.Resource{URI: "test:a", Name: "a"}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) { return nil, nil })
				<-time.After(time.Minute)
				hears(t, "the session", s, ofA)
				c.Close()
				_ = b.Close() // in the bubble
			})
		})
	}
}

// TestInitializedAgain: a client that says without end that it is there has one subscription.
func TestInitializedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := observe()
		b, _ := bridging(t, o.Server, bridge.Options{})
		c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: "2025-11-25", Transport: mcptest.Stdio()})
		for range 1000 {
			c.Notify("notifications/initialized", "")
		}
		synctest.Wait()
		if got := o.times(); got != 1 {
			t.Errorf("the server was asked %d times", got)
		}
		c.Close()
		_ = b.Close() // in the bubble
	})
}
