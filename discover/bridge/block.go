package bridge

import (
	"context"
	"errors"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// block is a subscription at the server, which tells of some of the topics of a feed.
type block struct {
	stop context.CancelFunc

	// Under feed.mu:
	topics map[*topic]struct{} // those that it is there for
	stale  bool                // it tells of others, too, which nobody wants any more
	fixed  bool                // the server has refused another one in its place
}

// A server bounds how many subscriptions it has: small ones are joined where there are more than a
// few, and who needs another one waits while there are most.
const (
	fewBlocks   = 16
	mostBlocks  = 96
	mostInBlock = 512
)

// lingerTime is how long a block stays that another one has taken the place of: what it was to
// tell may be on its way.
const lingerTime = 250 * time.Millisecond

// attempt is one time that the server is asked for topics. Of a topic that somebody else could not
// wait for [topic.asking] is a later one.
type attempt struct {
	topics []*topic
	over   chan struct{} // closed when it is over; err is set by then
	err    error
}

// attemptLocked begins an attempt; [feed.open] must follow.
func (f *feed) attemptLocked(topics []*topic) *attempt {
	f.opening++
	a := &attempt{topics: topics, over: make(chan struct{})}
	for _, t := range topics {
		t.asking = a
	}
	return a
}

// claim begins an attempt for those of the topics that the server does not tell of. Both attempts
// are nil where it tells of all. Where that has to wait other is not nil: the attempt of somebody
// who asks for one of the topics already, or, where there are too many blocks, what is over when
// there may be fewer. Who has waited does not wait for an attempt that is for other topics, too.
func (f *feed) claim(uris []string, waited bool) (a, other *attempt, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var missing, asked []*topic
	shared := make(map[*attempt]int) // how many of the topics each is for
	for _, uri := range uris {
		switch t := f.topics[uri]; {
		case t == nil, t.by != nil:
		case t.asking != nil:
			asked = append(asked, t)
			shared[t.asking]++
		default:
			missing = append(missing, t)
		}
	}
	for _, t := range asked {
		if !waited || shared[t.asking] == len(t.asking.topics) {
			return nil, t.asking, nil
		}
		missing = append(missing, t)
	}
	switch full := len(f.blocks)+f.opening >= mostBlocks; {
	case len(missing) == 0:
		return nil, nil, nil
	case full && f.movesLocked():
		return nil, &attempt{over: f.room}, nil
	case full:
		return nil, nil, errFull
	}
	return f.attemptLocked(missing), nil, nil
}

// movesLocked reports whether there may be room for another block soon.
func (f *feed) movesLocked() bool {
	if f.keeping || f.opening > 0 {
		return true
	}
	for k := range f.blocks {
		if len(k.topics) == 0 {
			return true
		}
	}
	return false
}

// makeRoomLocked has those look again who wait for room.
func (f *feed) makeRoomLocked() {
	close(f.room)
	f.room = make(chan struct{})
}

// open makes an attempt. The server may tell of fewer topics.
func (f *feed) open(ctx context.Context, a *attempt) (err error) {
	defer func() { f.end(a, err) }()
	client, err := f.line.get(ctx)
	if err != nil {
		return err
	}
	wanted := f.wanted(a.topics)
	life, stop := context.WithCancel(f.line.ctx) // since ctx ends before the block does
	outlive := context.AfterFunc(ctx, stop)
	sub, err := subscribe(life, client, &wanted)
	if !outlive() && err == nil {
		_ = sub.Close() // an error would only be about its end
		err = ctx.Err()
	}
	if err != nil {
		stop()
		return err
	}
	k := &block{topics: make(map[*topic]struct{}), stop: stop}
	f.cover(k, a.topics, sub.Honoured())
	if !f.line.bridge.run(func() { f.hear(k, sub) }) {
		f.hear(k, sub) // whose end has come already
	}
	return nil
}

// subscribe asks the server for a subscription, and does it again where that has an internal error:
// subscriptions that have ended may still count at a server that is busy.
func subscribe(ctx context.Context, client *mcp.Client, wanted *mcp.Filter) (sub *mcp.Subscription, err error) {
	for try := range mostTries {
		if try > 0 {
			pause(ctx, lingerTime<<(try-1))
		}
		sub, err = client.Listen(ctx, wanted)
		if !errors.Is(err, &jsonrpc.Error{Code: jsonrpc.InternalError}) {
			break
		}
	}
	return sub, err
}

// mostTries is how often the server is asked for one subscription, within two seconds.
const mostTries = 4

// wanted is the filter of topics: all lists where one is the lists.
func (f *feed) wanted(topics []*topic) mcp.Filter {
	var wanted mcp.Filter
	var uris []string
	for _, t := range topics {
		if t.uri == theLists {
			wanted = f.line.bridge.promised(allLists)
		} else {
			uris = append(uris, t.uri)
		}
	}
	wanted.ResourceSubscriptions = uris
	return wanted
}

// allLists is a filter for them.
var allLists = mcp.Filter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true}

// end ends an attempt. What the server has refused together is not asked for together again.
func (f *feed) end(a *attempt, err error) {
	refused := isRefusal(err)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opening--
	f.makeRoomLocked()
	a.err = err
	close(a.over)
	for _, t := range a.topics {
		if t.asking != a {
			continue // it says nothing about what was asked for anew
		}
		t.asking = nil
		switch {
		case t.by == nil:
			t.alone = refused
		case refused:
			t.by.fixed = true
		}
	}
}

func isRefusal(err error) bool {
	return errors.As(err, new(*jsonrpc.Error)) || errors.As(err, new(*jsonrpc.BrokenResponse))
}

// strangerTime is how long anybody waits for topics that were asked for together with others, which
// the server may never agree to.
const strangerTime = time.Second

// wait waits until an attempt of somebody else is over; who has not waited before does not wait for
// longer than strangerTime. Its error is that of all who wait, unless it is a refusal of what was
// asked for, or the end of who has asked.
func (a *attempt) wait(ctx context.Context, waited bool) error {
	var late <-chan time.Time
	if !waited {
		timer := time.NewTimer(strangerTime)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-a.over:
	case <-late:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	if isRefusal(a.err) || errors.Is(a.err, context.Canceled) || errors.Is(a.err, context.DeadlineExceeded) {
		return nil
	}
	return a.err
}

// cover notes what a block tells of, and tells of what may have been missed before.
func (f *feed) cover(k *block, topics []*topic, honoured mcp.Filter) {
	told := make(map[string]bool)
	for _, uri := range topicsOf(&honoured) {
		told[uri] = true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blocks[k] = struct{}{}
	for _, t := range topics {
		if told[t.uri] && len(t.holds) > 0 {
			f.replaceLocked(t, k)
			t.lists = common(allLists, honoured)
		} else if t.by != nil {
			t.by.fixed = true
		}
	}
	if len(k.topics) == 0 {
		k.stop()
	}
	if f.looseLocked() != nil {
		f.keepLocked()
	}
}

// replaceLocked has a block tell of a topic, perhaps in the place of another block.
func (f *feed) replaceLocked(t *topic, k *block) {
	if before := t.by; before != nil {
		if delete(before.topics, t); len(before.topics) == 0 {
			time.AfterFunc(lingerTime, before.stop)
		} else {
			before.stale = true
		}
	}
	t.by = k
	k.topics[t] = struct{}{}
	if t.missed {
		t.missed = false
		t.tellMissedLocked()
	}
}

// uncoverLocked takes a topic away from its block, and ends the block with its last topic.
func (f *feed) uncoverLocked(t *topic) {
	k := t.by
	if k == nil {
		return
	}
	t.by = nil
	if delete(k.topics, t); len(k.topics) == 0 {
		k.stop()
		return
	}
	k.stale, k.fixed = true, false
	f.keepLocked()
}

// hear tells of what a block tells, until that ends.
func (f *feed) hear(k *block, sub *mcp.Subscription) {
	for change := range sub.All() {
		f.tell(change)
	}
	_ = sub.Close() // an error would only be about its end
	k.stop()
	f.mu.Lock()
	var ends []func()
	for t := range k.topics {
		t.by, t.missed = nil, true
		ends = append(ends, t.endsLocked()...)
	}
	if len(k.topics) > 0 {
		f.keepLocked()
	}
	k.topics = nil
	delete(f.blocks, k)
	f.makeRoomLocked()
	f.mu.Unlock()
	for _, end := range ends {
		end()
	}
}
