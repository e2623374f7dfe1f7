package httpmcp_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/httpmcp"
)

// appendTo appends and gives the id.
func appendTo(t *testing.T, store httpmcp.EventStore, session, stream, data string) string {
	t.Helper()
	id, err := store.Append(session, stream, []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// since is what comes behind an event, in short: the stream and the data.
func since(store httpmcp.EventStore, session, id string) string {
	stream, events, err := store.Since(session, id)
	if err != nil {
		if !errors.Is(err, httpmcp.ErrNoEvents) || stream != "" || events != nil {
			return fmt.Sprintf("%q, %v, %v", stream, events, err)
		}
		return "no events"
	}
	all := []string{stream}
	for _, e := range events {
		all = append(all, string(e.Data))
	}
	return strings.Join(all, " ")
}

func TestEventsSince(t *testing.T) {
	store := httpmcp.NewMemoryEvents(nil)
	primed := appendTo(t, store, "s", "get", "")
	a := appendTo(t, store, "s", "get", "a")
	other := appendTo(t, store, "s", "call-1", "other")
	b := appendTo(t, store, "s", "get", "b")
	c := appendTo(t, store, "s", "get", "c")
	foreign := appendTo(t, store, "s2", "get", "foreign")
	tests := []struct{ name, session, id, want string }{
		{"behind the first", "s", primed, "get a b c"},
		{"in the middle", "s", a, "get b c"},
		{"behind the newest", "s", c, "get"},
		{"another stream", "s", other, "call-1"},
		{"another session", "s2", foreign, "get"},
		{"an id of another session", "s", "get.6", "no events"},
		{"no such session", "s3", a, "no events"},
		{"no such stream", "s", "gone.1", "no events"},
		{"a number that another stream has", "s", "get.3", "no events"},
		{"a number to come", "s", "get.99", "no events"},
		{"written in another way", "s", "get.01", "no events"},
		{"signed", "s", "get.+1", "no events"},
		{"without a number", "s", "get", "no events"},
		{"empty", "s", "", "no events"},
		{"number too large", "s", "get.99999999999999999999", "no events"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := since(store, test.session, test.id); got != test.want {
				t.Errorf("since %q in %q: got %q, want %q", test.id, test.session, got, test.want)
			}
		})
	}
	_, events, err := store.Since("s", a)
	if err != nil || len(events) != 2 || events[0].ID != b || events[1].ID != c {
		t.Errorf("got %v, %v; want the ids %q and %q", events, err, b, c)
	}
}

func TestEventsDrop(t *testing.T) {
	store := httpmcp.NewMemoryEvents(nil)
	first := appendTo(t, store, "s", "get", "")
	call := appendTo(t, store, "s", "call", "")
	foreign := appendTo(t, store, "s2", "get", "")
	expect := func(when, session, id, want string) {
		t.Helper()
		if got := since(store, session, id); got != want {
			t.Errorf("%s: since %q in %q: got %q, want %q", when, id, session, got, want)
		}
	}
	store.Drop("s", "call")
	store.Drop("s", "call")
	store.Drop("s3", "")
	expect("stream dropped", "s", call, "no events")
	expect("stream dropped", "s", first, "get")
	store.Drop("s", "")
	expect("session dropped", "s", first, "no events")
	expect("session dropped", "s2", foreign, "get")
	if again := appendTo(t, store, "s", "get", ""); again == first {
		t.Errorf("the id %q came twice in a session", again)
	}
}

func TestEventsNames(t *testing.T) {
	store := httpmcp.NewMemoryEvents(nil)
	for _, test := range []struct{ session, stream string }{
		{"", "get"}, {"s", ""}, {"s", "a b"}, {"s", "a\n"}, {"s\n", "a"}, {"s", "é"}, {"s", "a.b"}, {"s", "a\x7f"},
	} {
		if id, err := store.Append(test.session, test.stream, nil); err == nil {
			t.Errorf("session %q, stream %q: got the id %q, want an error", test.session, test.stream, id)
		}
	}
	if id := appendTo(t, store, "!~", "!-~", ""); since(store, "!~", id) != "!-~" {
		t.Errorf("%q is not found", id)
	}
}

// What is too much goes, oldest first, and never without notice.
func TestEventsBounds(t *testing.T) {
	kb := strings.Repeat("x", 1000)
	tests := []struct {
		name string
		opts httpmcp.MemoryOptions
		run  func(t *testing.T, store httpmcp.EventStore) (got string)
		want string
	}{
		{"of a stream", httpmcp.MemoryOptions{MaxStream: 4000}, func(t *testing.T, store httpmcp.EventStore) string {
			quiet := appendTo(t, store, "s", "quiet", "q")
			ids := make([]string, 6)
			for n := range ids {
				ids[n] = appendTo(t, store, "s", "busy", kb)
			}
			return counts(store, "s", append(ids, quiet)...)
		}, "- - - 2 1 0 0"},
		{"of a session", httpmcp.MemoryOptions{MaxSession: 5000}, func(t *testing.T, store httpmcp.EventStore) string {
			other := appendTo(t, store, "s2", "other", "o")
			older := appendTo(t, store, "s2", "other", "o")
			ids := make([]string, 6)
			for n := range ids {
				ids[n] = appendTo(t, store, "s", fmt.Sprint("stream", n/3), kb)
			}
			return counts(store, "s", ids...) + " | " + counts(store, "s2", other, older)
		}, "- - 0 2 1 0 | 1 0"},
		{"of all", httpmcp.MemoryOptions{MaxTotal: 6000}, func(t *testing.T, store httpmcp.EventStore) string {
			old := appendTo(t, store, "old", "get", kb)
			newer := appendTo(t, store, "old", "get", kb)
			ids := make([]string, 4)
			for n := range ids {
				ids[n] = appendTo(t, store, "s", "get", kb)
			}
			return counts(store, "old", old, newer) + " | " + counts(store, "s", ids...)
		}, "- 0 | 3 2 1 0"},
		{"one that is too large", httpmcp.MemoryOptions{MaxStream: 4000}, func(t *testing.T, store httpmcp.EventStore) string {
			before := appendTo(t, store, "s", "get", "a")
			large := appendTo(t, store, "s", "get", strings.Repeat(kb, 5))
			behind := appendTo(t, store, "s", "get", "b")
			return counts(store, "s", before, large, behind)
		}, "- 1 0"},
		{"a quiet stream is remembered", httpmcp.MemoryOptions{MaxSession: 8000}, func(t *testing.T, store httpmcp.EventStore) string {
			quiet := appendTo(t, store, "s", "quiet", "q")
			for range 8 {
				appendTo(t, store, "s", "busy", kb)
			}
			return counts(store, "s", quiet)
		}, "0"},
		{"but not for ever", httpmcp.MemoryOptions{MaxTotal: 5000}, func(t *testing.T, store httpmcp.EventStore) string {
			quiet := appendTo(t, store, "s", "quiet", "q")
			for n := range 20 {
				appendTo(t, store, fmt.Sprint("s", n), "get", kb)
			}
			again := appendTo(t, store, "s", "quiet", "q")
			return counts(store, "s", quiet, again) + fmt.Sprint(" ", quiet == again)
		}, "- 0 false"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.run(t, httpmcp.NewMemoryEvents(&test.opts)); got != test.want {
				t.Errorf("events behind each: got %s, want %s", got, test.want)
			}
		})
	}
}

// counts says how many events are kept behind each of these, - for one that is not known.
func counts(store httpmcp.EventStore, session string, ids ...string) string {
	var all []string
	for _, id := range ids {
		_, events, err := store.Since(session, id)
		if err != nil {
			all = append(all, "-")
			continue
		}
		all = append(all, fmt.Sprint(len(events)))
	}
	return strings.Join(all, " ")
}

// The bound on all holds whatever is appended, and counts what the store itself needs.
func TestEventsMemory(t *testing.T) {
	const most = 2 << 20
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	tests := []struct {
		name             string
		sessions, stream int // how many of them the events are spread over
		size             int
		count            int
	}{
		{"one stream, small events", 1, 1, 20, 50_000},
		{"one event a stream", 1, 50_000, 0, 50_000},
		{"one stream a session", 50_000, 1, 20, 50_000},
		{"large events", 10, 10, 10_000, 1000},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := heap()
			store := httpmcp.NewMemoryEvents(&httpmcp.MemoryOptions{MaxStream: most, MaxSession: most, MaxTotal: most})
			data := make([]byte, test.size)
			for n := range test.count {
				session, stream := fmt.Sprintf("session-%016x", n%test.sessions), fmt.Sprintf("s%d", n%test.stream)
				if _, err := store.Append(session, stream, data); err != nil {
					t.Fatal(err)
				}
			}
			if grown := heap() - before; grown > most*5/4 {
				t.Errorf("%d bytes of heap under a bound of %d", grown, most)
			} else {
				t.Logf("%d bytes of heap under a bound of %d", grown, most)
			}
			for n := range test.sessions {
				store.Drop(fmt.Sprintf("session-%016x", n), "")
			}
			if grown := heap() - before; grown > most/2 {
				t.Errorf("%d bytes of heap when all is dropped", grown)
			}
			runtime.KeepAlive(store)
		})
	}
}

// Many sessions at once, each of which sees its own events, in order and with ids of their own.
func TestEventsTogether(t *testing.T) {
	store := httpmcp.NewMemoryEvents(nil)
	var all sync.WaitGroup
	for s := range 8 {
		all.Go(func() {
			session := fmt.Sprint("s", s)
			first, err := store.Append(session, "get", nil)
			seen := map[string]bool{first: true}
			for n := range 200 {
				var id string
				if id, err = store.Append(session, fmt.Sprint("call", n), nil); err != nil || seen[id] {
					t.Errorf("%s: id %q, seen %t, %v", session, id, seen[id], err)
				}
				seen[id] = true
				if id, err = store.Append(session, "get", fmt.Append(nil, n)); err != nil || seen[id] {
					t.Errorf("%s: id %q, seen %t, %v", session, id, seen[id], err)
				}
				seen[id] = true
			}
			_, events, err := store.Since(session, first)
			if err != nil || len(events) != 200 {
				t.Errorf("%s: %d events, %v; want 200", session, len(events), err)
			}
			for n, e := range events {
				if string(e.Data) != fmt.Sprint(n) || !seen[e.ID] {
					t.Errorf("%s: event %d is %q %q", session, n, e.ID, e.Data)
				}
			}
			store.Drop(session, "")
		})
	}
	all.Wait()
}
