package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/mcp"
)

// TestListenEnds: how a subscription ends, and what becomes of what was not looked at.
func TestListenEnds(t *testing.T) {
	broken := fmt.Errorf("%w: reset", mcp.ErrLinkClosed)
	tests := []struct {
		name string
		end  func(s *station, sub *mcp.Subscription, c *mcp.Client, cancel func())
		left string
		err  error
	}{
		{"the server", func(s *station, _ *mcp.Subscription, _ *mcp.Client, _ func()) { s.end(nil) }, "a:b", nil},
		{"the connection breaks", func(s *station, _ *mcp.Subscription, _ *mcp.Client, _ func()) { s.end(broken) }, "a:b", broken},
		{"the connection breaks, then it is closed", func(s *station, sub *mcp.Subscription, _ *mcp.Client, _ func()) { s.end(broken); sub.Close() }, "", broken},
		{"Close", func(_ *station, sub *mcp.Subscription, _ *mcp.Client, _ func()) { sub.Close(); sub.Close() }, "", nil},
		{"the context", func(_ *station, _ *mcp.Subscription, _ *mcp.Client, cancel func()) { cancel() }, "a:b", nil},
		{"the client", func(s *station, _ *mcp.Subscription, c *mcp.Client, _ func()) { c.Close(); s.end(broken) }, "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				s := newStation("2026-07-28")
				c := talks(nil, &s.talker)
				sub, err := c.Listen(ctx, everyChange)
				if err != nil {
					t.Fatal(err)
				}
				s.tell(updated("a:b"))
				test.end(s, sub, c, cancel)
				synctest.Wait()
				same(t, "what is left", heardBy(sub), test.left)
				<-sub.Done()
				if sub.Err() != test.err {
					t.Errorf("got %v, want %v", sub.Err(), test.err)
				}
				sub.Close()
				if s.closes == 0 {
					t.Error("the exchange was not told")
				}
			})
		})
	}
}

// TestListenWaits: All waits for what comes, and an end wakes it.
func TestListenWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, end := range []func(s *station, sub *mcp.Subscription){
			func(s *station, _ *mcp.Subscription) { s.end(nil) },
			func(_ *station, sub *mcp.Subscription) { sub.Close() },
		} {
			s := newStation("2026-07-28")
			sub := listens(t, s, context.Background(), everyChange)
			var got []string
			var all sync.WaitGroup
			for range 2 { // two share what comes
				all.Go(func() {
					for change := range sub.All() {
						got = append(got, change.URI)
					}
				})
			}
			for _, uri := range []string{"a:1", "a:2", "a:3"} {
				synctest.Wait()
				s.tell(updated(uri))
			}
			synctest.Wait()
			end(s, sub)
			all.Wait()
			same(t, "what was told", strings.Join(got, ","), "a:1,a:2,a:3")
			sub.Close()
		}
	})
}

// TestListenStops: a loop may be left, and another one goes on.
func TestListenStops(t *testing.T) {
	s := newStation("2026-07-28")
	sub := listens(t, s, context.Background(), everyChange)
	for _, uri := range []string{"a:1", "a:2"} {
		s.tell(updated(uri))
	}
	s.end(nil)
	for range sub.All() {
		break
	}
	same(t, "the rest", heardBy(sub), "a:2")
	sub.Close()
}

// TestListenCache: who is told of a change and reads then does not get what was kept before.
func TestListenCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, s := newShop(t, "2026-07-28", minute), newStation("2026-07-28")
		s.call = shop.call
		c := talks(nil, &s.talker)
		shop.gets(c, "before", 1, "resources/read", `{"uri":"a:b"}`, nil)
		sub, err := c.Listen(context.Background(), everyChange)
		if err != nil {
			t.Fatal(err)
		}
		go s.tell(updated("a:b"))
		for range sub.All() {
			shop.gets(c, "when it has changed", 2, "resources/read", `{"uri":"a:b"}`, nil)
			break
		}
		sub.Close()
	})
}

// TestListenAgrees: a server that does not agree, or not in time.
func TestListenAgrees(t *testing.T) {
	refused := errors.New("no")
	tests := []struct {
		name    string
		timeout time.Duration
		refuses error
		agrees  time.Duration // when; 0 for at once
		gives   time.Duration // when the context ends; 0 for never
		want    error
		after   time.Duration
	}{
		{"at once", 0, nil, 0, 0, nil, 0},
		{"in time", 0, nil, 59 * time.Second, 0, nil, 59 * time.Second},
		{"not in time", 0, nil, 61 * time.Second, 0, context.DeadlineExceeded, time.Minute},
		{"not in a shorter time", time.Second, nil, 2 * time.Second, 0, context.DeadlineExceeded, time.Second},
		{"no bound", -1, nil, time.Hour, 0, nil, time.Hour},
		{"given up", 0, nil, time.Hour, time.Second, context.Canceled, time.Second},
		{"refused", 0, refused, 0, 0, refused, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if test.gives > 0 {
					time.AfterFunc(test.gives, cancel)
				}
				s := newStation("2026-07-28")
				s.refuses = test.refuses
				if test.agrees > 0 {
					s.agrees = make(chan struct{})
					time.AfterFunc(test.agrees, func() { close(s.agrees) })
				}
				began := time.Now()
				sub, err := talks(&mcp.ClientOptions{Timeout: test.timeout}, &s.talker).Listen(ctx, nil)
				if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
					t.Errorf("got %v, want %v", err, test.want)
				}
				if took := time.Since(began); took != test.after {
					t.Errorf("took %v, want %v", took, test.after)
				}
				if err == nil {
					<-time.After(2 * time.Minute) // the bound is for the agreement alone
					if got := sub.Honoured(); sub.Err() != nil || !got.ToolsListChanged || got.PromptsListChanged {
						t.Errorf("err %v, honoured %+v", sub.Err(), got)
					}
					sub.Close()
				}
				<-time.After(time.Hour)
			})
		})
	}
}

// TestListenUnattached: without a connection there is nobody to listen to, and neither is
// behind Close.
func TestListenUnattached(t *testing.T) {
	if _, err := mcp.NewClient(nil).Listen(context.Background(), nil); err == nil {
		t.Error("a client that is not connected: no error")
	}
	s := newStation("2026-07-28")
	c := talks(nil, &s.talker)
	c.Close()
	if _, err := c.Listen(context.Background(), nil); !errors.Is(err, mcp.ErrLinkClosed) || s.closes != 1 {
		t.Errorf("behind Close: got %v, want ErrLinkClosed, and the subscription closed", err)
	}
}
