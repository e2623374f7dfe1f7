package bridge

import (
	"context"
	"slices"
	"sync"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// session is a legacy session of a client, and what it listens for.
type session struct {
	line *line
	hold hold

	mu     sync.Mutex
	uris   map[string]bool // that it has subscribed to
	asking map[*subscribing]struct{}
}

// subscribing is a resources/subscribe that is under way.
type subscribing struct {
	uri    string
	cancel context.CancelFunc
	undone bool // the client has unsubscribed meanwhile; under session.mu
}

func newSession(listener *mcp.Listener, l *line) *session {
	return &session{line: l, hold: hold{listener: listener}, uris: make(map[string]bool), asking: make(map[*subscribing]struct{})}
}

// follow listens for changes of the lists as long as the session lasts.
func (s *session) follow() {
	lists := s.line.bridge.promised(allLists)
	if lists.ToolsListChanged || lists.PromptsListChanged || lists.ResourcesListChanged {
		s.line.feed.want(&s.hold)
	}
}

// end stops listening.
func (s *session) end() { s.line.feed.quit(&s.hold) }

// subscribe answers resources/subscribe.
func (b *Bridge) subscribe(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
	s, uri, err := b.subscriber(c)
	if err != nil {
		return b.refuse(ctx, c, err)
	}
	if uri == theLists || len(uri) > longestURI {
		return mcp.Reply{}, unknownResource(formOf(c), uri)
	}
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	q := &subscribing{uri: uri, cancel: cancel}
	s.begin(q)
	told, err := s.line.feed.join(asking, &s.hold, uri)
	if err == nil && !slices.Contains(told, uri) {
		err = unknownResource(formOf(c), uri)
	}
	if err = s.finish(q, err); err != nil {
		return b.refuse(ctx, c, err)
	}
	return mcp.NewReply(nil, nil), nil
}

func (s *session) begin(q *subscribing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking[q] = struct{}{}
}

// finish ends a resources/subscribe: err is what has come of it at the server, and the error that
// it returns what the client is told.
func (s *session) finish(q *subscribing, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asking, q)
	switch {
	case q.undone && err != nil:
		return nil // what the client wants is so
	case err != nil:
		return err
	case !q.undone && !s.uris[q.uri] && s.hold.listener.Subscribe(q.uri, mostSubscriptions):
		s.uris[q.uri] = true
		return nil
	}
	s.line.feed.leave(&s.hold, q.uri)
	if q.undone || s.uris[q.uri] {
		return nil
	}
	return jsonrpc.Errorf(jsonrpc.InternalError, "Too many subscriptions: at most %d, unsubscribe from one first", mostSubscriptions)
}

// unsubscribe answers resources/unsubscribe. A resources/subscribe that is under way is undone.
func (b *Bridge) unsubscribe(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
	s, uri, err := b.subscriber(c)
	if err != nil {
		return b.refuse(ctx, c, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for q := range s.asking {
		if q.uri == uri {
			q.undone = true
			q.cancel()
		}
	}
	if s.uris[uri] {
		delete(s.uris, uri)
		s.hold.listener.Unsubscribe(uri)
		s.line.feed.leave(&s.hold, uri)
	}
	return mcp.NewReply(nil, nil), nil
}

// subscriber is the session that a resources/subscribe or resources/unsubscribe is of, and the uri that
// it names.
func (b *Bridge) subscriber(c *mcp.Call) (*session, string, error) {
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
