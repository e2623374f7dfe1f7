package legacy_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// TestSubscribeGivenUp: of a subscribe whose Listen was given up before the answer nothing is left
// at the server, whenever that answers, unless somebody else wants the same.
func TestSubscribeGivenUp(t *testing.T) {
	const subscribe, unsubscribe = `resources/subscribe {"uri":"a:b"}`, `resources/unsubscribe {"uri":"a:b"}`
	tests := []struct {
		name   string
		after  time.Duration // that the first answer takes
		answer error
		others int // who want the same, and stay
		later  time.Duration
		want   []string
	}{
		{"answered late", 5 * time.Second, nil, 0, 0, []string{subscribe, unsubscribe}},
		{"refused late", 5 * time.Second, jsonrpc.Errorf(-32002, "Unknown resource"), 0, 0, []string{subscribe}},
		{"answered much too late", time.Hour, nil, 0, 0, []string{subscribe, unsubscribe}},
		{"wanted by another one", 5 * time.Second, nil, 1, 0, []string{subscribe}},
		{"wanted by another one while it is awaited", 5 * time.Second, nil, 1, time.Second, []string{subscribe}},
		{"wanted by several", 5 * time.Second, nil, 3, 0, []string{subscribe}},
		{"wanted by another one, and not answered", time.Hour, nil, 1, 0, []string{subscribe, subscribe}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, after := serve(declaresAll), test.after
				l.onlyFor("resources/subscribe", func(ctx context.Context, _ string) (string, error) {
					wait := after
					after = 0
					select {
					case <-time.After(wait):
						return `{}`, test.answer
					case <-ctx.Done():
						return "", ctx.Err()
					}
				})
				x := connect(t, l, nil, "")
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				if _, err := x.Listen(ctx, &mcp.Filter{ResourceSubscriptions: []string{"a:b"}}, func(mcp.Change) {}); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
					t.Errorf("Listen: %v after %v", err, time.Since(began))
				}
				<-time.After(test.later)
				for range test.others {
					same(t, "honoured", fmt.Sprint(listen(t, x, uris("a:b")).Honoured()), "{false false false [a:b]}")
				}
				<-time.After(time.Minute)
				synctest.Wait()
				lines(t, "sent", l.sent(), test.want...)
				x.Close() // in the bubble
			})
		})
	}
}

// TestManyGivenUp: a Listen that is given up asks for nothing more, however many uris it has left.
func TestManyGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := serve(declaresAll)
		l.onlyFor("resources/subscribe", func(ctx context.Context, _ string) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		x := connect(t, l, nil, "")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var many []string
		for i := range 512 {
			many = append(many, fmt.Sprintf("a:%d", i))
		}
		if _, err := x.Listen(ctx, &mcp.Filter{ResourceSubscriptions: many}, func(mcp.Change) {}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Listen: %v", err)
		}
		synctest.Wait()
		if n := len(l.sent()); n != 8 {
			t.Errorf("%d subscribes were sent, want the 8 that may be under way at once", n)
		}
		<-time.After(time.Minute)
		x.Close() // in the bubble
	})
}

// TestRefusedWhenGivenUp: who has given up a subscribe that the server then refuses is nobody who
// listens when it tells of the resource later.
func TestRefusedWhenGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const subscribe, unsubscribe = `resources/subscribe {"uri":"a:b"}`, `resources/unsubscribe {"uri":"a:b"}`
		l, asked := serve(declaresAll), 0
		l.onlyFor("resources/subscribe", func(context.Context, string) (string, error) {
			if asked++; asked > 1 {
				return `{}`, nil
			}
			<-time.After(5 * time.Second)
			return "", jsonrpc.Errorf(-32002, "Unknown resource")
		})
		x := connect(t, l, nil, "")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := x.Listen(ctx, &mcp.Filter{ResourceSubscriptions: []string{"a:b"}}, func(mcp.Change) {}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Listen: %v", err)
		}
		<-time.After(time.Minute)
		listen(t, x, uris("a:b")).Close()
		synctest.Wait()
		lines(t, "sent", l.sent(), subscribe, subscribe, unsubscribe)
		x.Close() // in the bubble
	})
}

// TestLeftWhileRenewed: who leaves while a session is opened anew leaves nothing in that.
func TestLeftWhileRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveForgetful(declaresAll)
		renewing, goOn := make(chan struct{}, 2), make(chan struct{})
		s.onlyFor("resources/subscribe", func(context.Context, string) (string, error) {
			s.mu.Lock()
			again := s.sessions == 2
			s.mu.Unlock()
			if again {
				renewing <- struct{}{}
				<-goOn
			}
			return `{}`, nil
		})
		x := connect(t, s.link, nil, "")
		one, other := listen(t, x, uris("a:b", "c:d")), listen(t, x, uris("c:d"))
		s.forget()
		pinged := make(chan error, 1)
		go func() { pinged <- x.Ping(t.Context()) }()
		<-renewing
		<-renewing
		one.Close()
		synctest.Wait()
		close(goOn)
		if err := <-pinged; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		sent := s.sent()[3:]
		slices.Sort(sent)
		lines(t, "sent", sent, "ping", `resources/subscribe {"uri":"a:b"}`, `resources/subscribe {"uri":"c:d"}`, `resources/unsubscribe {"uri":"a:b"}`)
		lines(t, "the other one", other.heard(), "resources/updated c:d")
		x.Close() // in the bubble
	})
}

// TestRefusedWhileListening: what a new session refuses is not honoured, though the one before it had
// agreed while Listen was under way.
func TestRefusedWhileListening(t *testing.T) {
	s := serveForgetful(declaresAll)
	agreed, forgot := make(chan struct{}), make(chan struct{})
	s.onlyFor("resources/subscribe", func(_ context.Context, params string) (string, error) {
		s.mu.Lock()
		first := s.sessions == 1
		s.mu.Unlock()
		switch {
		case first && strings.Contains(params, "c:d"):
			<-forgot
			return "", mcp.ErrSessionEnded
		case first:
			close(agreed)
		case strings.Contains(params, "a:b"):
			return "", jsonrpc.Errorf(-32002, "Unknown resource")
		}
		return `{}`, nil
	})
	x := connect(t, s.link, nil, "")
	go func() {
		<-agreed
		listen(t, x, uris("a:b")) // so it is noted
		s.forget()
		close(forgot)
	}()
	n := listen(t, x, uris("a:b", "c:d"))
	same(t, "honoured", fmt.Sprint(n.Honoured()), "{false false false [c:d]}")
	n.Close()
	s.wait(t, "it to be given up", func() bool { return slices.Contains(s.sent(), `resources/unsubscribe {"uri":"c:d"}`) })
	if slices.Contains(s.sent(), `resources/unsubscribe {"uri":"a:b"}`) {
		t.Error("what is not subscribed to is given up")
	}
}

// TestComesWhileLeft: who wants a uri that the server is just being told nobody wants has to wait
// for that, though another one who came meanwhile has given up.
func TestComesWhileLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := serve(declaresAll)
		l.onlyFor("resources/unsubscribe", func(context.Context, string) (string, error) {
			<-time.After(5 * time.Second)
			return `{}`, nil
		})
		x := connect(t, l, nil, "")
		listen(t, x, uris("a:b")).Close()
		synctest.Wait()
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := x.Listen(ctx, &mcp.Filter{ResourceSubscriptions: []string{"a:b"}}, func(mcp.Change) {}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Listen: %v", err)
		}
		n := listen(t, x, uris("a:b"))
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("it has waited for %v", took)
		}
		lines(t, "sent", l.sent(), `resources/subscribe {"uri":"a:b"}`, `resources/unsubscribe {"uri":"a:b"}`, `resources/subscribe {"uri":"a:b"}`)
		n.Close()
		<-time.After(time.Minute)
		lines(t, "at the end", l.sent()[3:], `resources/unsubscribe {"uri":"a:b"}`)
		x.Close() // in the bubble
	})
}

// slowly is a server of subscriptions that takes its time over each request, whatever becomes of
// who has made it.
type slowly struct {
	mu   sync.Mutex
	n    int
	said map[string]bool
}

func (s *slowly) change(params string, on bool) (string, error) {
	s.mu.Lock()
	s.n++
	pause := time.Duration(s.n*7%13) * time.Millisecond
	s.mu.Unlock()
	<-time.After(pause)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.said[params] = on; !on {
		delete(s.said, params)
	}
	return `{}`, nil
}

// TestGivenUpInTurmoil: of listeners that come, give up at any moment and leave, each that is
// there has its uri subscribed to, and at the end nothing is.
func TestGivenUpInTurmoil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, s := serve(declaresAll), &slowly{said: map[string]bool{}}
		l.onlyFor("resources/subscribe", func(_ context.Context, params string) (string, error) { return s.change(params, true) })
		l.onlyFor("resources/unsubscribe", func(_ context.Context, params string) (string, error) { return s.change(params, false) })
		x := connect(t, l, nil, "")
		var all sync.WaitGroup
		for i := range 40 {
			all.Go(func() {
				for j := range 20 {
					uri := fmt.Sprintf("a:%d", (i+j)%4)
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration((i*j)%30)*time.Millisecond)
					n, err := x.Listen(ctx, &mcp.Filter{ResourceSubscriptions: []string{uri, "a:all"}}, func(mcp.Change) {})
					if err == nil {
						s.mu.Lock()
						if ctx.Err() == nil && (!s.said[`{"uri":"`+uri+`"}`] || !s.said[`{"uri":"a:all"}`]) {
							t.Errorf("%s is listened for and not subscribed to", uri)
						}
						s.mu.Unlock()
						n.Close()
					}
					cancel()
				}
			})
		}
		all.Wait()
		<-time.After(time.Minute)
		synctest.Wait()
		if len(s.said) > 0 {
			t.Errorf("left behind: %s", strings.Join(slices.Sorted(maps.Keys(s.said)), " "))
		}
		x.Close() // in the bubble
	})
}
