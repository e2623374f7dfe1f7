package legacy_test

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

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// listener is one that keeps what it is told.
type listener struct {
	mcp.Listening
	told chan string
}

func listen(t *testing.T, x *legacy.Client, f mcp.Filter) *listener {
	t.Helper()
	return listenUntil(t, t.Context(), x, f)
}

func listenUntil(t *testing.T, ctx context.Context, x *legacy.Client, f mcp.Filter) *listener {
	t.Helper()
	n := &listener{told: make(chan string, 100)}
	var err error
	n.Listening, err = x.Listen(ctx, &f, func(c mcp.Change) { n.told <- strings.TrimRight(fmt.Sprintf("%s %s", c.Kind, c.URI), " ") })
	if err != nil {
		t.Fatalf("Listen: %v", err)
	}
	return n
}

// heard is what it has been told so far.
func (n *listener) heard() []string {
	var told []string
	for len(n.told) > 0 {
		told = append(told, strings.TrimPrefix(<-n.told, "notifications/"))
	}
	return told
}

// over waits for the end and returns the error.
func (n *listener) over(t *testing.T) error {
	t.Helper()
	select {
	case <-n.Done():
		return n.Err()
	case <-time.After(10 * time.Second):
		t.Fatal("the listening does not end")
		return nil
	}
}

// uris is a filter for resources.
func uris(of ...string) mcp.Filter { return mcp.Filter{ResourceSubscriptions: of} }

// lists is a filter for all lists.
func lists() mcp.Filter {
	return mcp.Filter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true}
}

// TestHonoured is what of a filter the server's capabilities promise.
func TestHonoured(t *testing.T) {
	f := lists()
	f.ResourceSubscriptions = []string{"a:b", "c:d", "a:b"}
	const none = "{false false false []}"
	tests := []struct{ name, capabilities, want string }{
		{"everything", declaresAll, "{true true true [a:b c:d]}"},
		{"nothing", `{}`, none},
		{"without telling", `{"tools":{},"prompts":{"listChanged":false},"resources":{}}`, none},
		{"tools", `{"tools":{"listChanged":true}}`, "{true false false []}"},
		{"prompts", `{"prompts":{"listChanged":true}}`, "{false true false []}"},
		{"resources", `{"resources":{"listChanged":true}}`, "{false false true []}"},
		{"subscriptions", `{"resources":{"subscribe":true}}`, "{false false false [a:b c:d]}"},
	}
	for _, version := range versions {
		for _, test := range tests {
			l := serve(test.capabilities)
			x := connect(t, l, nil, version)
			n := listen(t, x, f)
			same(t, version+" "+test.name, fmt.Sprint(n.Honoured()), test.want)
			sent := l.sent()
			slices.Sort(sent)
			var want []string
			for _, uri := range n.Honoured().ResourceSubscriptions {
				want = append(want, `resources/subscribe {"uri":"`+uri+`"}`)
			}
			lines(t, version+" "+test.name, sent, want...)
			nothing := listen(t, x, mcp.Filter{})
			same(t, "an empty filter", fmt.Sprint(nothing.Honoured()), none)
		}
	}
}

// TestListening: each is told what it has asked for, in order, and nothing once it is
// closed. The client's options are told of each change once.
func TestListening(t *testing.T) {
	o, h := hears(&mcp.ClientOptions{})
	x := connect(t, serve(declaresAll), o, "")
	all, tools, nested := listen(t, x, lists()), listen(t, x, mcp.Filter{ToolsListChanged: true}), listen(t, x, uris("a:/b", "a:/c/"))
	changes := []string{"tools/list_changed", "resources/list_changed", "prompts/list_changed", "tools/list_changed"}
	for _, change := range changes {
		tell(t, x, "notifications/"+change, "")
	}
	for _, uri := range []string{"a:/b", "a:/b/x", "a:/b?q", "a:/b#f", "a:/bc", "a:/c/", "a:/c/y", "a:/c", "a:/", ""} {
		tell(t, x, "notifications/resources/updated", `{"uri":"`+uri+`"}`)
	}
	lines(t, "lists", all.heard(), changes...)
	lines(t, "tools", tools.heard(), "tools/list_changed", "tools/list_changed")
	lines(t, "resources", nested.heard(), "resources/updated a:/b", "resources/updated a:/b/x", "resources/updated a:/b?q",
		"resources/updated a:/b#f", "resources/updated a:/c/", "resources/updated a:/c/y")
	if err := tools.Close(); err != nil {
		t.Error(err)
	}
	if err := tools.over(t); err != nil {
		t.Errorf("Err after Close: %v", err)
	}
	tell(t, x, "notifications/tools/list_changed", "")
	lines(t, "lists", all.heard(), "tools/list_changed")
	lines(t, "closed", tools.heard())
	for range len(changes) + 10 + 1 {
		if got := h.next(t); !strings.HasPrefix(got, "changed ") {
			t.Errorf("got %s", got)
		}
	}
	tell(t, x, "the/end", "")
	same(t, "nothing else", h.next(t), "notice the/end")
}

// TestUnpromised: a list that a server tells of without having promised to is told of.
func TestUnpromised(t *testing.T) {
	x := connect(t, serve(`{"tools":{}}`), nil, "")
	n := listen(t, x, mcp.Filter{ToolsListChanged: true})
	tell(t, x, "notifications/tools/list_changed", "")
	lines(t, "told", n.heard(), "tools/list_changed")
}

// TestSubscriptionsAreCounted: the first who wants a uri subscribes, the last unsubscribes.
func TestSubscriptionsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := serve(declaresAll)
		x := connect(t, l, nil, "")
		one, other := listen(t, x, uris("a:b")), listen(t, x, uris("a:b", "c:d"))
		lines(t, "subscribed", l.sent(), `resources/subscribe {"uri":"a:b"}`, `resources/subscribe {"uri":"c:d"}`)
		one.Close()
		synctest.Wait()
		lines(t, "given up while one is left", l.sent()[2:])
		tell(t, x, "notifications/resources/updated", `{"uri":"a:b"}`)
		lines(t, "the one that is left", other.heard(), "resources/updated a:b")
		other.Close()
		synctest.Wait()
		given := l.sent()[2:]
		slices.Sort(given)
		lines(t, "given up", given, `resources/unsubscribe {"uri":"a:b"}`, `resources/unsubscribe {"uri":"c:d"}`)
		again := listen(t, x, uris("a:b"))
		lines(t, "again", l.sent()[4:], `resources/subscribe {"uri":"a:b"}`)
		again.Close()
		synctest.Wait()
		// Quiet: the server may go on with it, for all that this client cares.
		lines(t, "given up again", l.lines[len(l.lines)-1:], `quiet 2025-11-25 resources/unsubscribe {"uri":"a:b"}`)
	})
}

// TestSubscribeRefused: what the server refuses is not honoured, and can be tried again.
func TestSubscribeRefused(t *testing.T) {
	l := serve(declaresAll)
	l.onlyFor("resources/subscribe", func(_ context.Context, params string) (string, error) {
		switch {
		case strings.Contains(params, "bad:1"):
			return "", jsonrpc.Errorf(-32002, "Unknown resource")
		case strings.Contains(params, "bad:2"):
			return "", &jsonrpc.BrokenResponse{Reason: "it is none"}
		}
		return `{}`, nil
	})
	x := connect(t, l, nil, "")
	for range 2 {
		n := listen(t, x, uris("bad:1", "a:b", "bad:2"))
		same(t, "honoured", fmt.Sprint(n.Honoured()), "{false false false [a:b]}")
	}
	sent := l.sent()
	slices.Sort(sent)
	lines(t, "sent", sent, `resources/subscribe {"uri":"a:b"}`, `resources/subscribe {"uri":"bad:1"}`,
		`resources/subscribe {"uri":"bad:1"}`, `resources/subscribe {"uri":"bad:2"}`, `resources/subscribe {"uri":"bad:2"}`)
}

// TestListenGivenUp: a Listen whose context ends leaves nothing subscribed, and does not
// spoil it for others who want the same.
func TestListenGivenUp(t *testing.T) {
	l := serve(declaresAll)
	ctx, cancel := context.WithCancel(t.Context())
	var x *legacy.Client
	first := true
	l.onlyFor("resources/subscribe", func(callCtx context.Context, params string) (string, error) {
		if strings.Contains(params, "slow") && first {
			first = false
			listen(t, x, uris("a:b")).Close() // so the other one is subscribed to
			cancel()
			<-callCtx.Done()
			return "", callCtx.Err()
		}
		return `{}`, nil
	})
	x = connect(t, l, nil, "")
	if _, err := x.Listen(ctx, &mcp.Filter{ResourceSubscriptions: []string{"slow:1", "a:b"}}, func(mcp.Change) { t.Error("told") }); !errors.Is(err, context.Canceled) {
		t.Errorf("Listen: %v", err)
	}
	l.wait(t, "the other one to be given up", func() bool { return slices.Contains(l.sent(), `resources/unsubscribe {"uri":"a:b"}`) })
	tell(t, x, "notifications/resources/updated", `{"uri":"a:b"}`)
	n := listen(t, x, uris("slow:1"))
	same(t, "honoured", fmt.Sprint(n.Honoured()), "{false false false [slow:1]}")
}

// TestListeningEnds with its context and with the client, in order.
func TestListeningEnds(t *testing.T) {
	l := serve(declaresAll)
	x := connect(t, l, nil, "")
	ctx, cancel := context.WithCancel(t.Context())
	one, other := listenUntil(t, ctx, x, uris("a:b")), listen(t, x, lists())
	if one.Err() != nil || other.Err() != nil {
		t.Error("Err is not nil before the end")
	}
	cancel()
	if err := one.over(t); err != nil {
		t.Errorf("the end of the context: %v", err)
	}
	l.wait(t, "it to be given up", func() bool { return slices.Contains(l.sent(), `resources/unsubscribe {"uri":"a:b"}`) })
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if err := other.over(t); err != nil {
		t.Errorf("the end of the client: %v", err)
	}
	if _, err := x.Listen(t.Context(), &mcp.Filter{}, func(mcp.Change) {}); !errors.Is(err, mcp.ErrLinkClosed) {
		t.Errorf("Listen after Close: %v", err)
	}
}

// TestCloseDoesNotWait for a server that never agrees to unsubscribe.
func TestCloseDoesNotWait(t *testing.T) {
	l := serve(declaresAll)
	l.onlyFor("resources/unsubscribe", func(ctx context.Context, _ string) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	x := connect(t, l, nil, "")
	n := listen(t, x, uris("a:b"))
	n.Close()
	l.wait(t, "it to be given up", func() bool { return len(l.sent()) == 2 })
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// TestListenersInTurmoil: whoever listens for a uri has it subscribed to, and at the end
// nothing is.
func TestListenersInTurmoil(t *testing.T) {
	l := serve(declaresAll)
	var mu sync.Mutex
	said := map[string]bool{}
	l.onlyFor("resources/subscribe", func(_ context.Context, params string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		said[params] = true
		return `{}`, nil
	})
	l.onlyFor("resources/unsubscribe", func(_ context.Context, params string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		delete(said, params)
		return `{}`, nil
	})
	x := connect(t, l, nil, "")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 50 {
				uri := fmt.Sprintf("a:%d", (i+j)%3)
				n, err := x.Listen(t.Context(), &mcp.Filter{ResourceSubscriptions: []string{uri}}, func(mcp.Change) {})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if !said[`{"uri":"`+uri+`"}`] {
					t.Errorf("%s is listened for and not subscribed to", uri)
				}
				mu.Unlock()
				n.Close()
			}
		})
	}
	all.Wait()
	n := listen(t, x, uris("last:one"))
	defer n.Close()
	l.wait(t, "the rest to be given up", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(said) == 1
	})
}
