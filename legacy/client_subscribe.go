package legacy

import (
	"context"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

const (
	// subscribesAtOnce is how many uris a client subscribes to at the same time.
	subscribesAtOnce = 8
	// unsubscribeTime bounds how long a client waits for a server to agree that it tells of
	// a resource no more, and for the answer to a subscribe that was given up.
	unsubscribeTime = 10 * time.Second
)

// subscription is a uri that the server is to tell of, however many listen for it.
type subscription struct {
	uri  string
	turn chan struct{} // holds one while something is said about the uri

	// Under listenings.mu:
	users   int     // those who listen, and those who are about to
	said    *agreed // in which the server has agreed; nil when it has not
	leaving bool    // the server is being told that nobody listens: who comes has to wait for that
}

// subscribeAll subscribes to each of the uris, and returns those that the server has agreed
// to, in their order. On an error it returns them, too.
func (x *Client) subscribeAll(ctx context.Context, uris []string) (told []string, err error) {
	errs := make([]error, len(uris))
	each(len(uris), func(i int) { errs[i] = x.subscribe(ctx, uris[i]) })
	for i, uri := range uris {
		switch {
		case errs[i] == nil:
			told = append(told, uri)
		case isRefusal(errs[i]):
			x.log.Debug("the server does not tell of a resource", "uri", uri, "reason", errs[i])
		case err == nil:
			err = errs[i]
		}
	}
	return told, err
}

// each calls f for 0 to n-1, for a few at a time.
func each(n int, f func(i int)) {
	places := make(chan struct{}, subscribesAtOnce)
	var all sync.WaitGroup
	for i := range n {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			f(i)
		})
	}
	all.Wait()
}

// subscribe adds one who listens for a uri, and asks the server to tell of it if it has not
// agreed to that in the session that holds. It returns when ctx ends, whatever the server does:
// that may have agreed by then, so its answer is still awaited, beside.
func (x *Client) subscribe(ctx context.Context, uri string) error {
	u := x.listeners.hold(uri)
	select {
	case u.turn <- struct{}{}:
		if err := ctx.Err(); err != nil { // which loses against a turn that is free half of the time
			<-u.turn
			x.listeners.drop(u)
			return err
		}
	case <-ctx.Done():
		x.listeners.drop(u)
		return ctx.Err()
	}
	asking, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	answer := make(chan error, 1)
	if !x.run(func() { defer giveUp(); answer <- x.agree(asking, u) }) {
		giveUp()
		<-u.turn
		x.listeners.drop(u)
		return mcp.ErrLinkClosed
	}
	select {
	case err := <-answer:
		if err != nil {
			x.listeners.drop(u)
		}
		return err
	case <-ctx.Done():
		x.run(func() { x.outlast(u, answer, giveUp) })
		return ctx.Err()
	}
}

// agree asks the server to tell of a uri, unless it does, and ends the turn.
func (x *Client) agree(ctx context.Context, u *subscription) error {
	defer func() { <-u.turn }()
	for !x.listeners.saidIn(u, x.current()) {
		var in *agreed
		err := x.inSession(ctx, func(s *agreed) error {
			in = s
			_, err := x.link.Call(ctx, s.outgoing("resources/subscribe", uriParams(u.uri)))
			return err
		})
		if err != nil {
			return err
		}
		x.listeners.note(u, in)
	}
	return nil
}

// outlast waits for the answer to a subscribe that was given up, for a while, and takes that user
// away. A server that were told instead that the answer is not wanted might agree all the same,
// after it has been told that nobody listens.
func (x *Client) outlast(u *subscription, answer <-chan error, giveUp context.CancelFunc) {
	timer := time.AfterFunc(unsubscribeTime, giveUp)
	defer timer.Stop()
	err := <-answer
	if isRefusal(err) {
		x.listeners.drop(u)
		return
	}
	x.unsubscribe(u, err != nil)
}

func uriParams(uri string) jsonrpc.Raw {
	return append(jsonrpc.AppendString([]byte(`{"uri":`), uri), '}')
}

// unsubscribeAll takes one who listened away from each of the uris.
func (x *Client) unsubscribeAll(uris []string) {
	each(len(uris), func(i int) { x.unsubscribe(x.listeners.find(uris[i]), false) })
}

// unsubscribe takes one who listened away, and tells the server when it was the last one and
// the server has agreed to tell, or may have: then it is doubtful. A server that does not agree
// in time goes on to tell, which does no harm.
func (x *Client) unsubscribe(u *subscription, doubtful bool) {
	ctx, cancel := context.WithTimeout(x.ctx, unsubscribeTime)
	defer cancel()
	select {
	case u.turn <- struct{}{}:
	case <-ctx.Done():
		x.listeners.drop(u)
		return
	}
	defer func() { <-u.turn }()
	s := x.current()
	if !x.listeners.leave(u, s, doubtful) {
		return
	}
	defer x.listeners.forget(u)
	// A session that has ended has no subscriptions, so none is opened for this. The server
	// is not told when it is given up: it may go on with it.
	out := s.outgoing("resources/unsubscribe", uriParams(u.uri))
	out.Quiet = true
	if _, err := x.link.Call(ctx, out); err != nil {
		x.log.Debug("resources/unsubscribe", "uri", u.uri, "error", err)
	}
}

// restore subscribes in a new session to all that the server told of in the one before.
// Those who listen for a uri that it refuses now are told that they hear no more.
func (t *listenings) restore(ctx context.Context, x *Client, s *agreed) error {
	t.mu.Lock()
	var again []*subscription
	for _, u := range t.uris {
		if u.said != nil {
			u.users++ // who listens may leave meanwhile
			again = append(again, u)
		}
	}
	t.mu.Unlock()
	errs := make([]error, len(again))
	each(len(again), func(i int) {
		_, errs[i] = x.link.Call(ctx, s.outgoing("resources/subscribe", uriParams(again[i].uri)))
	})
	var failure error
	for i, u := range again {
		switch {
		case errs[i] == nil:
			t.note(u, s)
			if !t.release(u) {
				x.run(func() { x.unsubscribe(u, false) })
			}
			continue
		case isRefusal(errs[i]):
			t.note(u, nil)
			t.endOf(u.uri, errs[i])
		default:
			failure = errs[i]
		}
		t.drop(u)
	}
	return failure
}

// hold is the subscription for a uri, with one user more.
func (t *listenings) hold(uri string) *subscription {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := t.uris[uri]
	if u == nil {
		u = &subscription{uri: uri, turn: make(chan struct{}, 1)}
		t.uris[uri] = u
	}
	u.users++
	return u
}

// drop takes a user away, and forgets the subscription when that was the last one.
func (t *listenings) drop(u *subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u.users--
	t.forgetLocked(u)
}

// release takes a user away, unless that is the last one.
func (t *listenings) release(u *subscription) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if u.users == 1 {
		return false
	}
	u.users--
	return true
}

func (t *listenings) forgetLocked(u *subscription) {
	if u.users == 0 && !u.leaving {
		delete(t.uris, u.uri)
	}
}

// leave takes a user away who has the turn. It reports true when that was the last one and
// the server has agreed to tell in this session, or may have: the subscription is still known
// then, until forget.
func (t *listenings) leave(u *subscription, s *agreed, doubtful bool) (last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u.users--
	if u.users == 0 && (doubtful || u.said == s) {
		u.said, u.leaving = nil, true
		return true
	}
	t.forgetLocked(u)
	return false
}

// forget forgets the subscription unless somebody has come to want it.
func (t *listenings) forget(u *subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u.leaving = false
	t.forgetLocked(u)
}

// find is the subscription for a uri that has users.
func (t *listenings) find(uri string) *subscription {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.uris[uri]
}

// note notes in which session the server has agreed to tell, nil for none.
func (t *listenings) note(u *subscription, said *agreed) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u.said = said
}

// saidIn reports whether the server has agreed to tell in this session.
func (t *listenings) saidIn(u *subscription, s *agreed) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return u.said == s
}
