package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/mcp"
)

// ear delivers what a listener hears.
type ear struct {
	*mcp.Listener
	stop context.CancelFunc
	done chan error

	mu    sync.Mutex
	heard []string
	gate  chan struct{} // not nil: to hear one change more takes a value
}

// hear listens to s. It lives in a synctest bubble, and the test must call end.
func hear(s *mcp.Server, f mcp.Filter) *ear {
	ctx, stop := context.WithCancel(context.Background())
	e := &ear{Listener: s.Listen(f), stop: stop, done: make(chan error, 1)}
	go func() { e.done <- e.Deliver(ctx, nil, e.note) }()
	return e
}

func (e *ear) note(c mcp.Change) error {
	if e.gate != nil {
		<-e.gate
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, strings.TrimSuffix(strings.TrimPrefix(string(c.Kind), "notifications/")+" "+c.URI, " "))
	return nil
}

// take returns what was heard since the last take, once time has passed.
func (e *ear) take() []string {
	<-time.After(time.Second)
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	heard := e.heard
	e.heard = nil
	return heard
}

func (e *ear) end(t *testing.T) {
	t.Helper()
	e.Close()
	e.stop()
	if err := <-e.done; !errors.Is(err, context.Canceled) {
		t.Errorf("Deliver returned %v, want %v", err, context.Canceled)
	}
}

func sameList(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: heard %q, want %q", what, got, want)
	}
}

// While send waits, changes gather, each once, and lists come before resources.
// Nothing that happens meanwhile is lost, and nothing costs more than once.
func TestListenerGathers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := quiet(mcp.ServerOptions{})
		e := hear(s, mcp.Filter{ToolsListChanged: true, PromptsListChanged: true, ResourceSubscriptions: []string{"a:1", "a:2", "a:3"}})
		e.gate = make(chan struct{})
		s.ResourceUpdated("a:1")
		synctest.Wait() // it is being told
		for range 1000 {
			s.ResourceUpdated("a:2")
			s.ResourceUpdated("a:1")
			s.ResourceUpdated("a:4")
			s.AddTool(mcp.Tool{Name: "t"}, answering(nil, nil))
			s.RemoveTool("t")
		}
		close(e.gate)
		sameList(t, "after a burst", e.take(), "resources/updated a:1", "tools/list_changed", "resources/updated a:2", "resources/updated a:1")
		s.ResourceUpdated("a:3")
		sameList(t, "later", e.take(), "resources/updated a:3")
		e.end(t)
	})
}

// What is told of can be seen: a client that looks at once sees the change.
func TestChangeIsThereWhenItIsTold(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	f := form("2026-07-28")
	l := s.Listen(mcp.Filter{ToolsListChanged: true})
	defer l.Close()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for i := range 50 {
			s.AddTool(mcp.Tool{Name: fmt.Sprintf("t%02d", i)}, answering(nil, nil))
		}
	}()
	told := 0
	err := l.Deliver(ctx, nil, func(mcp.Change) error {
		told++
		if list := ask(t, s, f, "tools/list", "{}"); strings.Contains(list, `"t49"`) {
			stop() // the last change was told after it had happened
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Deliver returned %v", err)
	}
}

// The end of a connection hands over what has changed; the end of the context does not.
func TestDeliverEnds(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name    string
		pause   bool // something has been told just before
		ctx     bool // the context ends, and not the connection
		send    error
		want    error
		further int
	}{
		{"the connection", false, false, nil, nil, 1},
		{"the connection, while it rests", true, false, nil, nil, 1},
		{"the context", false, true, nil, context.Canceled, 0},
		{"the context, while it rests", true, true, nil, context.Canceled, 0},
		{"the client", false, false, broken, broken, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := quiet(mcp.ServerOptions{})
				l := s.Listen(mcp.Filter{ResourceSubscriptions: []string{"a:1"}})
				defer l.Close()
				ctx, stop := context.WithCancel(context.Background())
				ending := make(chan struct{})
				told, done := 0, make(chan error, 1)
				deliver := func() {
					done <- l.Deliver(ctx, ending, func(mcp.Change) error { told++; return tt.send })
				}
				if tt.pause {
					go deliver()
					s.ResourceUpdated("a:1")
					synctest.Wait()
					told = 0
				}
				s.ResourceUpdated("a:1")
				if tt.ctx {
					stop()
				} else {
					close(ending)
				}
				if !tt.pause {
					go deliver()
				}
				if err := <-done; !errors.Is(err, tt.want) {
					t.Errorf("Deliver returned %v, want %v", err, tt.want)
				}
				if told != tt.further {
					t.Errorf("%d changes were told, want %d", told, tt.further)
				}
				stop()
			})
		})
	}
}

// Subscribe and Unsubscribe count uris, not calls, and mean nothing after Close.
func TestListenerSubscribe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := quiet(mcp.ServerOptions{})
		e := hear(s, mcp.Filter{ToolsListChanged: true})
		for i, want := range []bool{true, true, false} {
			if got := e.Subscribe(fmt.Sprint("a:", i), 2); got != want {
				t.Errorf("Subscribe number %d of 2: %v, want %v", i+1, got, want)
			}
		}
		if !e.Subscribe("a:0", 2) {
			t.Error("a uri that is there was refused")
		}
		e.Unsubscribe("a:2")
		s.ResourceUpdated("a:0")
		s.ResourceUpdated("a:2")
		sameList(t, "subscribed", e.take(), "resources/updated a:0")
		e.gate = make(chan struct{})
		s.ResourceUpdated("a:1")
		synctest.Wait()
		s.ResourceUpdated("a:0")
		e.Unsubscribe("a:0")
		close(e.gate)
		sameList(t, "given up before it was told", e.take(), "resources/updated a:1")
		e.Close()
		e.Subscribe("a:1", 2)
		s.ResourceUpdated("a:1")
		s.AddTool(mcp.Tool{Name: "t"}, answering(nil, nil))
		sameList(t, "after Close", e.take())
		e.end(t)
	})
}

// party is a [mcp.Bus] within a process: what one server publishes reaches all a while
// later, the publisher included.
type party struct {
	mu        sync.Mutex
	guests    []func(mcp.Change)
	published []mcp.Change
}

func (p *party) Subscribe(deliver func(mcp.Change)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.guests = append(p.guests, deliver)
}

func (p *party) Publish(c mcp.Change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.published = append(p.published, c)
	for _, deliver := range p.guests {
		time.AfterFunc(100*time.Millisecond, func() { deliver(c) })
	}
}

// A change at one replica is heard at the others, and once at its own.
func TestBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := &party{}
		o := mcp.ServerOptions{Bus: bus}
		one, two, still := quiet(o), quiet(o), quiet(mcp.ServerOptions{Bus: bus, Static: true})
		all := mcp.Filter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true, ResourceSubscriptions: []string{"a:1"}}
		at, there, nowhere := hear(one, all), hear(two, all), hear(still, all)
		one.AddTool(mcp.Tool{Name: "t"}, answering(nil, nil))
		sameList(t, "at the publisher", at.take(), "tools/list_changed")
		sameList(t, "at the other", there.take(), "tools/list_changed")
		two.ResourceUpdated("a:1")
		two.ResourceUpdated("a:2")
		sameList(t, "at the other", at.take(), "resources/updated a:1")
		sameList(t, "at the publisher", there.take(), "resources/updated a:1")
		bus.Publish(mcp.Change{Kind: mcp.PromptsListChanged}) // of the bus's own
		bus.Publish(mcp.Change{Kind: "notifications/unknown", Origin: "a server of a later version"})
		sameList(t, "from the bus", at.take(), "prompts/list_changed")
		bus.Publish(mcp.Change{Kind: mcp.ResourceUpdated}) // it has lost some
		sameList(t, "all resources", there.take(), "prompts/list_changed", "resources/updated a:1")
		at.take()
		still.AddTool(mcp.Tool{Name: "t"}, answering(nil, nil))
		sameList(t, "at a static server", nowhere.take())
		sameList(t, "from a static server", at.take())
		if n := len(bus.guests); n != 2 {
			t.Errorf("%d servers subscribed, want 2: a static one does not", n)
		}
		want := bus.published[0]
		if want.Origin == "" || want.Origin == bus.published[1].Origin {
			t.Errorf("the origins are %q and %q", want.Origin, bus.published[1].Origin)
		}
		for _, e := range []*ear{at, there, nowhere} {
			e.end(t)
		}
	})
}
