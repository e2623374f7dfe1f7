package bridge

import (
	"context"
	"slices"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// pooled is a line for modern clients that are the same.
type pooled struct {
	*line
	key     string
	users   int
	streams int         // those of the users that only listen
	taken   bool        // by a user who may be asked
	idle    *time.Timer // closes it when nobody has used it for a while
}

const (
	// idleTime is how long a line is kept that nobody uses.
	idleTime = 5 * time.Minute
	// endingTime is how long a call waits for a line that is ending: longer than a process takes that
	// ends with its input, and not as long as one that has to be killed.
	endingTime = 2 * time.Second
)

// lend lends a modern client one of its lines, or a new one. It fails with errBusy where there may be no
// further line.
func (s *lines) lend(c *mcp.Call, to use) (*line, func(), error) {
	who := callerOf(c)
	key := who.key(c.Principal())
	s.mu.Lock()
	defer s.mu.Unlock()
	var found *pooled
	for _, p := range s.pooled {
		if p.key == key && !p.spoiled.Load() && (to != forAsking || !p.taken) {
			found = p
			break
		}
	}
	if found == nil {
		if err := s.makeRoomLocked(); err != nil {
			return nil, nil, err
		}
		found = &pooled{line: newLine(s.bridge, who), key: key}
		found.several = c.Principal() == nil && !s.bridge.opts.single()
		s.pooled = append(s.pooled, found)
	}
	if found.idle != nil {
		found.idle.Stop()
		found.idle = nil
	}
	found.users++
	if to == forStream {
		found.streams++
	}
	found.taken = found.taken || to == forAsking
	return found.line, sync.OnceFunc(func() { s.giveBack(found, to) }), nil
}

// clear makes a line free for a call: who does not come back with an answer and who only listens keep
// nobody out. It ends no more than that takes. It reports false when no line can be made free.
func (s *lines) clear(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	p, away := s.clearable(s.bridge.parked.away())
	if p == nil {
		return false
	}
	if away != nil && away.endAway() {
		s.bridge.log.Warn("a call is given up whose client is away: every connection to the server is in use")
		select {
		case <-away.left:
		case <-ctx.Done():
			return false
		}
	}
	s.mu.Lock()
	quiet := p.users > 0 && p.users == p.streams
	s.mu.Unlock()
	if quiet {
		s.bridge.log.Warn("the subscriptions of a client are ended: every connection to the server is in use")
		p.feed.dismiss()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.users == 0 || away != nil
}

// clearable is the line that is made free with the least loss: one with nothing but a call whose client
// is away, which is the second result, one with streams alone, or one with both; nil for none. The calls
// are the oldest first.
func (s *lines) clearable(calls []*parked) (*pooled, *parked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.pooled, func(p *pooled) bool { return p.users > 0 && p.users == p.streams })
	for _, streams := range []bool{false, true} {
		for _, call := range calls {
			for _, p := range s.pooled {
				if p.line == call.line && p.users == p.streams+1 && (p.streams == 0 || streams) {
					return p, call
				}
			}
		}
		if i >= 0 {
			return s.pooled[i], nil
		}
	}
	return nil, nil
}

var (
	errBusy   = jsonrpc.Errorf(jsonrpc.InternalError, "Too many calls at once: every connection of the bridge to the server is in use, try again later")
	errEnding = jsonrpc.Errorf(jsonrpc.InternalError, "Too many calls at once: connections of the bridge to the server are still ending, try again later")
)

// makeRoomLocked makes sure that there may be one line more.
func (s *lines) makeRoomLocked() error {
	if s.closing >= s.bridge.opts.connections() {
		return errEnding // processes may take their time
	}
	if len(s.pooled) < s.bridge.opts.connections() {
		return nil
	}
	for _, p := range s.pooled {
		if p.users == 0 {
			s.dropLocked(p)
			return nil
		}
	}
	return errBusy
}

// dropLocked closes a line that nobody uses. When the bridge is closed, that closes it.
func (s *lines) dropLocked(p *pooled) {
	closed := func() {
		s.closeOne(p.line)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.closing--
		if s.ended != nil {
			close(s.ended)
			s.ended = nil
		}
	}
	if s.bridge.run(closed) {
		s.closing++
		s.pooled = slices.DeleteFunc(s.pooled, func(other *pooled) bool { return other == p })
	}
}

// awaitEnd waits until one of too many lines that are ending has ended. It reports false when none has
// in time.
func (s *lines) awaitEnd(ctx context.Context) bool {
	s.mu.Lock()
	if s.closing < s.bridge.opts.connections() {
		s.mu.Unlock()
		return true
	}
	if s.ended == nil {
		s.ended = make(chan struct{})
	}
	ended := s.ended
	s.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, endingTime)
	defer stop()
	select {
	case <-ended:
		return true
	case <-ctx.Done():
		return false
	}
}

// giveBack ends the use of a line.
func (s *lines) giveBack(p *pooled, to use) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.users--
	if to == forStream {
		p.streams--
	}
	p.taken = p.taken && to != forAsking
	if p.users > 0 {
		return
	}
	if p.spoiled.Load() {
		s.dropLocked(p)
		return
	}
	if p.idle != nil {
		p.idle.Stop()
	}
	p.idle = time.AfterFunc(idleTime, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if p.users == 0 && slices.Contains(s.pooled, p) {
			s.dropLocked(p)
		}
	})
}
