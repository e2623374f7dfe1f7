package bridged_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover/bridge"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// observed is a server that knows what it is asked to tell of, and may end that.
type observed struct {
	*mcp.Server
	mu    sync.Mutex
	open  map[string]int                   // how often it tells of a uri; "lists" for lists
	asked int                              // how often it was asked to tell
	alone bool                             // it tells of one thing in a subscription, and refuses more
	busy  int                              // how many subscriptions it refuses as too many
	stops map[*mcp.Call]context.CancelFunc // of the subscriptions that are open
	late  chan struct{}                    // closed when it agrees to tell of lateURI; nil where it does at once

	subscribed map[subscribed]bool
}

func observe() *observed {
	o := &observed{open: make(map[string]int), stops: make(map[*mcp.Call]context.CancelFunc), subscribed: make(map[subscribed]bool)}
	o.Server = mcp.NewServer("origin", "1.0.0", &mcp.ServerOptions{Logger: quiet(), Middleware: []mcp.Middleware{o.watch}})
	nothing := func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) { return nil, nil }
	o.AddTool(mcp.Tool{Name: "a"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("a"), nil })
	for _, uri := range []string{"test:a", "test:b"} {
		o.AddResource(mcp.Resource{URI: uri, Name: uri}, nothing)
	}
	o.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "many:{n}", Name: "many"}, nothing)
	return o
}

func (o *observed) watch(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
		switch c.Method() {
		case "subscriptions/listen":
			p, _ := mcp.Read[mcp.ListenParams](c.Params(), "params")
			uris := slices.DeleteFunc(p.Notifications.ResourceSubscriptions, func(uri string) bool { return strings.HasPrefix(uri, "none:") })
			if p.Notifications.ToolsListChanged {
				uris = append(uris, "lists")
			}
			if err := o.await(ctx, uris...); err != nil {
				return mcp.Reply{}, err
			}
			if o.refuses() {
				return mcp.Reply{}, jsonrpc.Errorf(jsonrpc.InternalError, "too many")
			}
			if o.alone && len(uris) > 1 {
				return mcp.Reply{}, jsonrpc.Errorf(jsonrpc.InvalidParams, "one at a time")
			}
			ctx, stop := context.WithCancel(ctx)
			defer stop()
			o.count(1, uris...)
			defer o.count(-1, uris...)
			o.hold(c, stop)
			defer o.hold(c, nil)
			return next(ctx, c)
		case "resources/subscribe", "resources/unsubscribe":
			uri, _ := c.Param("uri").Text()
			if err := o.await(ctx, uri); err != nil {
				return mcp.Reply{}, err
			}
			reply, err := next(ctx, c)
			if err == nil {
				o.subscribe(c.Session(), uri, c.Method() == "resources/subscribe")
			}
			return reply, err
		}
		return next(ctx, c)
	}
}

// subscribe notes that a session has subscribed, which it may do again, or has no more.
func (o *observed) subscribe(session *mcp.Listener, uri string, tells bool) {
	key := subscribed{session, uri}
	o.mu.Lock()
	before := o.subscribed[key]
	o.subscribed[key] = tells
	o.mu.Unlock()
	if before != tells {
		o.count(map[bool]int{false: -1, true: 1}[tells], uri)
	}
}

// subscribed is a session and a uri.
type subscribed struct {
	by  *mcp.Listener
	uri string
}

func (o *observed) count(by int, uris ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if by > 0 {
		o.asked++
	}
	for _, uri := range uris {
		if o.open[uri] += by; o.open[uri] == 0 {
			delete(o.open, uri)
		}
	}
}

// refuses reports whether a subscription is one too many.
func (o *observed) refuses() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.busy--
	return o.busy >= 0
}

// tells is what it tells of.
func (o *observed) tells() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return fmt.Sprint(o.open)
}

// times is how often it was asked to tell.
func (o *observed) times() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked
}

// hold notes how a subscription is ended, nil for one that has ended.
func (o *observed) hold(c *mcp.Call, stop context.CancelFunc) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stops[c] = stop; stop == nil {
		delete(o.stops, c)
	}
}

// endAll ends the subscriptions that are open.
func (o *observed) endAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, stop := range o.stops {
		stop()
	}
}

// hears fails the test unless a stream was told these, in any order and each at least once.
func hears(t *testing.T, who string, s *mcptest.Stream, want ...string) {
	t.Helper()
	<-time.After(time.Second) // what happens at once is told together
	synctest.Wait()
	told := map[string]bool{}
	for _, n := range s.Take() {
		uri, _ := n.At("uri").Text()
		told[strings.TrimPrefix(strings.TrimSpace(n.Method+" "+uri), "notifications/")] = true
	}
	for _, one := range want {
		if !told[one] {
			t.Errorf("%s is not told %s but %v", who, one, told)
		}
		delete(told, one)
	}
	if len(told) > 0 {
		t.Errorf("%s is told %v, too", who, told)
	}
}

const (
	ofA     = "resources/updated test:a"
	ofB     = "resources/updated test:b"
	ofTools = "tools/list_changed"
)

// TestSharedSubscriptions: what several clients of both eras want the server is asked for once on
// a connection. Who leaves, in order or not, takes nothing away from the others, and the last one
// takes all away.
func TestSharedSubscriptions(t *testing.T) {
	tests := []struct {
		upstream             string
		all, two, none, gone string // what the server tells of: with all streams, with two, with none, with no clients
	}{
		{"2026-07-28", "map[lists:1 test:a:1 test:b:1]", "map[lists:1 test:a:1]", "map[lists:1]", "map[]"}, // lists are told to old sessions unasked
		{"2025-11-25", "map[test:a:3 test:b:1]", "map[test:a:2]", "map[]", "map[]"},                        // each old client has a session of its own there
	}
	for _, test := range tests {
		for _, vanishes := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s vanishing %t", test.upstream, vanishes), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o := observe()
					b, _ := bridging(t, o.Server, bridge.Options{Version: test.upstream})
					old := func() *mcptest.Client {
						return mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: "2025-11-25", Transport: mcptest.Stdio()})
					}
					modern := func() *mcptest.Client {
						return mcptest.Dial(t, b.Server(), &mcptest.Options{Transport: mcptest.Stdio()})
					}
					leaver, old2, leaver2, modern2 := old(), old(), modern(), modern()
					synctest.Wait()
					f := mcptest.Filter{Tools: true, URIs: []string{"test:a"}}
					first, two := leaver.Listen(f), old2.Listen(f)
					third, four := leaver2.Listen(mcptest.Filter{Tools: true, URIs: []string{"test:a", "test:b"}}), modern2.Listen(f)
					same(t, "with all", o.tells(), test.all)
					o.ResourceUpdated("test:a")
					o.ResourceUpdated("test:b")
					o.RemoveTool("a")
					hears(t, "the first", first, ofA, ofTools)
					hears(t, "the second", two, ofA, ofTools)
					hears(t, "the third", third, ofA, ofB, ofTools)
					hears(t, "the fourth", four, ofA, ofTools)
					if vanishes {
						leaver.Cut()
						leaver2.Cut()
					} else {
						first.Close()
						third.Close()
					}
					<-time.After(time.Minute)
					synctest.Wait()
					if test.upstream == mcptest.Modern || !vanishes {
						same(t, "with two", o.tells(), test.two)
					}
					o.ResourceUpdated("test:a")
					o.ResourceUpdated("test:b")
					hears(t, "the second", two, ofA)
					hears(t, "the fourth", four, ofA)
					two.Close()
					four.Close()
					// Who leaves before this is over ends a session, and with it what the server tells, which o does not see.
					<-time.After(time.Minute)
					synctest.Wait()
					if test.upstream == mcptest.Modern || !vanishes {
						same(t, "with none", o.tells(), test.none)
					}
					for _, c := range []*mcptest.Client{leaver, old2, leaver2, modern2} {
						c.Close()
					}
					<-time.After(time.Minute)
					synctest.Wait()
					if test.upstream == mcptest.Modern || !vanishes {
						same(t, "with no clients", o.tells(), test.gone)
					}
					_ = b.Close() // in the bubble
				})
			})
		}
	}
}

// TestFloodOfStreams: streams and sessions without number cost the server one subscription, and
// the last one is told like the first; a storm of changes is told together.
func TestFloodOfStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := observe()
		b, _ := bridging(t, o.Server, bridge.Options{})
		var streams []*mcptest.Stream
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 12 {
			c := mcptest.Dial(t, b.Server(), &mcptest.Options{Transport: mcptest.Stdio(), Revision: []string{"2025-11-25", "2026-07-28"}[i%2]})
			defer c.Close()
			for range []int{1, 60}[i%2] {
				all.Go(func() {
					s := c.Listen(mcptest.Filter{Tools: true, URIs: []string{"test:a"}})
					mu.Lock()
					defer mu.Unlock()
					streams = append(streams, s)
				})
			}
		}
		all.Wait()
		synctest.Wait()
		if got := o.tells(); got != "map[lists:1 test:a:1]" || o.times() > 2 {
			t.Errorf("the server tells of %s, and was asked %d times", got, o.times())
		}
		for i := range 2000 {
			o.AddTool(mcp.Tool{Name: fmt.Sprint("t", i)}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult(""), nil })
			o.ResourceUpdated("test:a")
		}
		<-time.After(time.Minute)
		synctest.Wait()
		for i, s := range streams {
			if told := len(s.Take()); told < 2 || told > 8 {
				t.Errorf("stream %d is told %d times of 4000 changes of two things", i, told)
			}
		}
		_ = b.Close() // in the bubble
	})
}

// TestManySubscriptions: who subscribes to hundreds of resources one by one, and others that are
// refused, leaves the server with a few subscriptions, which have what is wanted and nothing else.
func TestManySubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := observe()
		b, _ := bridging(t, o.Server, bridge.Options{})
		c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: "2025-11-25", Transport: mcptest.Stdio()})
		var all sync.WaitGroup
		uri := func(i int) string { return fmt.Sprintf("many:%d", i) }
		for i := range 400 {
			all.Go(func() {
				if r := c.Request("resources/subscribe", `{"uri":"`+uri(i)+`"}`); r.Error != nil {
					t.Errorf("%s: %s", uri(i), r)
				}
				if r := c.Request("resources/subscribe", `{"uri":"none:`+uri(i)+`"}`); r.Code() != -32002 {
					t.Errorf("none:%s: %s", uri(i), r)
				}
			})
		}
		all.Wait()
		<-time.After(time.Minute)
		synctest.Wait()
		o.mu.Lock()
		if open := len(o.stops); open > 20 || len(o.open) != 401 {
			t.Errorf("the server has %d subscriptions for %d things", open, len(o.open))
		}
		o.mu.Unlock()
		for i := range 400 {
			if i%200 != 0 {
				c.Request("resources/unsubscribe", `{"uri":"`+uri(i)+`"}`)
			}
		}
		<-time.After(time.Minute)
		synctest.Wait()
		same(t, "what is left", o.tells(), "map[lists:1 many:0:1 many:200:1]")
		c.Close()
		_ = b.Close() // in the bubble
	})
}
