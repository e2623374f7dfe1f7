package httpmcp

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// legacyLink is a client's link of the legacy era. initialize begins a session over it, which
// lasts until the server knows it no more; then another initialize begins another. Which of two
// transports a session runs over shows when it begins: Streamable HTTP, where a call is answered
// on the response to its POST, or that of 2024-11-05, where all answers come on the stream that
// the session began with (2025-11-25 basic/transports, Backwards Compatibility).
type legacyLink struct {
	*life
	wire    *wire
	h       jsonrpc.Handler
	log     *slog.Logger
	parting *life // of what is still said when all else has ended

	mu      sync.Mutex
	session *clientSession // never nil
	lastID  int64          // of our requests
	calls   map[int64]*legacyCall
	closing bool // no request of the server is begun any more
	// askCount are the requests of the server that are worked on, or whose answers are on their
	// way; askBytes is their text.
	askCount, askBytes int
	asking             sync.WaitGroup // those that are worked on
}

// newLegacyLink makes a link for the handshake. Nothing is sent yet.
func newLegacyLink(w *wire, h jsonrpc.Handler, log *slog.Logger) mcp.Link {
	w.link()
	l := &legacyLink{life: newLife(), wire: w, h: h, log: log.With(slog.String("era", discover.LegacyEra.String())), parting: newLife(), calls: make(map[int64]*legacyCall)}
	l.session = l.newSession()
	return l
}

// Call implements [mcp.Link].
func (l *legacyLink) Call(ctx context.Context, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	if out.Method == "initialize" {
		return l.handshake(ctx, out)
	}
	s, err := l.current(out.Version)
	if err != nil {
		return nil, err
	}
	return l.call(ctx, s, out)
}

// Notify implements [mcp.Link]. When the server has taken the end of the handshake in, the stream
// for what belongs to no call is opened.
func (l *legacyLink) Notify(ctx context.Context, out *mcp.Outgoing) error {
	s, err := l.current(out.Version)
	if err != nil {
		return err
	}
	var params []byte
	if out.Params != nil {
		params = out.Params(nil, jsonrpc.ID{})
	}
	err = s.say(ctx, l.life, jsonrpc.AppendMessage(nil, jsonrpc.ID{}, out.Method, params))
	if err == nil && out.Method == "notifications/initialized" {
		s.attend(ctx)
	}
	return err
}

// current is the session that messages go out in. version is the one that they are said in, once
// there is one. Nothing is sent to a server that has forgotten the session.
func (l *legacyLink) current(version string) (*clientSession, error) {
	if err := l.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.session
	if s.forgotten {
		return nil, mcp.ErrSessionEnded
	}
	if version != "" {
		s.version = version
	}
	return s, nil
}

// handshake begins a session, without the id of another one.
func (l *legacyLink) handshake(ctx context.Context, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	l.mu.Lock()
	old := l.session.old
	l.mu.Unlock()
	if old {
		return l.handshakeOld(ctx, out)
	}
	s := l.newSession()
	result, err := l.call(ctx, s, out)
	if err == nil {
		l.adopt(s)
		return result, nil
	}
	s.leave()
	var refusal *refusedHandshakeError
	if errors.As(err, &refusal) {
		return l.tryOld(ctx, out, refusal)
	}
	return nil, err
}

// adopt has a session take the place of the last one.
func (l *legacyLink) adopt(s *clientSession) {
	l.mu.Lock()
	last := l.session
	l.session = s
	if s.lost != nil { // meanwhile
		l.fail(s.lost)
	}
	l.mu.Unlock()
	last.leave()
}

// Close implements [mcp.Link]. Streams and calls end first, then the session does.
func (l *legacyLink) Close() error {
	if !l.end() {
		return nil
	}
	l.endAsks()
	l.mu.Lock()
	s := l.session
	l.mu.Unlock()
	err := s.delete()
	l.parting.finish()
	l.wire.unlink()
	return err
}
