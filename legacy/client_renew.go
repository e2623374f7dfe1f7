package legacy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// renewTime bounds a new handshake and what is said after it. It belongs to no request,
// whose own time may be shorter.
const renewTime = time.Minute

// renewPause is how much time must lie between two renewals that no request wants, so that a
// server which forgets each session at once is not asked again and again.
const renewPause = 30 * time.Second

// renewal is a handshake in place of a session that the server has forgotten.
type renewal struct {
	done chan struct{} // closed when it is over
	next *agreed
	err  error
}

// inSession has send send something in the session that holds. If the server turns out to
// have forgotten that, it has a new one opened and does it once more: the server has not
// looked at it (2025-11-25 basic/transports, Session Management).
func (x *Client) inSession(ctx context.Context, send func(*agreed) error) error {
	s, err := x.session(ctx)
	if err != nil {
		return err
	}
	if err = send(s); !errors.Is(err, mcp.ErrSessionEnded) {
		return err
	}
	if s, err = x.renew(ctx, s); err != nil {
		return err
	}
	if err = send(s); errors.Is(err, mcp.ErrSessionEnded) {
		return fmt.Errorf("legacy: a new session ended at once: %w", err)
	}
	return err
}

// session is the one that holds; where one is being opened it waits for that.
func (x *Client) session(ctx context.Context) (*agreed, error) {
	x.mu.Lock()
	s, holds := x.now, x.renewing == nil && !x.dead
	x.mu.Unlock()
	switch {
	case s == nil:
		return nil, errNotOpen
	case holds:
		return s, nil
	}
	return x.renew(ctx, nil)
}

// renew is the session after the one that has ended: it opens that, or waits for whoever is
// about to. ended is nil where the caller has not found that out itself: then one is opened
// only where the last attempt has failed.
func (x *Client) renew(ctx context.Context, ended *agreed) (*agreed, error) {
	x.mu.Lock()
	r, s := x.renewing, x.now
	switch {
	case x.closed:
		x.mu.Unlock()
		return nil, mcp.ErrLinkClosed
	case r == nil && (x.dead || s == ended):
		r = x.beginRenewalLocked()
	}
	x.mu.Unlock()
	if r == nil {
		return s, nil // somebody else was quicker
	}
	select {
	case <-r.done:
		return r.next, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// beginRenewalLocked begins to open a new session. It does not depend on the request that
// wants it: others may wait for it by then.
func (x *Client) beginRenewalLocked() *renewal {
	r := &renewal{done: make(chan struct{})}
	x.renewing = r
	x.running.Go(func() {
		ctx, cancel := context.WithTimeout(x.ctx, renewTime)
		defer cancel()
		s, err := x.handshake(ctx)
		if err == nil {
			err = x.restore(ctx, s)
		}
		if err != nil {
			r.err = fmt.Errorf("%w, and no other one could be opened: %w", mcp.ErrSessionEnded, err)
			x.log.Warn("session not renewed", "error", err)
		} else {
			r.next = s
			x.log.Debug("session renewed", "version", s.form.Revision)
		}
		x.mu.Lock()
		x.renewing, x.dead = nil, err != nil
		x.mu.Unlock()
		if err != nil {
			x.listeners.end(x.lost(r.err))
		} else {
			x.listeners.missed()
		}
		close(r.done)
	})
	return r
}

// restore says in a new session what was said in the one before it: the level of log
// messages and the subscriptions.
func (x *Client) restore(ctx context.Context, s *agreed) error {
	x.mu.Lock()
	level := x.level
	x.mu.Unlock()
	if err := x.sayLevel(ctx, s, level); err != nil {
		return err
	}
	return x.listeners.restore(ctx, x, s)
}

// SessionEnded implements [mcp.SessionWatcher]: the link has learnt, and not from a request,
// that the server has forgotten the session. Where somebody listens for changes a new one
// is opened at once, unless it has just been opened like that: then those who listen are
// told so. Where nobody does the next request will find out.
func (x *Client) SessionEnded() {
	x.mu.Lock()
	listened := x.now != nil && x.renewing == nil && !x.dead && !x.closed && x.listeners.any()
	tooSoon := !x.renewed.IsZero() && time.Since(x.renewed) < renewPause
	if listened && !tooSoon {
		x.renewed = time.Now()
		x.beginRenewalLocked()
	}
	x.mu.Unlock()
	if listened && tooSoon {
		x.listeners.end(fmt.Errorf("%w, soon after it was opened anew", mcp.ErrSessionEnded))
	}
}

// SetLogLevel implements [mcp.Exchange] (2025-11-25 server/utilities/logging, Setting Log
// Level). This era has no request for no messages at all: the gravest alone are asked for
// then, if any were before, and those that come are dropped.
func (x *Client) SetLogLevel(ctx context.Context, level mcp.LogLevel) error {
	x.mu.Lock()
	before := x.level
	asked := level
	if x.muted = level == 0; x.muted && before != 0 {
		asked = mcp.LogEmergency
	}
	x.level = asked
	x.mu.Unlock()
	if asked == 0 {
		return nil
	}
	_, err := x.request(ctx, "logging/setLevel", levelParams(asked), nil)
	if err != nil {
		x.mu.Lock()
		if x.level == asked {
			x.level = before
		}
		x.mu.Unlock()
	}
	return err
}

// isMuted reports whether log messages are dropped.
func (x *Client) isMuted() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.muted
}

// sayLevel asks for log messages at the beginning of a session, where the server has any.
// That it refuses is no reason to go without the session.
func (x *Client) sayLevel(ctx context.Context, s *agreed, level mcp.LogLevel) error {
	if level == 0 {
		return nil
	}
	x.mu.Lock()
	x.level = level
	x.mu.Unlock()
	if !s.server.Capabilities.Logging {
		x.log.Debug("the server has no log messages to ask for", "level", level.String())
		return nil
	}
	_, err := x.link.Call(ctx, s.outgoing("logging/setLevel", levelParams(level)))
	return x.unlessRefused("logging/setLevel", err)
}

func levelParams(l mcp.LogLevel) jsonrpc.Raw {
	return append(jsonrpc.AppendString([]byte(`{"level":`), l.String()), '}')
}

// unlessRefused is nil, and logs, where the server has refused what it need not grant.
func (x *Client) unlessRefused(what string, err error) error {
	if isRefusal(err) {
		x.log.Warn("the server has refused", "method", what, "reason", err)
		return nil
	}
	return err
}

// isRefusal reports whether the server has answered a request, and with no result.
func isRefusal(err error) bool {
	return errors.As(err, new(*jsonrpc.Error)) || errors.As(err, new(*jsonrpc.BrokenResponse))
}
