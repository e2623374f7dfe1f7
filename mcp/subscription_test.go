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

// station is an exchange at which changes are told by hand.
type station struct {
	talker
	wanted  *mcp.Filter
	tell    func(mcp.Change)
	agrees  chan struct{} // nil: at once
	refuses error

	once   sync.Once
	ended  chan struct{}
	err    error
	closes int
}

func newStation(revision string) *station {
	s := &station{ended: make(chan struct{})}
	s.form, s.listen = form(revision), s.agree
	return s
}

func (s *station) agree(ctx context.Context, wanted *mcp.Filter, tell func(mcp.Change)) (mcp.Listening, error) {
	s.wanted, s.tell = wanted, tell
	if s.refuses != nil {
		return nil, s.refuses
	}
	if s.agrees != nil {
		select {
		case <-s.agrees:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	context.AfterFunc(ctx, func() { s.end(ctx.Err()) })
	return (*heard)(s), nil
}

func (s *station) end(err error) {
	s.once.Do(func() {
		s.err = err
		close(s.ended)
	})
}

// heard is a station as its listener sees it.
type heard station

func (h *heard) Honoured() mcp.Filter  { return mcp.Filter{ToolsListChanged: h.wanted.ToolsListChanged} }
func (h *heard) Done() <-chan struct{} { return h.ended }

func (h *heard) Err() error {
	select {
	case <-h.ended:
		return h.err
	default:
		return nil
	}
}

func (h *heard) Close() error {
	h.closes++
	(*station)(h).end(nil)
	return nil
}

// everyChange asks for all that there is.
var everyChange = &mcp.Filter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true, ResourceSubscriptions: []string{"a:b"}}

// listens makes a subscription, and fails the test if there is none.
func listens(t *testing.T, s *station, ctx context.Context, wanted *mcp.Filter) *mcp.Subscription {
	t.Helper()
	sub, err := talks(nil, &s.talker).Listen(ctx, wanted)
	if err != nil {
		t.Fatal(err)
	}
	return sub
}

// updated is the change of a resource.
func updated(uri string) mcp.Change { return mcp.Change{Kind: mcp.ResourceUpdated, URI: uri} }

// heardBy are the changes of a subscription that has ended, in one line.
func heardBy(sub *mcp.Subscription) string {
	var all []string
	for change := range sub.All() {
		name := strings.TrimSuffix(strings.TrimPrefix(string(change.Kind), "notifications/"), "/list_changed")
		all = append(all, strings.TrimPrefix(name+" "+change.URI, "resources/updated "))
	}
	return strings.Join(all, ",")
}

// TestListenChanges: what is told while nobody looks waits in its order, once each, and what
// was not asked for is left out.
func TestListenChanges(t *testing.T) {
	lists := []mcp.Change{{Kind: mcp.ToolsListChanged}, {Kind: mcp.PromptsListChanged}, {Kind: mcp.ResourcesListChanged}}
	tests := []struct {
		name   string
		wanted *mcp.Filter
		told   []mcp.Change
		want   string
	}{
		{"nothing", everyChange, nil, ""},
		{"all kinds", everyChange, append(slices.Clone(lists), updated("a:b")), "tools ,prompts ,resources ,a:b"},
		{"in order", everyChange, []mcp.Change{updated("a:b"), lists[2], lists[0]}, "a:b,resources ,tools "},
		{"once each", everyChange, []mcp.Change{lists[0], updated("a:b"), lists[0], updated("a:b"), lists[0]}, "tools ,a:b"},
		{"one below", everyChange, []mcp.Change{updated("a:b/c")}, "a:b/c"},
		{"all resources", everyChange, []mcp.Change{updated("a:b"), lists[0], updated(""), updated("a:c")}, "tools ,"},
		{"the lists alone", nil, append(slices.Clone(lists), updated("a:b")), "tools ,prompts ,resources "},
		{"tools alone", &mcp.Filter{ToolsListChanged: true}, append(slices.Clone(lists), updated("a:b")), "tools "},
		{"a resource alone", &mcp.Filter{ResourceSubscriptions: []string{"a:b"}}, append(slices.Clone(lists), updated("a:b")), "a:b"},
		{"another kind", everyChange, []mcp.Change{{Kind: "notifications/x"}}, ""},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			s := newStation(f.Revision)
			sub := listens(t, s, context.Background(), test.wanted)
			for _, change := range test.told {
				s.tell(change)
			}
			s.end(nil)
			same(t, test.name, heardBy(sub), test.want)
			if err := errors.Join(sub.Err(), sub.Close()); err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
		}
	})
}

// TestListenAgain: what is taken is told again when it changes again, also while the one who
// looks is busy with it.
func TestListenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStation("2026-07-28")
		sub := listens(t, s, context.Background(), everyChange)
		got := 0
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for change := range sub.All() {
				if got++; got == 2 {
					s.tell(change)
				}
			}
		}()
		for range 3 {
			s.tell(updated("a:b"))
			synctest.Wait()
		}
		if got != 4 { // one each, and one more while the second was looked at
			t.Errorf("got %d changes, want 4", got)
		}
		if err := sub.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	})
}

// TestListenMany: whoever does not look costs a bounded amount, and the one who tells never
// waits; then there is one change of all resources.
func TestListenMany(t *testing.T) {
	tests := []struct {
		name       string
		count, pad int
		want       string
	}{
		{"as many as wait", 4096, 0, "4096"},
		{"one more", 4097, 0, "tools ,"},
		{"many more", 20_000, 0, "tools ,"},
		{"few that are long", 20, 100 << 10, "tools ,"},
	}
	for _, test := range tests {
		s := newStation("2026-07-28")
		sub := listens(t, s, context.Background(), everyChange)
		if test.count > 4096 || test.pad > 0 {
			s.tell(mcp.Change{Kind: mcp.ToolsListChanged})
		}
		for i := range test.count {
			s.tell(updated(fmt.Sprintf("a:%d%s", i, strings.Repeat("x", test.pad))))
		}
		s.end(nil)
		got := heardBy(sub)
		if strings.Count(got, ",") > 1 {
			got = fmt.Sprint(1 + strings.Count(got, ","))
		}
		same(t, test.name, got, test.want)
		s.tell(updated("a:b"))
		same(t, test.name+", behind it", heardBy(sub), "a:b")
	}
}

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

// BenchmarkListen is a change from the exchange to the one who looks.
func BenchmarkListen(b *testing.B) {
	s := newStation("2026-07-28")
	sub, err := talks(nil, &s.talker).Listen(context.Background(), everyChange)
	if err != nil {
		b.Fatal(err)
	}
	defer sub.Close()
	b.ReportAllocs()
	for b.Loop() {
		s.tell(updated("a:b"))
		for range sub.All() {
			break
		}
	}
}
