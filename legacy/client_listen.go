package legacy

import (
	"context"
	"slices"
	"strings"
	"sync"

	"isthmus.internal/mcp"
)

// Listen implements [mcp.Exchange]. In this era a server tells of changes to the lists that
// it declares without being asked, and of resources that were subscribed to one by one
// (2025-11-25 server/resources, Subscriptions): the client picks what was wanted out of
// that. A uri that the server refuses is not honoured. A change may be told before Listen
// returns, when another listener has asked for it before.
//
// The changes between a session that the server has forgotten and the one after it are not
// told by the server. Each that could have been is told then, once.
func (x *Client) Listen(ctx context.Context, wanted *mcp.Filter, tell func(mcp.Change)) (mcp.Listening, error) {
	s, err := x.session(ctx)
	if err != nil {
		return nil, err
	}
	l := &listening{client: x, wanted: *wanted, tell: tell, done: make(chan struct{})}
	l.wanted.ResourceSubscriptions = distinct(wanted.ResourceSubscriptions)
	x.listeners.add(l)
	promised := declared(&s.server.Capabilities, &l.wanted)
	promised.ResourceSubscriptions, err = x.subscribeAll(ctx, promised.ResourceSubscriptions)
	if !x.listeners.settle(l, promised) { // it has ended meanwhile
		x.run(func() { x.unsubscribeAll(l.honoured.ResourceSubscriptions) })
		return nil, l.unheard(err)
	}
	if err == nil && !x.run(func() { l.watch(ctx) }) {
		err = mcp.ErrLinkClosed
	}
	if err != nil {
		l.end(nil)
		return nil, err
	}
	return l, nil
}

// unheard is why a listening has ended before it began.
func (l *listening) unheard(err error) error {
	if err == nil {
		err = l.Err()
	}
	if err == nil {
		err = mcp.ErrLinkClosed
	}
	return err
}

// declared is the part of a filter that the server's capabilities promise.
func declared(k *mcp.ServerCapabilities, wanted *mcp.Filter) mcp.Filter {
	f := mcp.Filter{
		ToolsListChanged:   wanted.ToolsListChanged && k.Tools != nil && k.Tools.ListChanged,
		PromptsListChanged: wanted.PromptsListChanged && k.Prompts != nil && k.Prompts.ListChanged,
	}
	if k.Resources != nil {
		f.ResourcesListChanged = wanted.ResourcesListChanged && k.Resources.ListChanged
		if k.Resources.Subscribe {
			f.ResourceSubscriptions = wanted.ResourceSubscriptions
		}
	}
	return f
}

// distinct are the uris, each once, in their order.
func distinct(uris []string) []string {
	var once []string
	seen := make(map[string]bool, len(uris))
	for _, uri := range uris {
		if !seen[uri] {
			once = append(once, uri)
		}
		seen[uri] = true
	}
	return once
}

// listening is one listener for changes.
type listening struct {
	client *Client
	wanted mcp.Filter
	tell   func(mcp.Change)

	// honoured is what the server tells of, the uris being those that are subscribed to. It
	// is set once, before Listen returns, under listenings.mu.
	honoured mcp.Filter

	turn  sync.Mutex // held while tell runs: one at a time, and none after the end
	ended bool       // under turn

	once sync.Once
	err  error         // set before done is closed
	done chan struct{} // closed at the end
}

// wants reports whether it is to be told of a change. Of a list it is, though the server
// has not promised to tell. Of a resource it is where that, or one that it is part of, was
// asked for: the uri of a change may be of a part (2025-11-25 schema,
// ResourceUpdatedNotification).
func (l *listening) wants(c mcp.Change) bool {
	switch c.Kind {
	case mcp.ToolsListChanged:
		return l.wanted.ToolsListChanged
	case mcp.PromptsListChanged:
		return l.wanted.PromptsListChanged
	case mcp.ResourcesListChanged:
		return l.wanted.ResourcesListChanged
	}
	return slices.ContainsFunc(l.wanted.ResourceSubscriptions, func(uri string) bool { return within(c.URI, uri) })
}

// within reports whether part is the uri of whole or of something below it.
func within(part, whole string) bool {
	rest, ok := strings.CutPrefix(part, whole)
	return ok && (rest == "" || strings.HasSuffix(whole, "/") || strings.ContainsRune("/?#", rune(rest[0])))
}

// say tells of a change, unless the listening has ended.
func (l *listening) say(c mcp.Change) {
	l.turn.Lock()
	defer l.turn.Unlock()
	if !l.ended {
		l.tell(c)
	}
}

// watch ends the listening with ctx or with the link.
func (l *listening) watch(ctx context.Context) {
	x := l.client
	select {
	case <-ctx.Done():
		l.end(nil)
	case <-x.link.Done():
		l.end(x.lost(x.link.Err()))
	case <-x.ctx.Done():
		l.end(nil)
	case <-l.done:
	}
}

// lost is why no changes come any more, nil where this side has closed the client.
func (x *Client) lost(err error) error {
	if x.ctx.Err() != nil {
		return nil
	}
	return err
}

// end ends the listening. What was subscribed to for it is given up beside, since the
// server may take its time to agree.
func (l *listening) end(err error) {
	l.once.Do(func() {
		x := l.client
		uris := x.listeners.remove(l)
		l.turn.Lock()
		l.ended = true
		l.turn.Unlock()
		l.err = err
		close(l.done)
		if len(uris) > 0 {
			x.run(func() { x.unsubscribeAll(uris) })
		}
	})
}

// Honoured implements [mcp.Listening].
func (l *listening) Honoured() mcp.Filter { return l.honoured }

// Done implements [mcp.Listening].
func (l *listening) Done() <-chan struct{} { return l.done }

// Err implements [mcp.Listening].
func (l *listening) Err() error {
	select {
	case <-l.done:
		return l.err
	default:
		return nil
	}
}

// Close implements [mcp.Listening]. It must not be called by tell.
func (l *listening) Close() error {
	l.end(nil)
	return nil
}

// listenings are those of a client that have not ended.
type listenings struct {
	mu   sync.Mutex
	open map[*listening]struct{}
	uris map[string]*subscription
}

func (t *listenings) add(l *listening) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil {
		t.open = make(map[*listening]struct{})
		t.uris = make(map[string]*subscription)
	}
	t.open[l] = struct{}{}
}

// settle notes what the server tells l of. Uris that it has agreed to, and then refused to a new
// session, are not among that. It reports false when l has ended already.
func (t *listenings) settle(l *listening, honoured mcp.Filter) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	honoured.ResourceSubscriptions = slices.DeleteFunc(honoured.ResourceSubscriptions, func(uri string) bool {
		u := t.uris[uri]
		if u.said == nil { // a new session has refused it
			u.users--
			t.forgetLocked(u)
		}
		return u.said == nil
	})
	l.honoured = honoured
	_, open := t.open[l]
	return open
}

// remove forgets l, and returns the uris that are subscribed to for it.
func (t *listenings) remove(l *listening) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, l)
	return l.honoured.ResourceSubscriptions
}

func (t *listenings) any() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open) > 0
}

// all are those that pick picks.
func (t *listenings) all(pick func(*listening) bool) []*listening {
	t.mu.Lock()
	defer t.mu.Unlock()
	var picked []*listening
	for l := range t.open {
		if pick(l) {
			picked = append(picked, l)
		}
	}
	return picked
}

// tell tells of a change whoever wants to know.
func (t *listenings) tell(c mcp.Change) {
	for _, l := range t.all(func(l *listening) bool { return l.wants(c) }) {
		l.say(c)
	}
}

// end ends all of them: nobody tells of changes any more.
func (t *listenings) end(err error) {
	for _, l := range t.all(func(*listening) bool { return true }) {
		l.end(err)
	}
}

// endOf ends those that listen for a uri.
func (t *listenings) endOf(uri string, err error) {
	for _, l := range t.all(func(l *listening) bool { return slices.Contains(l.honoured.ResourceSubscriptions, uri) }) {
		l.end(err)
	}
}

// missed tells of all that may have changed while there was no session.
func (t *listenings) missed() {
	for _, l := range t.all(func(*listening) bool { return true }) {
		for _, c := range t.promised(l) {
			l.say(c)
		}
	}
}

// promised are the changes that the server tells l of.
func (t *listenings) promised(l *listening) []mcp.Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	var changes []mcp.Change
	list := func(told bool, kind mcp.ChangeKind) {
		if told {
			changes = append(changes, mcp.Change{Kind: kind})
		}
	}
	list(l.honoured.ToolsListChanged, mcp.ToolsListChanged)
	list(l.honoured.PromptsListChanged, mcp.PromptsListChanged)
	list(l.honoured.ResourcesListChanged, mcp.ResourcesListChanged)
	for _, uri := range l.honoured.ResourceSubscriptions {
		changes = append(changes, mcp.Change{Kind: mcp.ResourceUpdated, URI: uri})
	}
	return changes
}
