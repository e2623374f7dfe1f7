package bridge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// lines are the connections to the server, and who has which.
type lines struct {
	bridge *Bridge
	shared *line // of a modern server; nil for a legacy one

	mu       sync.Mutex
	only     *line // of a single client
	sessions map[*mcp.Listener]*session
	pooled   []*pooled     // of modern clients, in the order in which they were made
	closing  int           // lines that were pooled and have not ended yet
	ended    chan struct{} // is closed when the next of them has; nil when nobody waits for that
}

// use is what a request needs a line for.
type use uint8

const (
	forCall   use = iota
	forAsking     // a call that may be asked something: no other such call may have the line
	forStream     // which lasts as long as the client likes
	forNotice     // of the client
)

// mayClear reports whether a line is made free for it when there is none.
func (u use) mayClear() bool { return u == forCall || u == forAsking }

// route finds the line for a request, and lends it until done is called. It may have to wait
// until a call that is given up has left its line.
func (s *lines) route(ctx context.Context, c *mcp.Call, to use) (l *line, done func(), err error) {
	notLent := func() {}
	switch {
	case s.shared != nil:
		return s.shared, notLent, nil
	case s.bridge.opts.single():
		l, err := s.single(c, to)
		if to == forAsking && !l.who.has(callerOf(c)) {
			return s.lend(c, forCall)
		}
		return l, notLent, err
	case c.Session() != nil:
		of, err := s.session(c)
		if err != nil {
			return nil, nil, err
		}
		return of.line, notLent, nil
	}
	for {
		l, done, err = s.lend(c, to)
		switch {
		case err == errBusy && to.mayClear() && s.clear(ctx):
		case err == errEnding && to.mayClear() && s.awaitEnd(ctx):
		default:
			return l, done, err
		}
	}
}

// single is the line of the one client that there is.
func (s *lines) single(c *mcp.Call, to use) (*line, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.only == nil && to == forNotice {
		return nil, errNoLine
	}
	return s.singleLocked(c), nil
}

// errNoLine is the error of a notification of a single client that comes before its first request: it need
// not say what the client can be asked, which the line would keep.
var errNoLine = errors.New("bridge: there is no connection to the server for this client")

func (s *lines) singleLocked(c *mcp.Call) *line {
	if s.only == nil {
		s.only = newLine(s.bridge, callerOf(c))
	}
	return s.only
}

// closeOne closes a line, and waits until nothing of it is left.
func (s *lines) closeOne(l *line) {
	defer l.settle()
	if err := l.close(); err != nil {
		s.bridge.log.Debug("a connection to the server has ended badly", "error", err)
	}
}

var errCrowded = jsonrpc.Errorf(jsonrpc.InternalError, "Too many sessions at once: every one of them has a connection to the server, try again later")

// session is the session of a legacy client, which is made with its first request.
func (s *lines) session(c *mcp.Call) (*session, error) {
	listener := c.Session()
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.sessions[listener]; known != nil {
		return known, nil
	}
	if s.bridge.ctx.Err() != nil {
		return nil, errBridgeClosed
	}
	l := s.shared
	switch {
	case l != nil:
	case s.bridge.opts.single():
		l = s.singleLocked(c)
	case len(s.sessions) >= s.bridge.opts.sessions():
		return nil, errCrowded
	default:
		l = newLine(s.bridge, callerOf(c))
	}
	of := newSession(listener, l)
	if s.sessions == nil {
		s.sessions = make(map[*mcp.Listener]*session)
	}
	s.sessions[listener] = of
	listener.AfterClose(func() { s.bridge.run(func() { s.endSession(of) }) })
	return of, nil
}

// endSession ends a session, with the line that is its own, and then forgets it: so it counts
// as long as there is something of it.
func (s *lines) endSession(of *session) {
	s.mu.Lock()
	own := of.line != s.shared && of.line != s.only
	s.mu.Unlock()
	of.end()
	if own {
		s.closeOne(of.line)
	}
	s.mu.Lock()
	delete(s.sessions, of.hold.listener)
	s.mu.Unlock()
}

// close closes all lines.
func (s *lines) close() error {
	s.mu.Lock()
	all := []*line{s.shared, s.only}
	sessions := slices.Collect(maps.Values(s.sessions))
	for _, of := range sessions {
		all = append(all, of.line)
	}
	for _, p := range s.pooled {
		all = append(all, p.line)
		if p.idle != nil {
			p.idle.Stop()
		}
	}
	s.mu.Unlock()
	defer func() {
		for _, of := range sessions {
			of.end()
		}
	}()
	errs := make([]error, len(all))
	var closing sync.WaitGroup
	for i, l := range all {
		if l != nil {
			closing.Go(func() { errs[i] = l.close() })
		}
	}
	closing.Wait()
	return errors.Join(errs...)
}
