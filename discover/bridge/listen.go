package bridge

import (
	"context"
	"errors"
	"slices"
	"sync"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// listen answers subscriptions/listen: the client is told of what the server tells.
func (b *Bridge) listen(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
	asked, err := mcp.Read[mcp.ListenParams](c.Params(), "params")
	if err != nil {
		var m *mcp.Malformed
		if errors.As(err, &m) {
			return mcp.Reply{}, m.Refusal()
		}
		return mcp.Reply{}, err
	}
	wanted := asked.Notifications
	if most := mostSubscriptions; len(wanted.ResourceSubscriptions) > most {
		return mcp.Reply{}, jsonrpc.Errorf(jsonrpc.InvalidParams, "params.notifications.resourceSubscriptions must not hold more than %d uris", most)
	}
	l, done, err := b.lines.route(ctx, c, false)
	if err != nil {
		return b.refuse(ctx, c, err)
	}
	defer done()
	client, err := l.get(ctx)
	if err != nil {
		return b.refuse(ctx, c, err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	sub, err := client.Listen(ctx, &wanted)
	if err != nil {
		return b.refuse(ctx, c, err)
	}
	honoured := b.promised(sub.Honoured())
	if wanted.ResourceSubscriptions != nil && honoured.ResourceSubscriptions == nil && b.offers.Resources != nil {
		honoured.ResourceSubscriptions = []string{}
	}
	listener := b.server.Listen(honoured)
	var telling sync.WaitGroup
	telling.Go(func() {
		defer stop()
		for change := range sub.All() {
			listener.Hear(change)
		}
	})
	reply := c.Stream(ctx, listener, honoured)
	stop()
	if err := sub.Close(); err != nil {
		b.log.Debug("a subscription has ended badly", "error", err)
	}
	telling.Wait()
	return reply, nil
}

// mostSubscriptions bounds the resources of a session, or of a request, that are listened for.
const mostSubscriptions = 1024

// promised is the part of a filter that the bridge has declared.
func (b *Bridge) promised(f mcp.Filter) mcp.Filter {
	k := &b.offers
	f.ToolsListChanged = f.ToolsListChanged && k.Tools != nil && k.Tools.ListChanged
	f.PromptsListChanged = f.PromptsListChanged && k.Prompts != nil && k.Prompts.ListChanged
	f.ResourcesListChanged = f.ResourcesListChanged && k.Resources != nil && k.Resources.ListChanged
	if k.Resources == nil || !k.Resources.Subscribe {
		f.ResourceSubscriptions = nil
	}
	return f
}

// session is a legacy session of a client, as far as it listens.
type session struct {
	bridge   *Bridge
	listener *mcp.Listener
	line     *line
	ctx      context.Context
	stop     context.CancelFunc
	running  sync.WaitGroup

	mu    sync.Mutex
	ended bool
	uris  map[string]context.CancelFunc
}

func newSession(b *Bridge, listener *mcp.Listener, l *line) *session {
	s := &session{bridge: b, listener: listener, line: l, uris: make(map[string]context.CancelFunc)}
	s.ctx, s.stop = context.WithCancel(b.ctx)
	return s
}

// end stops listening, and waits for that.
func (s *session) end() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.stop()
	s.running.Wait()
}

func (s *session) run(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.running.Go(f)
	return true
}

// follow listens for changes of the lists as long as the session lasts.
func (s *session) follow() {
	lists := s.bridge.promised(mcp.Filter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true})
	client, err := s.line.get(s.ctx)
	if err == nil && (lists.ToolsListChanged || lists.PromptsListChanged || lists.ResourcesListChanged) {
		var sub *mcp.Subscription
		if sub, err = client.Listen(s.ctx, &lists); err == nil {
			s.run(func() { s.hear(s.ctx, client, sub, &lists) })
		}
	}
	if err != nil && s.ctx.Err() == nil {
		s.bridge.log.Warn("a client is told of no changes", "error", err)
	}
}

// hear tells the session of the changes of a subscription, and subscribes again when the
// server has been connected to again.
func (s *session) hear(ctx context.Context, client *mcp.Client, sub *mcp.Subscription, wanted *mcp.Filter) {
	for {
		for change := range sub.All() {
			s.listener.Hear(change)
		}
		_ = sub.Close() // of which nothing is lost but its end
		if sub = s.again(ctx, &client, wanted); sub == nil {
			return
		}
		s.missed(wanted)
	}
}

// again subscribes at the next client of the line. It is nil when the session ends first.
func (s *session) again(ctx context.Context, client **mcp.Client, wanted *mcp.Filter) *mcp.Subscription {
	for {
		select {
		case <-s.line.another(*client):
		case <-ctx.Done():
			return nil
		}
		next, err := s.line.get(ctx)
		if err != nil {
			return nil
		}
		*client = next
		if sub, err := next.Listen(ctx, wanted); err == nil {
			return sub
		}
	}
}

// missed tells of all that may have changed while nobody listened.
func (s *session) missed(f *mcp.Filter) {
	for kind, wanted := range map[mcp.ChangeKind]bool{
		mcp.ToolsListChanged: f.ToolsListChanged, mcp.PromptsListChanged: f.PromptsListChanged, mcp.ResourcesListChanged: f.ResourcesListChanged,
	} {
		if wanted {
			s.listener.Hear(mcp.Change{Kind: kind})
		}
	}
	for _, uri := range f.ResourceSubscriptions {
		s.listener.Hear(mcp.Change{Kind: mcp.ResourceUpdated, URI: uri})
	}
}

// subscribe answers resources/subscribe.
func (b *Bridge) subscribe(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
	s, uri, err := b.subscribed(c)
	if err != nil {
		return b.refuse(ctx, c, err)
	}
	s.mu.Lock()
	_, known := s.uris[uri]
	s.mu.Unlock()
	if known {
		return mcp.NewReply(nil, nil), nil
	}
	life, stop := context.WithCancel(s.ctx)
	if err := s.subscribe(life, c, uri, stop); err != nil {
		stop()
		return b.refuse(s.ctx, c, err)
	}
	return mcp.NewReply(nil, nil), nil
}

// subscribe has the session told of a resource until ctx ends, as stop has it.
func (s *session) subscribe(ctx context.Context, c *mcp.Call, uri string, stop context.CancelFunc) error {
	client, err := s.line.get(ctx)
	if err != nil {
		return err
	}
	wanted := mcp.Filter{ResourceSubscriptions: []string{uri}}
	sub, err := client.Listen(ctx, &wanted)
	if err != nil {
		return err
	}
	switch {
	case !slices.Contains(sub.Honoured().ResourceSubscriptions, uri):
		err = unknownResource(formOf(c), uri)
	case !s.listener.Subscribe(uri, mostSubscriptions):
		err = jsonrpc.Errorf(jsonrpc.InternalError, "Too many subscriptions: at most %d, unsubscribe from one first", mostSubscriptions)
	case !s.enter(uri, stop) || !s.run(func() { s.hear(ctx, client, sub, &wanted) }):
		err = errBridgeClosed
	default:
		return nil
	}
	_ = sub.Close() // of which nothing is lost but its end
	return err
}

// enter notes how a subscription is ended. One that was there before is.
func (s *session) enter(uri string, stop context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.uris[uri]; before != nil {
		before()
	}
	s.uris[uri] = stop
	return !s.ended
}

// unsubscribe answers resources/unsubscribe.
func (b *Bridge) unsubscribe(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
	s, uri, err := b.subscribed(c)
	if err != nil {
		return b.refuse(ctx, c, err)
	}
	s.listener.Unsubscribe(uri)
	s.mu.Lock()
	stop := s.uris[uri]
	delete(s.uris, uri)
	s.mu.Unlock()
	if stop != nil {
		stop()
	}
	return mcp.NewReply(nil, nil), nil
}

// subscribed is whom the two are about, and what.
func (b *Bridge) subscribed(c *mcp.Call) (*session, string, error) {
	if c.Session() == nil {
		return nil, "", jsonrpc.Errorf(jsonrpc.MethodNotFound, "Method not found: %s: this session cannot be told of changes", c.Method())
	}
	uri, ok := c.Param("uri").Text()
	if !ok {
		return nil, "", jsonrpc.Errorf(jsonrpc.InvalidParams, "params.uri must be a string")
	}
	s, err := b.lines.session(c)
	return s, uri, err
}

func unknownResource(f *mcp.Form, uri string) error {
	e := jsonrpc.Errorf(f.ResourceNotFound, "Unknown resource: %s", jsonrpc.Clip([]byte(uri)))
	e.Data = append(jsonrpc.AppendString([]byte(`{"uri":`), uri), '}')
	return e
}
