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

// TestListenKeepsFilter: who changes the filter afterwards changes nothing that was asked for.
func TestListenKeepsFilter(t *testing.T) {
	wanted := &mcp.Filter{ToolsListChanged: true, ResourceSubscriptions: []string{"a:b"}}
	s := newStation("2026-07-28")
	sub := listens(t, s, context.Background(), wanted)
	defer sub.Close()
	wanted.ToolsListChanged, wanted.ResourceSubscriptions[0] = false, "a:c"
	same(t, "asked for", fmt.Sprint(*s.wanted), "{true false false [a:b]}")
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
