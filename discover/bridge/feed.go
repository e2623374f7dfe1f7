package bridge

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// feed is what the clients of a line are told of. What several of them want is asked of the server
// once, and asked again when the server has ended that or was connected to again.
type feed struct {
	line *line

	mu      sync.Mutex
	topics  map[string]*topic
	streams map[*hold]struct{} // those of modern clients
	held    int                // topics, each as often as it is held
	bytes   int                // of the uris
	blocks  map[*block]struct{}
	opening int           // blocks that are being asked for
	room    chan struct{} // closed when there are fewer of these two, and made anew

	keeping   bool // keep runs
	retries   retries
	notBefore time.Time     // keep asks for what is missing; zero while nothing is
	woken     chan struct{} // holds one: keep need not wait
}

func newFeed(l *line) *feed {
	return &feed{
		line: l, topics: make(map[string]*topic), streams: make(map[*hold]struct{}),
		blocks: make(map[*block]struct{}), room: make(chan struct{}), woken: make(chan struct{}, 1),
	}
}

// topic is something at the server that may change. All of it is under feed.mu.
type topic struct {
	uri    string // theLists for the lists
	holds  map[*hold]struct{}
	lists  mcp.Filter // that the server tells of
	by     *block     // the subscription that tells of it; nil while there is none
	asking *attempt   // to make one; nil while there is none
	alone  bool       // the server has refused it, or others that were asked for with it: it is asked for by itself
	missed bool       // the server told of it once, and does not now: changes may have been missed
}

// theLists is the topic of the lists, all of which the server is asked for at once.
const theLists = ""

// hold is who is told: a stream of a modern client, or the session of a legacy one.
type hold struct {
	listener *mcp.Listener
	ended    func() // ends a stream that the server tells nothing any more; nil for who waits until it does again

	// Under feed.mu:
	topics map[*topic]int // how often it has asked for each
	gone   bool
}

// The bounds of what a line's clients listen for.
const (
	mostSubscriptions = 1024    // of one session, or one request
	mostTopics        = 8192    // of all
	mostTopicsBytes   = 4 << 20 // of their uris
	mostHeld          = 1 << 18 // each as often as it is held
	longestURI        = 4096
)

var errFull = jsonrpc.Errorf(jsonrpc.InternalError, "Too many resources are listened for at once by all clients together: end a subscription, or try again later")

// join has a hold told of the topics, and returns those that the server tells of.
func (f *feed) join(ctx context.Context, h *hold, uris ...string) (told []string, err error) {
	if err := f.enter(h, uris); err != nil {
		return nil, err
	}
	waited := false
	for err == nil {
		var a, other *attempt
		switch a, other, err = f.claim(uris, waited); {
		case err != nil:
		case other != nil:
			err = other.wait(ctx, waited)
			waited = true
		case a == nil:
			return f.settle(h, uris), nil
		default:
			if err = f.open(ctx, a); err == nil {
				return f.settle(h, uris), nil
			}
		}
	}
	f.leave(h, uris...)
	return nil, err
}

// enter notes that a hold wants topics.
func (f *feed) enter(h *hold, uris []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	bytes, fresh := 0, 0
	for _, uri := range uris {
		if f.topics[uri] == nil {
			bytes, fresh = bytes+len(uri), fresh+1
		}
	}
	switch {
	case h.gone:
		return errBridgeClosed
	case len(f.topics)+fresh > mostTopics, f.bytes+bytes > mostTopicsBytes, f.held+len(uris) > mostHeld:
		return errFull
	}
	if h.ended != nil {
		f.streams[h] = struct{}{}
	}
	for _, uri := range uris {
		f.enterLocked(h, uri)
	}
	return nil
}

func (f *feed) enterLocked(h *hold, uri string) {
	t := f.topics[uri]
	if t == nil {
		t = &topic{uri: uri, holds: make(map[*hold]struct{})}
		f.topics[uri] = t
		f.bytes += len(uri)
	}
	if h.topics == nil {
		h.topics = make(map[*topic]int)
	}
	h.topics[t]++
	t.holds[h] = struct{}{}
	f.held++
}

// settle takes a hold away from the topics that the server does not tell of, and returns the
// others.
func (f *feed) settle(h *hold, uris []string) (told []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, uri := range uris {
		if t := f.topics[uri]; t != nil && t.by != nil && h.topics[t] > 0 {
			told = append(told, uri)
		} else {
			f.leaveLocked(h, t)
		}
	}
	return told
}

// leave takes back that a hold wants topics, once for each.
func (f *feed) leave(h *hold, uris ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, uri := range uris {
		f.leaveLocked(h, f.topics[uri])
	}
}

// quit takes a hold away for good.
func (f *feed) quit(h *hold) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h.gone = true
	delete(f.streams, h)
	for t, n := range h.topics {
		for range n {
			f.leaveLocked(h, t)
		}
	}
}

// leaveLocked takes a hold away from a topic, and that from the server with the last one.
func (f *feed) leaveLocked(h *hold, t *topic) {
	if t == nil || h.topics[t] == 0 {
		return
	}
	f.held--
	if h.topics[t]--; h.topics[t] > 0 {
		return
	}
	delete(h.topics, t)
	if delete(t.holds, h); len(t.holds) > 0 {
		if t.by == nil {
			f.keepLocked() // a session may wait that has asked before
		}
		return
	}
	delete(f.topics, t.uri)
	f.bytes -= len(t.uri)
	f.uncoverLocked(t)
}

// honoured is what the server tells of, out of the lists of a filter and of topics.
func (f *feed) honoured(lists mcp.Filter, told []string) mcp.Filter {
	f.mu.Lock()
	defer f.mu.Unlock()
	honoured := mcp.Filter{}
	for _, uri := range told {
		if uri != theLists {
			honoured.ResourceSubscriptions = append(honoured.ResourceSubscriptions, uri)
		}
	}
	if t := f.topics[theLists]; t != nil && len(honoured.ResourceSubscriptions) < len(told) {
		uris := honoured.ResourceSubscriptions
		honoured = common(lists, t.lists)
		honoured.ResourceSubscriptions = uris
	}
	return honoured
}

// common is the part of a filter's lists that another one has, too.
func common(f, g mcp.Filter) mcp.Filter {
	return mcp.Filter{
		ToolsListChanged:     f.ToolsListChanged && g.ToolsListChanged,
		PromptsListChanged:   f.PromptsListChanged && g.PromptsListChanged,
		ResourcesListChanged: f.ResourcesListChanged && g.ResourcesListChanged,
	}
}

// want has a session told of the lists, as soon as the server tells of them.
func (f *feed) want(h *hold) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.topics[theLists]; !h.gone && h.topics[t] == 0 { // a client may send notifications/initialized again
		f.enterLocked(h, theLists)
		f.keepLocked()
	}
}

// dismiss ends all streams of modern clients.
func (f *feed) dismiss() {
	f.mu.Lock()
	streams := slices.Collect(maps.Keys(f.streams))
	f.mu.Unlock()
	for _, h := range streams {
		h.ended()
	}
}

// endsLocked are what ends the streams that hold a topic.
func (t *topic) endsLocked() (ends []func()) {
	for h := range t.holds {
		if h.ended != nil {
			ends = append(ends, h.ended)
		}
	}
	return ends
}

// tell tells of a change whoever wants to know. A change of a part of a resource is one of the
// whole to those who listen for that (2026-07-28 schema, ResourceUpdatedNotificationParams).
func (f *feed) tell(c mcp.Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case c.Kind != mcp.ResourceUpdated:
		f.topics[theLists].tellLocked(c.Kind)
	case c.URI == "": // all of them
		for _, t := range f.topics {
			t.tellLocked(c.Kind)
		}
	default:
		for uri := range wholes(c.URI) {
			f.topics[uri].tellLocked(c.Kind)
		}
	}
}

// tellLocked tells of a change those who hold a topic, which may be nil.
func (t *topic) tellLocked(kind mcp.ChangeKind) {
	if t == nil || (t.uri == theLists) == (kind == mcp.ResourceUpdated) {
		return
	}
	for h := range t.holds {
		h.listener.Hear(mcp.Change{Kind: kind, URI: t.uri})
	}
}

// tellMissedLocked tells of all that may have changed while the server did not tell of it.
func (t *topic) tellMissedLocked() {
	t.tellLocked(mcp.ResourceUpdated)
	for _, kind := range []mcp.ChangeKind{mcp.ToolsListChanged, mcp.PromptsListChanged, mcp.ResourcesListChanged} {
		t.tellLocked(kind)
	}
}

// wholes are a uri and those of the resources that it may be a part of.
func wholes(uri string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 1; i <= min(len(uri), longestURI); i++ {
			switch {
			case i == len(uri), strings.IndexByte("/?#", uri[i]) >= 0, uri[i-1] == '/':
				if !yield(uri[:i]) {
					return
				}
			}
		}
	}
}

// topicsOf are the topics of a filter, each once. What is no uri is none.
func topicsOf(f *mcp.Filter) []string {
	uris := slices.DeleteFunc(slices.Clone(f.ResourceSubscriptions), func(uri string) bool { return uri == "" || len(uri) > longestURI })
	slices.Sort(uris)
	uris = slices.Compact(uris)
	if f.ToolsListChanged || f.PromptsListChanged || f.ResourcesListChanged {
		uris = append(uris, theLists)
	}
	return uris
}
